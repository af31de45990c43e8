// Selections on made-up trees, folded into one number: a replay asks the policies again with the recorded seeds, so
// that what a seed selects must not change.
#include "actors/search/policy.hpp"
#include "runtime/base/ids.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace kevolve;

namespace {

// Returns nine digits: the last bits of a logarithm are the C library's.
std::string digits(double x) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", x);
  return buffer;
}

std::string text_of(const selection& s) {
  std::string out = s.policy + " " + s.memory + (s.draft ? " draft " : " ") + std::to_string(s.draft_index);
  for (auto p : s.parents)
    out += " " + std::to_string(p);
  for (const auto& [name, value] : s.statistics)
    out += " " + name + "=" + digits(value);
  return out + "\n";
}

// Returns a tree grown by its own selections, some of which fail, stay in flight, repeat another candidate or bring
// nothing. With `cells`, candidates have islands and behaviours.
std::string grown(const policy_options& options, uint64_t steps, bool cells = false) {
  search_tree t;
  std::string out;
  for (uint64_t i = 0; i < steps; ++i) {
    const auto s = select(t, options, 0x9e3779b97f4a7c15ULL * (i + 1));
    out += text_of(s);
    const auto index = cells ? add(t, s) : t.add(s.parents, s.draft);
    const auto fate = (index * 2654435761U) % 11;
    if (fate == 0)
      continue;
    node_outcome o{
        {{1.0 + static_cast<double>((index * 7919) % 13) / 8.0, 0.0, 0.0}, verdict::pass, false}, false, true};
    if (fate <= 2)
      o = {{{0.0, 0.0, 0.0}, verdict::wrong_result, false}, false};
    else if (fate == 3)
      o = {};
    else if (fate == 4 && index > 2)
      o.duplicate_of = 1;
    o.ci_low = o.speedup * 0.99;
    o.ci_high = o.speedup * 1.01;
    if (cells)
      o.behaviour = {static_cast<uint8_t>(1 + index % 4), static_cast<uint8_t>(1 + index % 3), 1, 0};
    t.finish(index, o);
    if (cells && index % 5 == 0)
      t.characterise(index, 3, static_cast<uint8_t>(1 + index % 6));
  }
  return out;
}

} // namespace

TEST_CASE("a recorded seed still selects the same nodes") {
  policy_options mixed;
  mixed.spreads = false; // as in campaigns of that time
  mixed.policies = {{"greedy", 0.3}, {"random", 0.2}, {"uct", 0.5}};
  mixed.combine = 0.4;
  mixed.drafts = 5;
  policy_options steered = mixed;
  steered.pinned = {3, 9};
  steered.banned = {7, 12};
  steered.given = 2;
  policy_options defaults;
  defaults.policies = {{"uct", 1.0}}; // the default of that time
  defaults.spreads = false;
  std::string all;
  for (const auto* o : {&mixed, &steered, &defaults})
    all += grown(*o, 300);
  for (const auto* name : {"greedy", "random", "uct", "annealing"}) { // the last is no policy
    policy_options only;
    only.spreads = false;
    only.policies = {{name, 1.0}};
    only.widening = 0.7;
    all += grown(only, 150);
  }
  CHECK(sha256_hex(all) == "4c131f0d721dd8f269014e98728e52ebe8cde50c8f30dd411f49f4eca392adc5");
}

TEST_CASE("a recorded seed still selects the same nodes on islands and cells, by all axes") {
  policy_options islands;
  islands.policies = {{"evolution", 1.0}};
  islands.evolution.elites = 0.5;
  islands.evolution.reseed_after = 20;
  const policy_options defaults; // adaptive
  const auto all = grown(islands, 400, true) + grown(defaults, 400, true);
  CHECK(sha256_hex(all) == "c40f25af4b73f74e2b3ac049de40f820a433606a6c4ad3a84ae753501096e66d");
}
