// Requests to kevolve-judge, as far as one process can drive them: the frame's bytes, and any contract whatever up to
// the moment at which a process would be launched. The zygote is one that does not start.
#include "backends/judge/native/native_judge_context.hpp"
#include "backends/judge/physics.hpp"
#include "runtime/base/codec.hpp"
#include "tests/fuzz/input.hpp"

#include <memory>

using namespace kevolve;
using namespace kevolve::fuzzing;

namespace {

// Larger inputs are slow and find nothing new.
constexpr int64_t most_elements = 1 << 14;
constexpr uint32_t most_alignment = 1 << 16;

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{
      "x",        "y",        "n",       "m",       "k",          "len",           "table",     "n*m",          "n+1",
      "sum(x)",   "sum(len)", "n%8",     "n/2",     "min(n,m)",   "n-m",           "",          "ceildiv(n,8)", "8",
      "normal",   "uniform",  "integer", "offsets", "lengths",    "sorted_unique", "sample_of", "zeros",        "large",
      "denormal", "void",     "c",       "2*m*n",   "max(n,4)*m", "(n+1)*(m+1)",   "-1",        "n*n*n*n",      "1",
  };
  return all;
}

// Takes declared sizes, and for data-dependent ones their maximum.
bool small_enough(const contract& task) {
  for (const auto& shape : task.shapes) {
    auto sizes = shape.sizes;
    const auto sum = [](const std::string&) -> result<int64_t> { return most_elements; };
    for (size_t round = 0; round < task.derived.size(); ++round)
      for (const auto& [name, text] : task.derived)
        if (auto e = expression::parse(text))
          if (auto v = e->evaluate(sizes, sum))
            sizes.emplace(name, *v);
    for (const auto& a : task.arguments)
      if (a.align > most_alignment)
        return false;
      else if (auto g = resolve_geometry(a, sizes, sum); g && (g->span > most_elements || g->count > most_elements))
        return false;
  }
  return true;
}

void handle(const judge_request& request) {
  const auto& task = request.task;
  static_cast<void>(c_prototype(task));
  static_cast<void>(c_call_check(task, "c"));
  for (const auto& a : task.arguments)
    static_cast<void>(rule_for(task, a, 0.0, 1.0));
  static const device_peaks peaks{1e9, {{"l1", 32768, 1e11}, {"dram", 0, 1e10}}};
  const auto wide = promoted(task);
  for (const auto& shape : task.shapes) {
    draw_options options;
    options.seed = request.seed;
    options.edge = static_cast<edge_kind>(request.seed % 4);
    auto data = draw_call(task, shape, options);
    if (!data)
      continue;
    const auto layout = lay_out(task, data->geometries);
    for (const auto& [from, to] : guard_ranges(layout))
      require(from <= to && to <= layout.total);
    static_cast<void>(physics_floor_ns(task, *data, layout.total, peaks));
    const auto widened = promoted(task, *data);
    static_cast<void>(lay_out(wide, widened.geometries));
    shared_arena arena;
    require(arena.prepare(layout.total).has_value());
    call_memory memory{task, *data, layout, arena};
    memory.set_up(request.seed);
    require(!memory.broken_guard() && !memory.mutated_input());
    for (size_t i = 0; i < task.arguments.size(); ++i)
      if (is_array(task.arguments[i])) {
        // Every byte of every array lies between guards.
        const auto* at = memory.array(i);
        require(at >= static_cast<const void*>(arena.data()));
      }
  }
}

// Runs the whole judge except its processes.
void hold(const judge_request& request) {
  static const auto seat = [] {
    native_settings settings;
    settings.zygote_path = "/dev/null/no-zygote";
    settings.thread_cores = {0};
    return std::make_unique<native_judge_context>(judge_settings{}, std::move(settings));
  }();
  request_hooks hooks;
  hooks.progress = [](const std::string&) {};
  hooks.cancelled = [] { return false; };
  hooks.deadline = std::chrono::steady_clock::now() + std::chrono::seconds{5};
  const auto out = evaluate_request(*seat, request, hooks);
  // No process ran, so nothing may pass, and a verdict may concern only the task or the object's bytes.
  require(out.result != verdict::pass || request.mode == judge_mode::probe);
  require(out.result != verdict::none || out.trouble);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  value_source in{view(data, size), words()};
  const auto form = in.take<uint8_t>();
  if (form % 8U == 0) {
    if (auto request = decode<judge_request>(in.rest()); request && small_enough(request->task))
      handle(*request);
    return 0;
  }
  auto request = in.take<judge_request>();
  auto again = decode<judge_request>(encode(request));
  require(again.has_value() && encode(*again) == encode(request));
  if (request.mode == judge_mode::probe || !small_enough(request.task))
    return 0;
  handle(request);
  if (form % 8U == 1)
    hold(request);
  return 0;
}
