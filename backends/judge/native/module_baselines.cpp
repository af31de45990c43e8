#include "backends/judge/native/module_baselines.hpp"

#include "backends/framework/framework_source.hpp"
#include "backends/judge/baseline_pairs.hpp"
#include "backends/judge/call_check.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

using cuda::framework_mode;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::array modes{framework_mode::eager, framework_mode::compiled, framework_mode::max_autotune};
constexpr size_t wanted_pairs = 21;
constexpr auto first_call_limit = seconds{60};     // loads code
constexpr auto compiled_call_limit = seconds{150}; // is traced, compiled and tuned
constexpr auto call_limit = seconds{20};
constexpr auto pairs_limit = seconds{20}; // of one baseline on one shape

} // namespace

nanoseconds module_baselines::left() const {
  return until_ - steady_clock::now();
}

// Returns why the module's process cannot be used; empty: it is loaded.
std::string module_baselines::start() {
  const auto source = unpack_framework(request_.module);
  if (!source)
    return "the module does not arrive whole";
  auto& client = module_.client;
  if (!client.alive())
    if (auto started = client.start(module_.options); !started)
      return started.error().detail;
  if (auto refused = client.load(cuda::framework_client::program::reference, *source))
    return refused->rule + ": " + refused->detail;
  return {};
}

std::string module_baselines::map_room(size_t bytes) {
  auto& client = module_.client;
  const bool fits = module_.arena.fd() >= 0 && module_.arena.mapped_bytes() >= bytes;
  if (fits && module_.mapped_for == client.starts())
    return {};
  if (!fits)
    if (auto ok = module_.arena.prepare(bytes); !ok)
      return ok.error().detail;
  if (auto refused = client.map(cuda::framework_client::arena::pool, module_.arena.fd(), module_.arena.mapped_bytes()))
    return refused->detail;
  module_.mapped_for = client.starts();
  return {};
}

std::string module_baselines::call(framework_mode mode, const input_sets& pool, const input_set& set, bool check,
                                   nanoseconds limit, double& ns) {
  call_memory memory{request_.task, set.data, set.layout, module_.arena};
  memory.set_up(nan_poison(set.number));
  nanoseconds took{0};
  if (auto refused = module_.client.call(cuda::framework_client::program::reference,
                                         cuda::framework_client::arena::pool, mode, request_.task, set.data, set.layout,
                                         std::max<nanoseconds>(std::min(limit, left()), seconds{1}), took))
    return refused->rule + ": " + refused->detail;
  ns = static_cast<double>(took.count());
  if (!check)
    return {};
  check_options checks;
  checks.near_ties = true;
  if (auto wrong = check_call(request_.task, memory, pool, set, checks, nullptr))
    return "it computes something else than the reference: " + wrong->detail;
  return {};
}

attempt<baseline_figure> module_baselines::on_shape(framework_mode mode, size_t index) {
  const auto name = cuda::baseline_name(mode);
  const auto& shape = comparison_.shapes()[index];
  const auto& pool = *shape.pool;
  hooks_.progress(name + " on " + pool.shape.name);
  if (auto why = start(); !why.empty()) // a call that was too long has ended the process
    return untimed(name, why);
  if (auto why = map_room(pool.largest_layout()); !why.empty())
    return untimed(name, why);
  double ns = 0.0;
  const auto first_limit = mode == framework_mode::eager ? first_call_limit : compiled_call_limit;
  if (left() <= seconds{1})
    return untimed(name, "no time left");
  if (auto why = call(mode, pool, pool.sets.front(), true, first_limit, ns); !why.empty())
    return untimed(name, why);
  std::vector<double> theirs;
  std::vector<double> ours;
  const auto end = std::min(until_, steady_clock::now() + pairs_limit);
  while (ours.size() < wanted_pairs && steady_clock::now() < end && !hooks_.cancelled()) {
    auto set = comparison_.next_set(index);
    if (!set)
      return tl::unexpected(set.error());
    const bool candidate_first = comparison_.draw_candidate_first();
    for (int turn = 0; turn < 2; ++turn)
      if ((turn == 0) == candidate_first) {
        auto took = processes_.call(timed_side::candidate, shape, index, **set, call_purpose::timed);
        if (!took)
          return tl::unexpected(took.error());
        ours.push_back(took->ns);
      } else if (auto why = call(mode, pool, **set, false, call_limit, ns); !why.empty())
        return untimed(name, why);
      else
        theirs.push_back(ns);
  }
  const auto own = processes_.call_overhead();
  if (!own)
    return tl::unexpected(own.error());
  return figure_of_pairs(name, theirs, without_overhead(ours, *own));
}

attempt<baseline_figure> module_baselines::against(framework_mode mode) {
  std::vector<shape_baseline> shapes;
  for (size_t i = 0; i < comparison_.shapes().size(); ++i) {
    const auto& shape = comparison_.shapes()[i].pool->shape;
    if (shape.held_out)
      continue;
    auto one = on_shape(mode, i);
    if (!one)
      return one;
    shapes.push_back({std::move(*one), shape.weight});
  }
  return over_shapes(shapes);
}

attempt<void> module_baselines::run(std::map<std::string, std::string>& evidence) {
  until_ = steady_clock::now() + milliseconds{request_.baselines_ms};
  baseline_figures all;
  if (request_.task.threads)
    all.push_back(untimed("PyTorch", "the task has threads, and PyTorch is timed on one"));
  else if (auto why = start(); !why.empty())
    all.push_back(untimed("PyTorch", why));
  else
    for (const auto mode : modes) {
      auto figure = against(mode);
      if (!figure)
        return tl::unexpected(figure.error());
      all.push_back(std::move(*figure));
    }
  note_baselines(evidence, all);
  evidence["baselines.conditions"] =
      "one thread, the candidate's core, fresh inputs each pair; weights lie in the module and are prepared by neither "
      "side; each timed call of PyTorch follows one on the same inputs; of each call of the candidate's, "
      "the time of an empty one is taken off; PyTorch "
      + std::string{module_.client.alive() ? module_.client.facts().at("torch") : "?"};
  return {};
}

} // namespace kevolve
