#include "backends/generators/transform/plans/suggested.hpp"

#include "backends/generators/transform/plans/schematic.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kevolve::transform {

namespace {

constexpr size_t most_steps = 4;       // of a suggestion
constexpr size_t most_tried = 12;      // choices of places whose moves are applied
constexpr size_t most_choices = 3'000; // of places
constexpr double least_like = 0.5;     // share of a place's words that must agree
constexpr double least_applied = 0.6;  // share of the moves that must apply
constexpr double least_weight = 0.01;  // so that each can be drawn
constexpr double trial_factor = 0.5;   // of the weight of what is not proven
constexpr double not_described = 0.75; // likeness of a place about which the pattern says nothing

// One choice of places: what each stands for, and how like it is, from 0 to 1.
struct chosen_places {
  std::map<std::string, std::string> labels;
  double like = 1.0;
  size_t order = 0; // in which it was found: of equally like ones the first in the program counts
};

double likeness(const std::vector<std::string>& wanted, const std::vector<std::string>& words) {
  if (wanted.empty())
    return not_described;
  const auto agree = std::count_if(wanted.begin(), wanted.end(), [&](const auto& w) {
    return std::find(words.begin(), words.end(), w) != words.end();
  });
  return static_cast<double>(agree) / static_cast<double>(wanted.size());
}

// Chooses places for one suggestion, depth first; lives for one question.
class chooser {
public:
  chooser(const program& p, const environment& env, const place_pattern& pattern, const genome& moves)
      : nested_(nested_places(p)), pattern_(pattern) {
    for (const auto& m : moves)
      for (const auto& a : m.args)
        if (const auto place = read_place(a);
            !place.place.empty() && std::find(order_.begin(), order_.end(), place.place) == order_.end()) {
          order_.push_back(place.place);
          if (!there_.contains(place.kind))
            there_[place.kind] = places_of(p, env, place.kind);
        }
  }

  // Returns the places, the best first.
  std::vector<chosen_places> run() {
    choose(0, {});
    std::sort(found_.begin(), found_.end(), [](const chosen_places& a, const chosen_places& b) {
      return a.like != b.like ? a.like > b.like : a.order < b.order;
    });
    return std::move(found_);
  }

private:
  bool nests_as_wanted(const chosen_places& so_far) const {
    return std::all_of(pattern_.inside.begin(), pattern_.inside.end(), [&](const auto& pair) {
      const auto inner = so_far.labels.find(pair.first);
      const auto outer = so_far.labels.find(pair.second);
      return inner == so_far.labels.end() || outer == so_far.labels.end()
             || nested_.contains({inner->second, outer->second});
    });
  }

  void choose(size_t at, const chosen_places& so_far) {
    if (found_.size() >= most_choices)
      return;
    if (at == order_.size()) {
      found_.push_back(so_far);
      found_.back().order = found_.size();
      return;
    }
    const auto& place = order_[at];
    const auto wanted = pattern_.words.find(place);
    for (const auto& d : there_.at(read_place(place).kind)) {
      const bool is_taken = std::any_of(so_far.labels.begin(), so_far.labels.end(),
                                        [&](const auto& taken) { return taken.second == d.label; });
      const auto like = likeness(wanted == pattern_.words.end() ? std::vector<std::string>{} : wanted->second, d.words);
      if (is_taken || like < least_like)
        continue;
      auto next = so_far;
      next.labels[place] = d.label;
      next.like *= like;
      if (nests_as_wanted(next))
        choose(at + 1, next);
    }
  }

  std::set<std::pair<std::string, std::string>> nested_;
  const place_pattern& pattern_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<described_place>> there_; // by kind
  std::vector<chosen_places> found_;
};

move placed(move m, const chosen_places& at) {
  for (auto& a : m.args)
    if (const auto place = read_place(a); !place.place.empty())
      if (const auto label = at.labels.find(place.place); label != at.labels.end())
        a = label->second + place.part;
  return m;
}

genome what_applies(const genome& moves, const chosen_places& at, program p, const environment& env) {
  genome out;
  for (const auto& open : moves) {
    auto m = placed(open, at);
    const auto names = p.taken.size();
    if (apply(p, m, env))
      out.push_back(std::move(m));
    else
      p.taken.resize(names);
  }
  return out;
}

void add_steps(const move_suggestion& s, const program& p, const environment& env, std::vector<suggested_step>& out) {
  const auto moves = parse_genome(s.moves);
  const auto pattern = parse_pattern(s.pattern);
  if (!moves || moves->empty() || (!pattern.stage.empty() && pattern.stage != stage_of(p)))
    return;
  std::vector<suggested_step> steps;
  size_t tried = 0;
  for (const auto& at : chooser{p, env, pattern, *moves}.run()) {
    if (steps.size() == most_steps || tried++ == most_tried)
      break;
    auto applied = what_applies(*moves, at, p, env);
    const auto share = static_cast<double>(applied.size()) / static_cast<double>(moves->size());
    const bool is_new =
        std::none_of(steps.begin(), steps.end(), [&](const suggested_step& x) { return x.moves == applied; });
    if (!applied.empty() && share >= least_applied && is_new)
      steps.push_back({s.name, std::move(applied), at.like * share});
  }
  double all = 0.0;
  for (const auto& x : steps)
    all += x.weight;
  for (auto& x : steps) { // the suggestion's weight is shared among its places
    x.weight *= (s.is_trial ? trial_factor : 1.0) * std::max(s.weight, least_weight) / all;
    out.push_back(std::move(x));
  }
}

} // namespace

std::vector<suggested_step> suggested_steps(const std::vector<move_suggestion>& from, const program& p,
                                            const environment& env) {
  std::vector<suggested_step> out;
  for (const auto& s : from)
    add_steps(s, p, env, out);
  return out;
}

const suggested_step* most_promising(const std::vector<const suggested_step*>& among) {
  return *std::max_element(among.begin(), among.end(),
                           [](const auto* a, const auto* b) { return a->weight < b->weight; });
}

const suggested_step* drawn(const std::vector<const suggested_step*>& among, splitmix64& random) {
  double total = 0.0;
  for (const auto* s : among)
    total += s->weight * s->weight;
  auto at = random.uniform() * total;
  return *std::find_if(among.begin(), among.end() - 1,
                       [&](const suggested_step* s) { return (at -= s->weight * s->weight) <= 0.0; });
}

} // namespace kevolve::transform
