// The settings of the policies, as a campaign file and people's steering give them.
#pragma once

#include "actors/search/tree_node.hpp"
#include "runtime/base/memory_operators.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace kevolve {

enum class parent_choice : uint8_t { tournament = 0, rank };

struct evolution_options {
  uint64_t islands = 2;
  uint64_t population = 12; // the fittest of an island, among whom parents are chosen
  parent_choice parents = parent_choice::tournament;
  uint64_t tournament = 3;    // entrants
  double elites = 0.2;        // share of steps from a cell's fittest
  double crossover = 0.3;     // share of steps with a second parent of the same island
  double migration = 0.05;    // share of steps whose parent is of another island
  uint64_t reseed_after = 48; // candidates begun on the weakest island since its best, after which it begins anew
  axis_set axes = all_axes;   // by which cells tell candidates apart

  bool operator==(const evolution_options&) const = default;
};

struct stall_options {
  uint64_t after = 24;   // candidates ended since the last gain, from which on the search stalls
  uint64_t broaden = 48; // candidates that `adaptive` spends on a broad search before it returns
  double restarts = 0.0; // share of steps without memory while the search stalls, at least
};

struct policy_options {
  std::map<std::string, double> policies{{"adaptive", 1.0}}; // name → weight
  double exploration = 1.0;                                  // c of uct
  double widening = 2.0; // a node with n visits may have up to widening * n^exponent children
  double widening_exponent = 0.5;
  double combine = 0.1;       // share of steps with a second parent
  uint64_t drafts = 10;       // the first so many nodes start from the root
  bool from_reference = true; // the root may be improved after the drafts, although a faster candidate is open
  std::map<std::string, double> memory{{to_string(memory_operator::parent), 0.5},
                                       {to_string(memory_operator::siblings), 0.2},
                                       {to_string(memory_operator::both), 0.2},
                                       {to_string(memory_operator::none), 0.1}};
  std::set<uint64_t> pinned; // may always be improved on
  std::set<uint64_t> banned; // never again, nor what was made from them
  uint64_t given = 0;        // nodes that people put into the tree: no drafts of the search's own
  uint64_t beam_width = 8;
  evolution_options evolution;
  stall_options stall;
  bool adapt_memory = false; // weights of the memory operators follow what each gains
  bool spreads = true;       // greedy heeds steps in flight; campaigns before record version 4 did not
};

} // namespace kevolve
