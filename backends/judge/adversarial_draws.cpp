#include "backends/judge/adversarial_draws.hpp"

#include "backends/judge/geometry.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/planned_sizes.hpp"
#include "runtime/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr double freely = 3.0; // standard deviations, see values_of()
constexpr double by_name = 6.0;
constexpr size_t most_value_draws = 384;
constexpr size_t sizes_of_a_choice = 2; // a pattern in a single element, or only beside a tail, tells nothing
constexpr size_t most_size_draws = 288;
constexpr size_t most_candidate_draws = 160;
constexpr size_t most_declared_draws = 48;
constexpr double most_declared_elements = 1 << 22;
constexpr double most_declared_work = 2e8;
constexpr uint64_t order_seed = 0xd4a3;

using choices = std::vector<value_choice>;

// Rounds towards the inside of a range to a number of few bits: sums and products of such numbers are exact, so that
// every order of them gives the same result.
double few_bits(double x, bool up) {
  constexpr double bits = 16.0;
  if (x == 0.0)
    return x;
  int exponent = 0;
  const auto mantissa = std::frexp(x, &exponent) * bits;
  return std::ldexp((up ? std::ceil(mantissa) : std::floor(mantissa)) / bits, exponent);
}

// The ends and the middle of what an argument may hold.
struct landmarks {
  double low = 0.0;
  double high = 0.0;
  double zero = 0.0; // or what lies nearest to it
};

landmarks landmarks_of(const argument& a) {
  const auto range = values_of(a, freely);
  landmarks out{range.low, range.high, std::clamp(0.0, range.low, range.high)};
  if (is_floating(a.type) && few_bits(range.low, true) <= few_bits(range.high, false)) {
    out.low = few_bits(range.low, true);
    out.high = few_bits(range.high, false);
  }
  return out;
}

bool is_chosen(const argument& a) {
  if (a.role == argument_role::scalar)
    return !a.has_value;
  return is_array(a) && is_read(a) && !a.is_static && a.fill.distribution != "offsets";
}

choices choices_for_keys() {
  constexpr double far = 0x1.0p61; // moved to the last keys that there are
  return {{value_pattern::dense, 0.0, 0.0}, {value_pattern::dense, far, 0.0}};
}

choices choices_for_samples(const argument& a) {
  choices out{{value_pattern::sorted, 0.0, 0.0}, {value_pattern::reversed, 0.0, 0.0}};
  if (a.fill.hit < 1.0)
    out.push_back({value_pattern::no_hit, 0.0, 0.0});
  if (a.fill.hit > 0.0)
    out.insert(out.end(), {{value_pattern::every_hit, 0.0, 0.0},
                           {value_pattern::one_entry, 0.0, 0.0},
                           {value_pattern::one_entry, 1.0, 0.0}});
  return out;
}

choices choices_for(const argument& a) {
  if (a.fill.distribution == "sorted_unique" && is_array(a))
    return choices_for_keys();
  if (a.fill.distribution == "sample_of" && is_array(a))
    return choices_for_samples(a);
  const auto at = landmarks_of(a);
  choices out{{value_pattern::all_equal, at.low, 0.0},
              {value_pattern::all_equal, at.high, 0.0},
              {value_pattern::all_equal, at.zero, 0.0}};
  const bool has_negative_zero = is_floating(a.type) && at.low < 0.0 && at.high > 0.0;
  if (has_negative_zero)
    out.push_back({value_pattern::all_equal, -0.0, 0.0});
  if (a.role == argument_role::scalar)
    return out;
  if (has_negative_zero)
    out.push_back({value_pattern::alternating, at.high, -0.0});
  if (at.low <= 1.0 && at.high >= 1.0)
    out.push_back({value_pattern::all_equal, 1.0, 0.0});
  out.insert(out.end(), {{value_pattern::one_hot, at.high, at.low},
                         {value_pattern::one_hot, at.low, at.high},
                         {value_pattern::one_hot, at.high, at.zero},
                         {value_pattern::alone, at.high, at.zero},
                         {value_pattern::alone, at.low, at.zero},
                         {value_pattern::alternating, at.low, at.high},
                         {value_pattern::alternating, at.high, at.zero},
                         {value_pattern::sorted, 0.0, 0.0},
                         {value_pattern::reversed, 0.0, 0.0},
                         {value_pattern::uniform, at.low, at.high},
                         {value_pattern::few_values, at.low, at.high},
                         {value_pattern::sparse, at.zero, at.high},
                         {value_pattern::heavy_tail, at.low, at.high}});
  return out;
}

// The values beside a constant that the type tells from it. Beside zero they are small numbers, but no denormal ones.
std::vector<double> neighbours(dtype type, double x, const value_range& range) {
  if (!is_floating(type))
    return {x - 1.0, x + 1.0};
  const auto step = x == 0.0 ? std::ldexp(range.high - range.low, -12) : ulp_of(type, x);
  return {x - step, x + step};
}

