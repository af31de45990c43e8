#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/pattern_choices.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// All of them together: a second or so of a plain reference, and its arrays in double.
constexpr double most_elements = 1 << 24;
constexpr double most_work = 3e8;

class declared_planner {
public:
  explicit declared_planner(const contract& task) : task_(task) {
    for (size_t i = 0; i < task.arguments.size(); ++i)
      if (is_chosen(task.arguments[i]))
        chosen_.emplace_back(i, telling_choices(task.arguments[i]));
  }

  draw_plan run() {
    size_t most = 0;
    for (const auto& [i, choices] : chosen_)
      most = std::max(most, choices.size());
    // The first two choices of an argument follow each other: a result that is kept by a part of the input is wrong.
    for (size_t k = 0; k < most; k += 2)
      for (const auto& shape : task_.shapes) {
        for (const auto& [i, choices] : chosen_)
          for (size_t n = k; n < std::min(k + 2, choices.size()); ++n)
            add(shape, {{i, choices[n]}});
        if (chosen_.size() > 1)
          add(shape, all_alike(k));
      }
    return std::move(plan_);
  }

private:
  using choice_by_argument = std::vector<std::pair<size_t, value_choice>>;

  choice_by_argument all_alike(size_t k) const {
    choice_by_argument out;
    for (const auto& [i, choices] : chosen_)
      out.emplace_back(i, choices[k % choices.size()]);
    return out;
  }

  void add(const shape_case& shape, const choice_by_argument& chosen) {
    adversarial_draw draw;
    draw.sizes = shape.sizes;
    draw.held_out = shape.held_out;
    draw.values.resize(task_.arguments.size());
    for (const auto& [i, c] : chosen)
      draw.values[i] = c;
    const auto cost = cost_of(task_, draw);
    if (!cost || elements_ + cost->elements > most_elements || work_ + cost->work > most_work)
      return;
    elements_ += cost->elements;
    work_ += cost->work;
    plan_.draws.push_back(std::move(draw));
  }

  const contract& task_;
  std::vector<std::pair<size_t, std::vector<value_choice>>> chosen_;
  draw_plan plan_;
  double elements_ = 0.0;
  double work_ = 0.0;
};

} // namespace

draw_plan plan_declared_draws(const contract& task) {
  return declared_planner{task}.run();
}

} // namespace kevolve
