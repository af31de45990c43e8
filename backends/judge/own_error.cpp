#include "backends/judge/own_error.hpp"

#include "backends/judge/test_set.hpp"
#include "backends/judge/work_clock.hpp"

#include <algorithm>

namespace kevolve {

void add_own_errors(const contract& task, const input_sets& inputs, const input_set& set,
                    std::vector<tolerance_need>& needs) {
  for (size_t i = 0; i < task.arguments.size() && i < set.reference_output.size(); ++i) {
    const auto& own = set.reference_output[i];
    if (!is_floating(task.arguments[i].type) || own.empty() || set.expected[i].values.empty())
      continue;
    add_draw(needs[i], task.arguments[i].type, own.data(), set.expected[i], counted_elements(task, set, i),
             rule_for_output(task, inputs, set, i), inputs.edge == edge_kind::none);
  }
}

attempt<void> add_own_errors(input_set_maker& maker, const judge_request& request, std::chrono::milliseconds patience,
                             std::vector<tolerance_need>& needs) {
  const auto bare = without_absolute(request.task);
  const auto note = [&](const input_sets& inputs, const input_set& set) {
    if (find_not_finite(request.task, set).which.empty())
      add_own_errors(bare, inputs, set, needs);
  };
  std::vector<std::shared_ptr<const input_sets>> all;
  for (const auto& shape : request.task.shapes) {
    auto inputs = maker.get(shape, edge_kind::none, "screen", {2, 2, std::chrono::milliseconds{0}});
    if (!inputs)
      return tl::unexpected<evaluation_error>(inputs.error());
    work_clock clock;
    const auto before = maker.worked();
    size_t draws = 0;
    for (const auto& set : (*inputs)->sets) {
      note(**inputs, set);
      ++draws;
    }
    while (draws < own_draws && clock.spent() + (maker.worked() - before) < patience) {
      auto set = maker.make_set(shape, fresh_draw(request), true, nullptr, nullptr);
      if (!set)
        return tl::unexpected<evaluation_error>(set.error());
      note(**inputs, *set);
      ++draws;
    }
    all.push_back(std::move(*inputs));
  }
  const auto least = std::min_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a->largest_layout() < b->largest_layout(); });
  for (auto i = all.begin(); i != all.end(); ++i)
    for (const auto edge : edges_of(request.task)) {
      if (edge == edge_kind::cancellation && request.oracle.empty())
        continue;
      auto inputs = i == least ? edge_on_smallest(maker, (*i)->shape, edge) : edge_on_larger(maker, (*i)->shape, edge);
      if (!inputs)
        return tl::unexpected<evaluation_error>(inputs.error());
      for (const auto& set : (*inputs)->sets)
        note(**inputs, set);
    }
  return {};
}

} // namespace kevolve
