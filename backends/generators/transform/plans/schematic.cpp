#include "backends/generators/transform/plans/schematic.hpp"

#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace kevolve::transform {

namespace {

std::string kind_of_label(const std::string& base) {
  return base.starts_with('W') ? "w" : base.starts_with('B') ? "b" : "";
}

bool is_of_kind(const stmt& s, const std::string& kind) {
  return !s.label.empty() && kind_of_label(s.label.base()) == kind;
}

// Calls f with each labelled statement and the loops around it.
template <class F>
void walk_nested(const std::vector<stmt>& body, size_t loops_around, const F& f) {
  for (const auto& s : body) {
    if (!s.label.empty())
      f(s, loops_around);
    const auto inside = loops_around + (s.kind == stmt_kind::loop ? 1U : 0U);
    walk_nested(s.body, inside, f);
    walk_nested(s.otherwise, inside, f);
  }
}

std::vector<std::string> words_of(const stmt& s, size_t loops_around, const environment& env) {
  bool holds_loop = false;
  walk(s.body, [&](const stmt& x) { holds_loop = holds_loop || x.kind == stmt_kind::loop; });
  if (s.kind != stmt_kind::loop)
    return {holds_loop ? "outer" : "inner", loops_around > 0 ? "nested" : "top"};
  std::vector<std::string> out;
  out.emplace_back(loops_around == 0 ? (holds_loop ? "outermost" : "only") : holds_loop ? "middle" : "innermost");
  out.emplace_back(facts_of(env, s.label).independent ? "independent" : "ordered");
  std::string reason;
  if (const auto sums = reductions(s, reason); sums && !sums->empty())
    out.emplace_back("reduction");
  else
    out.emplace_back(sums ? "map" : "carried");
  const auto smooth = contiguity(s);
  out.emplace_back(smooth >= 0.75 ? "contiguous" : smooth <= 0.25 ? "strided" : "mixed");
  return out;
}

std::vector<std::string> words_of_array(const std::string& name, const environment& env) {
  const auto* argument = find_argument(env.task, name);
  if (argument == nullptr)
    return {"local"};
  return {kevolve::to_string(argument->role), kevolve::to_string(argument->type),
          std::to_string(argument->shape.size()) + "d"};
}

// Gives places to labels and arrays in the order in which moves name them.
class opener {
public:
  std::string open(const std::string& argument, argument_kind kind) {
    if (kind == argument_kind::array)
      return place_of(argument, "a");
    const loop_label label{argument};
    return place_of(label.base(), kind_of_label(label.base())) + argument.substr(label.base().size());
  }
  // In the order of their first use.
  const std::vector<std::pair<std::string, std::string>>& places() const { return places_; }

private:
  std::string place_of(const std::string& label, const std::string& kind) {
    for (const auto& [place, what] : places_)
      if (what == label && read_place(place).kind == kind)
        return place;
    places_.emplace_back("_" + kind + std::to_string(++used_[kind]), label);
    return places_.back().first;
  }

  std::vector<std::pair<std::string, std::string>> places_;
  std::map<std::string, int> used_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words)
    out += " " + w;
  return out;
}

} // namespace

