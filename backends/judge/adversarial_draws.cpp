#include "backends/judge/adversarial_draws.hpp"

#include "backends/judge/geometry.hpp"
#include "backends/judge/pattern_choices.hpp"
#include "backends/judge/planned_sizes.hpp"
#include "runtime/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t most_value_draws = 384;
constexpr size_t sizes_of_a_choice = 2; // a pattern in a single element, or only beside a tail, tells nothing
constexpr size_t most_size_draws = 288;
constexpr size_t most_candidate_draws = 160;
constexpr size_t most_small_draws = 192;
constexpr uint64_t order_seed = 0xd4a3;

template <class T>
void shuffle(std::vector<T>& xs) {
  splitmix64 random{order_seed};
  for (size_t i = xs.size(); i > 1; --i)
    std::swap(xs[i - 1], xs[random.below(i)]);
}

class value_planner {
public:
  explicit value_planner(const contract& task) : task_(task), sizes_(sizes_for_values(task)) {}

  // Returns draws of one argument at a time, at several sizes, then all alike, then one against the others.
  std::vector<adversarial_draw> of_contract() {
    for (size_t i = 0; i < task_.arguments.size(); ++i)
      if (is_chosen(task_.arguments[i]))
        for (const auto& c : choices_for(task_.arguments[i]))
          for (size_t n = 0; n < sizes_of_a_choice; ++n)
            add({{i, c}});
    all_alike();
    one_against_all();
    return std::move(draws_);
  }

  // Returns draws of the values that tell most, at the smallest sizes: with a single element, most draws look alike.
  std::vector<adversarial_draw> at_small_sizes() {
    for (const auto& sizes : smallest_sizes(task_))
      for (size_t i = 0; i < task_.arguments.size(); ++i)
        if (is_chosen(task_.arguments[i]))
          for (const auto& c : telling_choices(task_.arguments[i])) {
            adversarial_draw draw;
            draw.sizes = sizes;
            draw.values = short_lengths_of(task_);
            draw.values[i] = c;
            if (is_cheap(task_, draw))
              draws_.push_back(std::move(draw));
          }
    return std::move(draws_);
  }

  std::vector<adversarial_draw> of_constants(const std::vector<double>& constants) {
    for (const auto constant : constants)
      for (size_t i = 0; i < task_.arguments.size(); ++i)
        if (is_chosen(task_.arguments[i]))
          for (const auto& c : choices_of_constant(task_.arguments[i], constant))
            add({{i, c}});
    return std::move(draws_);
  }

  // Neighbours with the same sizes that share their first element, or all elements but one: a result that is kept by
  // fewer is wrong.
  std::vector<adversarial_draw> alike_at_first() {
    for (size_t i = 0; i < task_.arguments.size(); ++i) {
      const auto& a = task_.arguments[i];
      if (!is_chosen(a) || !is_array(a) || !has_landmarks(a))
        continue;
      const auto at = landmarks_of(a);
      const auto other = at.zero < at.high ? at.zero : at.low;
      if (other >= at.high)
        continue;
      const value_choice equal{value_pattern::all_equal, at.high, 0.0};
      const value_choice mixed{value_pattern::alternating, at.middle, at.high};
      add_neighbours(i, {equal,
                         {value_pattern::alternating, at.high, other},
                         equal,
                         {value_pattern::alone, other, at.high},
                         mixed,
                         {value_pattern::but_one, at.middle, at.high},
                         mixed,
                         {value_pattern::but_one, at.middle, at.high}});
    }
    return std::move(draws_);
  }

private:
  // Adds draws of one argument's choices, one after the other, at the first sizes that allow all of them.
  void add_neighbours(size_t argument, const std::vector<value_choice>& choices) {
    for (const auto& sizes : sizes_) {
      std::vector<adversarial_draw> draws;
      for (const auto& c : choices) {
        adversarial_draw draw;
        draw.sizes = sizes;
        draw.values.resize(task_.arguments.size());
        draw.values[argument] = c;
        if (is_cheap(task_, draw))
          draws.push_back(std::move(draw));
      }
      if (draws.size() != choices.size())
        continue;
      draws_.insert(draws_.end(), draws.begin(), draws.end());
      return;
    }
  }

  void all_alike() {
    size_t most = 0;
    std::map<size_t, std::vector<value_choice>> each;
    for (size_t i = 0; i < task_.arguments.size(); ++i)
      if (is_chosen(task_.arguments[i])) {
        each[i] = choices_for(task_.arguments[i]);
        most = std::max(most, each[i].size());
      }
    for (size_t k = 0; k < most && each.size() > 1; ++k) {
      std::map<size_t, value_choice> chosen;
      for (const auto& [i, list] : each)
        chosen[i] = list[k % list.size()];
      add(chosen);
    }
  }

  void one_against_all() {
    for (size_t one = 0; one < task_.arguments.size(); ++one)
      for (const bool up : {false, true}) {
        std::map<size_t, value_choice> chosen;
        for (size_t i = 0; i < task_.arguments.size(); ++i)
          if (const auto& a = task_.arguments[i]; is_chosen(a) && has_landmarks(a)) {
            const auto at = landmarks_of(a);
            chosen[i] = {value_pattern::all_equal, (i == one) == up ? at.high : at.low, 0.0};
          }
        if (chosen.size() > 1 && chosen.contains(one))
          add(chosen);
      }
  }

