// Sequences whose moves pay only together, read off the shape of a nest: what single steps would hardly find.
#include "backends/generators/transform/moves/finish_all.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

namespace {

std::vector<std::vector<genome>> plans_of(const program& reference, const environment& env) {
  std::vector<std::vector<genome>> out{
      nest_by_nest(reference, env), wholes(reference, env), blocks(reference, {}, reference, env),
      counted(reference, env),      copies(reference, env), batches(reference, env),
      scans(reference, env)};
  // Between the borders of a padded window no guard is in the way.
  for (const auto& c : possible(reference, env, &moves::peel)) {
    auto inside = reference;
    if (apply(inside, c.what, env))
      out.push_back(blocks(reference, {c.what}, inside, env));
  }
  auto bisected = reference;
  if (const auto halves = halved(reference, bisected, env); !halves.empty())
    out.push_back(searches(reference, halves, bisected, env));
  auto inside = reference;
  if (const auto clipped = unclamped(reference, inside, env); !clipped.empty()) {
    out.push_back(blocks(reference, clipped, inside, env));
    out.push_back(rows_of_vectors(reference, clipped, inside, env));
  }
  return out;
}

} // namespace

std::vector<std::vector<genome>> plans(const program& reference, const environment& env) {
  auto out = plans_of(reference, env);
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
    for (auto& sequences : plans_of(finished, env)) {
      for (auto& g : sequences)
        g.insert(g.begin(), first.begin(), first.end());
      out.push_back(std::move(sequences));
    }
  }
  std::erase_if(out, [](const auto& sequences) { return sequences.empty(); });
  return out;
}

} // namespace kevolve::transform
