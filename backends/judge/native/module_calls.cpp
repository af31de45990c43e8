#include "backends/judge/native/module_calls.hpp"

#include "backends/framework/framework_source.hpp"
#include "backends/judge/call_check.hpp"
#include "backends/judge/figure.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using cuda::framework_mode;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr auto first_eager_limit = seconds{60}; // loads code
constexpr auto eager_limit = seconds{20};
constexpr size_t eager_calls = 5;

// Sets the median time of eager calls on a shape's first set. Returns why there is none.
std::string time_eager(module_calls& module, const input_sets& inputs, const request_hooks& hooks, double& median) {
  if (auto why = module.ready(inputs.largest_layout()); !why.empty())
    return why;
  const auto& set = inputs.sets.front();
  double ns = 0.0;
  if (auto why = module.call(framework_mode::eager, inputs, set, true, first_eager_limit, ns); !why.empty())
    return why;
  std::vector<double> times;
  while (times.size() < eager_calls && !hooks.cancelled()) {
    if (module.left() <= seconds{1})
      return "no time left";
    if (auto why = module.call(framework_mode::eager, inputs, set, false, eager_limit, ns); !why.empty())
      return why;
    times.push_back(ns);
  }
  if (times.empty())
    return "cancelled";
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  median = *middle;
  return {};
}

} // namespace

std::string module_calls::load() {
  const auto source = unpack_framework(request_.module);
  if (!source)
    return "the module does not arrive whole";
  auto& client = process_.client;
  if (!client.alive())
    if (auto started = client.start(process_.options); !started)
      return started.error().detail;
  if (auto refused = client.load(cuda::framework_client::program::reference, *source))
    return refused->rule + ": " + refused->detail;
  return {};
}

std::string module_calls::map_room(size_t bytes) {
  auto& client = process_.client;
  const bool fits = process_.arena.fd() >= 0 && process_.arena.mapped_bytes() >= bytes;
  if (fits && process_.mapped_for == client.starts())
    return {};
  if (!fits)
    if (auto ok = process_.arena.prepare(bytes); !ok)
      return ok.error().detail;
  if (auto refused =
          client.map(cuda::framework_client::arena::pool, process_.arena.fd(), process_.arena.mapped_bytes()))
    return refused->detail;
  process_.mapped_for = client.starts();
  return {};
}

std::string module_calls::ready(size_t bytes) {
  auto why = load();
  return why.empty() ? map_room(bytes) : why;
}

std::string module_calls::call(framework_mode mode, const input_sets& inputs, const input_set& set, bool check,
                               nanoseconds limit, double& ns) {
  call_memory memory{request_.task, set.data, set.layout, process_.arena};
  memory.set_up(nan_poison(set.number));
  nanoseconds took{0};
  if (auto refused = process_.client.call(cuda::framework_client::program::reference,
                                          cuda::framework_client::arena::pool, mode, request_.task, set.data,
                                          set.layout, std::max<nanoseconds>(std::min(limit, left()), seconds{1}), took))
    return refused->rule + ": " + refused->detail;
  ns = static_cast<double>(took.count());
  if (!check)
    return {};
  check_options checks;
  checks.near_ties = true;
  if (auto wrong = check_call(request_.task, memory, inputs, set, checks, nullptr))
    return "it computes something else than the reference: " + wrong->detail;
  return {};
}

std::string module_calls::version() const {
  return process_.client.alive() ? process_.client.facts().at("torch") : "?";
}

void note_eager(module_process& process, judge_context& c, const judge_request& request, const request_hooks& hooks,
                std::map<std::string, std::string>& evidence) {
  if (request.task.threads) {
    evidence["eager.note"] = "the task has threads, and PyTorch is timed on one";
    return;
  }
  module_calls module{process, request, steady_clock::now() + std::chrono::milliseconds{request.baselines_ms}};
  auto admitted = request;
  admitted.candidate = request.reference; // as the admission did, whose sets are these
  input_set_maker maker{c.references.launch, c.settings, c.input_arena, c.input_cache, admitted, hooks};
  for (const auto& shape : request.task.shapes) {
    if (shape.held_out)
      continue;
    hooks.progress("eager PyTorch on " + shape.name);
    const auto inputs = maker.get(shape, edge_kind::none, "screen", {2, 2, std::chrono::milliseconds{0}});
    double ns = 0.0;
    auto why = inputs ? time_eager(module, **inputs, hooks, ns) : std::string{"its inputs are gone"};
    if (!why.empty()) {
      evidence["eager.note"] = std::move(why);
      return;
    }
    evidence["eager_ns." + shape.name] = figure(ns);
  }
}

} // namespace kevolve