// An argument's choices for one constant: everywhere, once, and alternating with what lies beside it, so that a count
// of hits is all, one a row, half, and none.
choices choices_for(const argument& a, double constant) {
  if (!is_array(a) || a.fill.distribution == "sorted_unique" || a.fill.distribution == "sample_of")
    return {};
  const auto range = values_of(a, by_name);
  const auto holds = [&](double x) {
    return x >= range.low && x <= range.high && (is_floating(a.type) || x == std::floor(x));
  };
  if (!holds(constant))
    return {};
  choices out{{value_pattern::all_equal, constant, 0.0}};
  for (const auto beside : neighbours(a.type, constant, range))
    if (holds(beside)) {
      out.push_back({value_pattern::all_equal, beside, 0.0});
      out.push_back({value_pattern::one_hot, constant, beside});
      out.push_back({value_pattern::alternating, constant, beside});
    }
  const auto at = landmarks_of(a);
  for (const auto other : {at.low, at.high})
    if (other != constant) {
      out.push_back({value_pattern::one_hot, constant, other});
      out.push_back({value_pattern::alternating, constant, other});
    }
  return out;
}

template <class T>
void shuffle(std::vector<T>& xs) {
  splitmix64 random{order_seed};
  for (size_t i = xs.size(); i > 1; --i)
    std::swap(xs[i - 1], xs[random.below(i)]);
}

class value_planner {
public:
  explicit value_planner(const contract& task) : task_(task), sizes_(sizes_for_values(task)) {}

  // One argument at a time, at several sizes, then all alike, then one against the others.
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

  std::vector<adversarial_draw> of_constants(const std::vector<double>& constants) {
    for (const auto constant : constants)
      for (size_t i = 0; i < task_.arguments.size(); ++i)
        if (is_chosen(task_.arguments[i]))
          for (const auto& c : choices_for(task_.arguments[i], constant))
            add({{i, c}});
    return std::move(draws_);
  }

  // Pairs of neighbours with the same sizes and the same first element: a result that is kept by these is wrong.
  std::vector<adversarial_draw> alike_at_first() {
    for (size_t i = 0; i < task_.arguments.size(); ++i) {
      const auto& a = task_.arguments[i];
      if (!is_chosen(a) || !is_array(a) || !has_landmarks(a))
        continue;
      const auto at = landmarks_of(a);
      const auto other = at.zero < at.high ? at.zero : at.low;
      adversarial_draw first;
      first.values.resize(task_.arguments.size());
      auto second = first;
      first.values[i] = {value_pattern::all_equal, at.high, 0.0};
      second.values[i] = {value_pattern::alternating, at.high, other};
      const auto fit = std::find_if(sizes_.begin(), sizes_.end(), [&](const size_map& sizes) {
        first.sizes = second.sizes = sizes;
        return is_cheap(task_, first) && is_cheap(task_, second);
      });
      if (other < at.high && fit != sizes_.end())
        draws_.insert(draws_.end(), {first, second});
    }
    return std::move(draws_);
  }

private:
  void all_alike() {
    size_t most = 0;
    std::map<size_t, choices> each;
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

  static bool has_landmarks(const argument& a) {
    return a.role == argument_role::scalar
           || (a.fill.distribution != "sorted_unique" && a.fill.distribution != "sample_of");
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

draw_plan joined(draw_plan sizes, std::vector<adversarial_draw> values) {
  sizes.draws.insert(sizes.draws.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  shuffle(sizes.draws);
  return sizes;
}

} // namespace

std::string to_string(const contract& task, const adversarial_draw& draw) {
  std::string out;
  for (const auto& [name, size] : draw.sizes)
    out += (out.empty() ? "" : " ") + name + "=" + std::to_string(size);
  std::string values;
  for (size_t i = 0; i < draw.values.size(); ++i)
    if (draw.values[i].pattern != value_pattern::declared)
      values += (values.empty() ? "" : ", ") + task.arguments[i].name + " " + to_string(draw.values[i]);
  return values.empty() ? out : out + "; " + values;
}

draw_plan plan_draws(const contract& task, const std::vector<double>& reference_constants) {
  auto sizes = plan_sizes(task, reference_constants, true);
  sizes.draws.resize(std::min(sizes.draws.size(), most_size_draws));
  value_planner values{task};
  auto chosen = at_most(most_value_draws, values.of_contract());
  auto named = at_most(most_value_draws, values.of_constants(reference_constants));
  chosen.insert(chosen.end(), named.begin(), named.end());
  auto out = joined(std::move(sizes), std::move(chosen));
  const auto neighbours = value_planner{task}.alike_at_first(); // in front: the order counts, and time may run out
  out.draws.insert(out.draws.begin(), neighbours.begin(), neighbours.end());
  return out;
}

draw_plan plan_declared_draws(const contract& task) {
  draw_plan out;
  if (declared_sizes_only(task))
    return out;
  // The first choices of all arguments on all shapes come first.
  for (size_t k = 0, left = 1; left != 0 && out.draws.size() < most_declared_draws; ++k) {
    left = 0;
    for (size_t i = 0; i < task.arguments.size(); ++i) {
      if (!is_chosen(task.arguments[i]))
        continue;
      const auto all = choices_for(task.arguments[i]);
      if (k >= all.size())
        continue;
      ++left;
      for (const auto& shape : task.shapes) {
        adversarial_draw draw;
        draw.sizes = shape.sizes;
        draw.values.resize(task.arguments.size());
        draw.values[i] = all[k];
        const auto cost = shape.held_out ? std::nullopt : cost_of(task, draw);
        if (cost && cost->elements <= most_declared_elements && cost->work <= most_declared_work)
          out.draws.push_back(std::move(draw));
      }
    }
  }
  out.draws.resize(std::min(out.draws.size(), most_declared_draws));
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
  return joined(std::move(sizes), at_most(most_candidate_draws, value_planner{task}.of_constants(own)));
}

} // namespace kevolve