  void add(const std::map<size_t, value_choice>& chosen) {
    adversarial_draw draw;
    for (const bool short_lengths : {false, true}) {
      draw.values = short_lengths ? short_lengths_of(task_) : std::vector<value_choice>(task_.arguments.size());
      for (const auto& [i, c] : chosen)
        draw.values[i] = c;
      if (placed(draw))
        return;
    }
  }

  // Adds the draw with the first of the sizes, in turn, that allow it.
  bool placed(adversarial_draw& draw) {
    for (size_t k = 0; k < sizes_.size(); ++k) {
      draw.sizes = sizes_[(next_ + k) % sizes_.size()];
      if (declared_sizes_only(task_) ? cost_of(task_, draw).has_value() : is_cheap(task_, draw)) {
        ++next_;
        draws_.push_back(std::move(draw));
        return true;
      }
    }
    return false;
  }

  const contract& task_;
  std::vector<size_map> sizes_;
  std::vector<adversarial_draw> draws_;
  size_t next_ = 0;
};

std::vector<adversarial_draw> at_most(size_t most, std::vector<adversarial_draw> draws) {
  shuffle(draws);
  draws.resize(std::min(draws.size(), most));
  return draws;
}

// Returns the power of four above the draw's cost.
int cost_class(const contract& task, const adversarial_draw& draw) {
  const auto cost = cost_of(task, draw);
  return cost ? std::ilogb(std::max({cost->work, cost->elements, 1.0})) / 2 : 0;
}

// Cheap draws come first, of every kind: a slow reference has time for a part of the plan, and for few expensive ones.
draw_plan joined(const contract& task, draw_plan sizes, std::vector<adversarial_draw> values) {
  sizes.draws.insert(sizes.draws.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  shuffle(sizes.draws);
  std::vector<std::pair<int, size_t>> ranked;
  for (const auto& draw : sizes.draws)
    ranked.emplace_back(cost_class(task, draw), ranked.size());
  std::sort(ranked.begin(), ranked.end());
  std::vector<adversarial_draw> ordered;
  for (const auto& [rank, at] : ranked)
    ordered.push_back(std::move(sizes.draws[at]));
  sizes.draws = std::move(ordered);
  return sizes;
}

} // namespace

std::string to_string(const contract& task, const adversarial_draw& draw) {
  std::string out = draw.held_out ? "a held-out shape" : "";
  for (const auto& [name, size] : draw.sizes)
    if (!draw.held_out)
      out += (out.empty() ? "" : " ") + name + "=" + std::to_string(size);
  std::string values;
  for (size_t i = 0; i < draw.values.size(); ++i)
    if (draw.values[i].pattern != value_pattern::declared)
      values += (values.empty() ? "" : ", ") + task.arguments[i].name + " " + to_string(draw.values[i]);
  const auto between = out.empty() || values.empty() ? "" : "; ";
  return out.empty() && values.empty() ? "as declared" : out + between + values;
}

draw_plan plan_draws(const contract& task, const std::vector<double>& reference_constants) {
  auto sizes = plan_sizes(task, reference_constants, true);
  sizes.draws.resize(std::min(sizes.draws.size(), most_size_draws));
  value_planner values{task};
  auto chosen = at_most(most_value_draws, values.of_contract());
  auto named = at_most(most_value_draws, values.of_constants(reference_constants));
  chosen.insert(chosen.end(), named.begin(), named.end());
  auto small = at_most(most_small_draws, value_planner{task}.at_small_sizes());
  chosen.insert(chosen.end(), small.begin(), small.end());
  auto out = joined(task, std::move(sizes), std::move(chosen));
  const auto neighbours = value_planner{task}.alike_at_first(); // in front: the order counts, and time may run out
  out.draws.insert(out.draws.begin(), neighbours.begin(), neighbours.end());
  std::vector<adversarial_draw> mixed;
  for (auto& sizes_of_draw : mixed_sizes(task))
    mixed.push_back({.sizes = std::move(sizes_of_draw), .values = short_lengths_of(task)});
  out.draws.insert(out.draws.begin() + static_cast<std::ptrdiff_t>(neighbours.size()), mixed.begin(), mixed.end());
  return out;
}

draw_plan plan_candidate_draws(const contract& task, const std::vector<double>& reference_constants,
                               const std::vector<double>& candidate_constants) {
  std::vector<double> own;
  for (const auto c : candidate_constants)
    if (std::find(reference_constants.begin(), reference_constants.end(), c) == reference_constants.end())
      own.push_back(c);
  auto sizes = plan_sizes(task, own, false);
  sizes.draws.resize(std::min(sizes.draws.size(), most_candidate_draws));
  return joined(task, std::move(sizes), at_most(most_candidate_draws, value_planner{task}.of_constants(own)));
}

} // namespace kevolve
