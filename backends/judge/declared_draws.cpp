#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/geometry.hpp"
#include "backends/judge/pattern_choices.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve {

namespace {

// All of them together: a second or so of a plain reference, and its arrays in double.
constexpr double most_elements = 1 << 24;
constexpr double most_work = 3e8;

using choice_by_argument = std::vector<std::pair<size_t, value_choice>>;

adversarial_draw draw_of(const contract& task, const shape_case& shape, const choice_by_argument& chosen) {
  adversarial_draw draw;
  draw.sizes = shape.sizes;
  draw.held_out = shape.held_out;
  draw.values.resize(task.arguments.size());
  for (const auto& [i, c] : chosen)
    draw.values[i] = c;
  return draw;
}

class declared_planner {
public:
  // Lengths at their ends make arrays larger than the declared ones; `lengths` says whether they are chosen.
  declared_planner(const contract& task, bool lengths) : task_(task) {
    for (size_t i = 0; i < task.arguments.size(); ++i)
      if (const auto& a = task.arguments[i]; is_chosen(a) && (lengths || a.fill.distribution != fill_name::lengths))
        chosen_.emplace_back(i, telling_choices(a));
  }

  draw_plan run() {
    constexpr size_t at_each_shape = 2;
    for (const auto& shape : task_.shapes)
      for (size_t k = 0; k < at_each_shape && !chosen_.empty(); ++k)
        add(draw_of(task_, shape, all_alike(k)));
    plan_.least = plan_.draws.size();
    size_t most = 0;
    for (const auto& [i, choices] : chosen_)
      most = std::max(most, choices.size());
    // The first two choices of an argument follow each other: a result that is kept by a part of the input is wrong.
    for (size_t k = 0; k < most; k += 2)
      for (const auto& shape : task_.shapes) {
        for (const auto& [i, choices] : chosen_)
          for (size_t n = k; n < std::min(k + 2, choices.size()); ++n)
            add(draw_of(task_, shape, {{i, choices[n]}}));
        if (chosen_.size() > 1)
          add(draw_of(task_, shape, all_alike(k)));
      }
    return std::move(plan_);
  }

  // Equal values come first, then one element of each argument that differs, a constant of the sources, and the other
  // end of the ranges.
  std::vector<adversarial_draw> telling(const shape_case& shape, const std::vector<double>& constants) const {
    constexpr size_t low_end = 4; // of telling_choices()
    if (chosen_.empty())
      return {};
    std::vector<adversarial_draw> out{draw_of(task_, shape, all_alike(0)), draw_of(task_, shape, all_alike(1))};
    for (auto& draw : named_in(shape, constants))
      out.push_back(std::move(draw));
    out.push_back(draw_of(task_, shape, all_alike(low_end)));
    std::erase_if(out, [this](const auto& draw) { return !cost_of(task_, draw); });
    return out;
  }

  // A draw of the first constant that an array may hold, if there is one.
  std::vector<adversarial_draw> named_in(const shape_case& shape, const std::vector<double>& constants) const {
    std::vector<adversarial_draw> out;
    if (const auto named = of_constant(shape, constants))
      out.push_back(draw_of(task_, shape, {*named}));
    std::erase_if(out, [this](const auto& draw) { return !cost_of(task_, draw); });
    return out;
  }

private:
  choice_by_argument all_alike(size_t k) const {
    choice_by_argument out;
    for (const auto& [i, choices] : chosen_)
      out.emplace_back(i, choices[k % choices.size()]);
    return out;
  }

  // Returns a choice of the first constant that an array may hold; the largest array that may.
  std::optional<std::pair<size_t, value_choice>> of_constant(const shape_case& shape,
                                                             const std::vector<double>& constants) const {
    const auto elements = [&](const argument& a) {
      const auto g = resolve_geometry(a, shape.sizes, [](const std::string&) -> result<int64_t> { return 1; });
      return g ? g->count : 0;
    };
    for (const auto constant : constants) {
      if (constant == 0.0 || constant == 1.0) // every source names these, and the ends of a range have them mostly
        continue;
      std::optional<std::pair<size_t, value_choice>> found;
      int64_t most = 0;
      for (const auto& [i, ignored] : chosen_)
        if (const auto choices = choices_of_constant(task_.arguments[i], constant); !choices.empty())
          if (const auto count = elements(task_.arguments[i]); count > most) {
            most = count;
            found.emplace(i, choices.front());
          }
      if (found)
        return found;
    }
    return std::nullopt;
  }

  void add(adversarial_draw draw) {
    if (std::find(plan_.draws.begin(), plan_.draws.end(), draw) != plan_.draws.end())
      return;
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
  return declared_planner{task, true}.run();
}

namespace {

// Plans draws of each shape for which the declared draws are too few; `draws_of(planner, shape)` makes them.
template <class F>
std::vector<draw_plan> plan_of_large_shapes(const contract& task, size_t always, F draws_of) {
  constexpr std::ptrdiff_t enough = 4;
  const auto affordable = plan_declared_draws(task).draws;
  const declared_planner planner{task, false};
  std::vector<draw_plan> out;
  for (const auto& shape : task.shapes) {
    const auto there = std::count_if(affordable.begin(), affordable.end(), [&](const auto& draw) {
      return draw.sizes == shape.sizes && draw.held_out == shape.held_out;
    });
    if (there >= enough)
      continue;
    draw_plan plan;
    plan.draws = draws_of(planner, shape);
    std::erase_if(plan.draws, [&](const auto& draw) {
      return std::find(affordable.begin(), affordable.end(), draw) != affordable.end();
    });
    plan.least = std::min(always, plan.draws.size());
    if (!plan.draws.empty())
      out.push_back(std::move(plan));
  }
  return out;
}

} // namespace

std::vector<draw_plan> plan_large_draws(const contract& task, const std::vector<double>& constants) {
  constexpr size_t always = 2; // as many again as the sets that a shape has anyway would double its cost
  return plan_of_large_shapes(task, always, [&](const declared_planner& planner, const shape_case& shape) {
    return planner.telling(shape, constants);
  });
}

std::vector<draw_plan> plan_large_constants(const contract& task, const std::vector<double>& constants) {
  if (constants.empty())
    return {};
  return plan_of_large_shapes(task, 1, [&](const declared_planner& planner, const shape_case& shape) {
    return planner.named_in(shape, constants);
  });
}

} // namespace kevolve
