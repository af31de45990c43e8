// Selection policies as pure functions over the tree: greedy, uct, random, mixed by weights; and the memory
// operator of the step.
#pragma once

#include "actors/search/tree.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct policy_options {
  std::map<std::string, double> policies{{"uct", 1.0}}; // name → weight
  double exploration = 1.0;                             // c of uct
  double widening = 2.0; // a node with n visits may have up to widening * n^exponent children
  double widening_exponent = 0.5;
  double combine = 0.1; // share of steps with a second parent
  uint64_t drafts = 10; // the first so many nodes start from the root
  std::map<std::string, double> memory{{"parent", 0.5}, {"siblings", 0.2}, {"both", 0.2}, {"none", 0.1}};
  std::set<uint64_t> pinned; // may always be improved on
  std::set<uint64_t> banned; // never again, nor what was made from them
  uint64_t given = 0;        // nodes that people put into the tree: no drafts of the search's own
};

// The choice with the statistics it used: what a selection event stores.
struct selection {
  std::vector<uint64_t> parents; // the node to improve first; {0}: from the reference
  std::string policy;            // draft | greedy | uct | random
  std::string memory;            // parent | siblings | both | none
  std::map<std::string, double> statistics;
  bool draft = false;
  uint64_t draft_index = 0;
};

// Deterministic given the tree and the seed.
selection select(const search_tree& tree, const policy_options& options, uint64_t seed);

std::vector<std::string> policy_names();

// Marks the banned nodes and everything below them, by index.
std::vector<bool> banned_nodes(const search_tree& tree, const std::set<uint64_t>& banned);
// One node: banned, or below one that is.
bool is_banned(const search_tree& tree, const std::set<uint64_t>& banned, uint64_t index);

} // namespace kevolve