genome_difference difference_of(const genome& parent, const genome& child) {
  // The longest common subsequence; of equally long ones that of the earliest moves.
  std::vector<std::vector<size_t>> longest(parent.size() + 1, std::vector<size_t>(child.size() + 1, 0));
  for (size_t i = parent.size(); i-- > 0;)
    for (size_t j = child.size(); j-- > 0;)
      longest[i][j] =
          parent[i] == child[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  genome_difference out;
  size_t i = 0;
  for (size_t j = 0; j < child.size(); ++j) {
    while (i < parent.size() && parent[i] != child[j] && longest[i + 1][j] == longest[i][j])
      ++i;
    if (i < parent.size() && parent[i] == child[j]) {
      out.common.push_back(child[j]);
      ++i;
    } else
      out.added.push_back(child[j]);
  }
  return out;
}

std::string stage_of(const program& p) {
  bool vectors = false;
  walk(p.body, [&](const stmt& s) { vectors = vectors || s.lanes > 1; });
  return vectors ? "vectors" : "scalar";
}

std::vector<described_place> places_of(const program& p, const environment& env, const std::string& kind) {
  std::vector<described_place> out;
  std::set<std::string> seen;
  if (kind == "a") {
    walk_exprs(p.body, [&](const expr& e) {
      if (e.kind == expr_kind::subscript)
        if (const auto name = root_of(e); !name.empty() && seen.insert(name).second)
          out.push_back({name, words_of_array(name, env)});
    });
    return out;
  }
  walk_nested(p.body, 0, [&](const stmt& s, size_t loops_around) {
    if (is_of_kind(s, kind) && s.label.is_original() && seen.insert(s.label.base()).second)
      out.push_back({s.label.base(), words_of(s, loops_around, env)});
  });
  return out;
}

std::set<std::pair<std::string, std::string>> nested_places(const program& p) {
  std::set<std::pair<std::string, std::string>> out;
  walk(p.body, [&](const stmt& s) {
    if (!s.label.empty())
      walk(s.body, [&](const stmt& x) {
        if (!x.label.empty() && x.label.is_original() && x.label.base() != s.label.base())
          out.emplace(x.label.base(), s.label.base());
      });
  });
  return out;
}

distilled_moves schematic_of(const genome& moves, const program& before, const environment& env) {
  opener open;
  genome out;
  for (const auto& m : moves) {
    const auto* what = find_move(m.name);
    auto& made = out.emplace_back(m);
    for (size_t i = 0; what != nullptr && i < made.args.size() && i < what->takes.size(); ++i) {
      const auto kind = what->takes[i].kind;
      if (kind == argument_kind::loop || kind == argument_kind::branch || kind == argument_kind::array)
        made.args[i] = open.open(m.args[i], kind);
    }
  }
  distilled_moves step{to_string(out), stage_of(before)};
  for (const auto& [place, label] : open.places())
    for (const auto& d : places_of(before, env, read_place(place).kind))
      if (d.label == label)
        step.pattern += "; " + place + ":" + joined(d.words);
  const auto nested = nested_places(before);
  for (const auto& [inner, label] : open.places())
    for (const auto& [outer, around] : open.places())
      if (nested.contains({label, around}))
        step.pattern += "; " + inner + " in " + outer;
  return step;
}

open_place read_place(const std::string& argument) {
  size_t at = 1;
  if (argument.size() < 2 || argument[0] != '_')
    return {};
  std::string kind;
  if (argument[at] == 'w' || argument[at] == 'b' || argument[at] == 'a')
    kind = argument[at++];
  const auto digits = at;
  while (at < argument.size() && std::isdigit(static_cast<unsigned char>(argument[at])) != 0)
    ++at;
  if (at == digits)
    return {};
  return {argument.substr(0, at), kind, argument.substr(at)};
}

} // namespace kevolve::transform

namespace kevolve {

std::string moves_problem(const std::string& moves) {
  const auto list = transform::parse_genome(moves);
  if (!list)
    return "'" + moves.substr(0, 60) + "' is no list of moves";
  for (const auto& m : *list)
    if (const auto* known = transform::find_move(m.name); known == nullptr)
      return "there is no move '" + m.name + "'";
  return {};
}

} // namespace kevolve

namespace kevolve::transform {

place_pattern parse_pattern(const std::string& text) {
  place_pattern out;
  std::istringstream parts{text};
  for (std::string part; std::getline(parts, part, ';');) {
    std::istringstream words{part};
    std::string first;
    words >> first;
    std::vector<std::string> rest;
    for (std::string w; words >> w;)
      rest.push_back(w);
    if (first.ends_with(':'))
      out.words[first.substr(0, first.size() - 1)] = std::move(rest);
    else if (rest.size() == 2 && rest[0] == "in")
      out.inside.emplace_back(first, rest[1]);
    else if (!first.empty())
      out.stage = first;
  }
  return out;
}

} // namespace kevolve::transform
