// Sequences whose moves pay only together, read off the shape of a nest: what single steps would hardly find.
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

namespace {

std::vector<std::vector<genome>> plans_of(const program& reference, const environment& env) {
  std::vector<std::vector<genome>> out{nest_by_nest(reference, env), wholes(reference, env)};
  const auto add_blocks = [&](const genome& first, const program& now) {
    auto some = blocks(reference, first, now, env);
    std::move(some.begin(), some.end(), std::back_inserter(out));
  };
  add_blocks({}, reference);
  for (auto& more : {counted(reference, env), copies(reference, env), batches(reference, env), scans(reference, env)})
    out.push_back(more);
  // Between the borders of a padded window no guard is in the way.
  for (const auto& c : possible(reference, env, &moves::peel)) {
    auto inside = reference;
    if (apply(inside, c.what, env))
      add_blocks({c.what}, inside);
  }
  auto bisected = reference;
  if (const auto halves = halved(reference, bisected, env); !halves.empty())
    out.push_back(searches(reference, halves, bisected, env));
  auto inside = reference;
  if (const auto clipped = unclamped(reference, inside, env); !clipped.empty()) {
    add_blocks(clipped, inside);
    out.push_back(rows_of_vectors(reference, clipped, inside, env));
  }
  return out;
}

bool is_around(const program& p, const std::string& outer, const std::string& inner) {
  bool out = false;
  walk(p.body, [&](const stmt& s) {
    if (s.label.text() == outer)
      walk(s.body, [&](const stmt& x) { out = out || x.label.text() == inner; });
  });
  return out;
}

// A program that some moves have made of the reference.
struct beginning {
  genome moves;
  program made;
};

// Adds products of three matrices in their cheaper order; loops around both products are joined first.
void reassociate(const beginning& from, const environment& env, int most_joined, std::vector<beginning>& out) {
  const auto before = out.size();
  const auto go_on = [&](const move& m) -> std::optional<beginning> {
    auto next = from;
    next.moves.push_back(m);
    return apply(next.made, m, env) ? std::optional{std::move(next)} : std::nullopt;
  };
  for (const auto& c : possible(from.made, env, &moves::reassociate))
    if (auto next = go_on(c.what))
      out.push_back(std::move(*next));
  if (out.size() > before || most_joined == 0)
    return;
  for (const auto& c : possible(from.made, env, &moves::fuse)) {
    const bool is_inside = from.moves.empty() || is_around(from.made, from.moves.back().args[0], c.what.args[0]);
    if (auto next = is_inside ? go_on(c.what) : std::nullopt)
      reassociate(*next, env, most_joined - 1, out);
  }
}

} // namespace

std::vector<std::vector<genome>> plans(const program& reference, const environment& env) {
  std::vector<std::vector<genome>> out;
  const auto add_idea = [&](const genome& first, std::vector<genome> idea) {
    for (auto& g : idea)
      g.insert(g.begin(), first.begin(), first.end());
    if (!idea.empty())
      out.push_back(std::move(idea));
  };
  const auto add_after = [&](const genome& first, const program& made) {
    for (auto& idea : plans_of(made, env))
      add_idea(first, std::move(idea));
  };
  std::vector<beginning> cheaper;
  reassociate({{}, reference}, env, 2, cheaper);
  for (const auto& b : cheaper) {
    const auto before = out.size();
    for (auto idea : {nest_by_nest(b.made, env), wholes(b.made, env)}) // both products at once
      add_idea(b.moves, std::move(idea));
    if (out.size() == before)
      add_after(b.moves, b.made);
  }
  add_after({}, reference);
  std::vector<genome> beginnings;
  for (const auto block : {std::optional<int64_t>{}, std::optional<int64_t>{0}, std::optional<int64_t>{128}}) {
    auto finished = reference;
    auto first = finish_all(finished, env.task, block);
    for (const auto& m : genome(first)) // what is looked for over a border's shorter rest
      if (auto cut = made(moves::clip, {m.args[0]}); is(m, moves::first) && apply(finished, cut, env))
        first.push_back(std::move(cut));
    if (first.empty() || std::find(beginnings.begin(), beginnings.end(), first) != beginnings.end())
      continue;
    beginnings.push_back(first);
    out.push_back({first});
    add_after(first, finished);
  }
  std::erase_if(out, [](const auto& sequences) { return sequences.empty(); });
  return out;
}

} // namespace kevolve::transform
