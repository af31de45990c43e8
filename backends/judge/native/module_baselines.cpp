#include "backends/judge/native/module_baselines.hpp"

#include "backends/judge/baseline_pairs.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using cuda::framework_mode;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr size_t wanted_pairs = 21;
constexpr auto first_call_limit = seconds{60};     // loads code
constexpr auto compiled_call_limit = seconds{150}; // is traced, compiled and tuned
constexpr auto call_limit = seconds{20};
constexpr auto pairs_limit = seconds{20}; // of one baseline on one shape

} // namespace

attempt<baseline_figure> module_baselines::on_shape(framework_mode mode, size_t index) {
  const auto name = cuda::baseline_name(mode);
  const auto& shape = comparison_.shapes()[index];
  const auto& inputs = *shape.inputs;
  hooks_.progress(name + " on " + inputs.shape.name);
  if (auto why = module_.ready(inputs.largest_layout()); !why.empty()) // a call that was too long has ended the process
    return untimed(name, why);
  double ns = 0.0;
  const auto first_limit = mode == framework_mode::eager ? first_call_limit : compiled_call_limit;
  if (module_.left() <= seconds{1})
    return untimed(name, "no time left");
  if (auto why = module_.call(mode, inputs, inputs.sets.front(), true, first_limit, ns); !why.empty())
    return untimed(name, why);
  std::vector<double> theirs;
  std::vector<double> ours;
  const auto end = std::min(module_.until(), steady_clock::now() + pairs_limit);
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
      } else if (auto why = module_.call(mode, inputs, **set, false, call_limit, ns); !why.empty())
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
    const auto& shape = comparison_.shapes()[i].inputs->shape;
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
  baseline_figures all;
  if (request_.task.threads)
    all.push_back(untimed("PyTorch", "the task has threads, and PyTorch is timed on one"));
  else if (auto why = module_.load(); !why.empty())
    all.push_back(untimed("PyTorch", why));
  else
    for (const auto mode : cuda::baselines_on_core()) {
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
      + module_.version();
  return {};
}

} // namespace kevolve
