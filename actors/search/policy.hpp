// Selection: which candidate the next step improves, and what the step is shown. Pure functions over the tree. A policy
// is one class in policies/; the policies of a campaign share one tree, each with a weight.
#pragma once

#include "actors/search/tree.hpp"
#include "runtime/base/random.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct policy_options {
  std::map<std::string, double> policies{{"uct", 1.0}}; // name → weight
  double exploration = 1.0;                             // c of uct
  double widening = 2.0; // a node with n visits may have up to widening * n^exponent children
  double widening_exponent = 0.5;
  double combine = 0.1;       // share of steps with a second parent
  uint64_t drafts = 10;       // the first so many nodes start from the root
  bool from_reference = true; // the root may be improved after the drafts, although a faster candidate is open
  std::map<std::string, double> memory{{"parent", 0.5}, {"siblings", 0.2}, {"both", 0.2}, {"none", 0.1}};
  std::set<uint64_t> pinned; // may always be improved on
  std::set<uint64_t> banned; // never again, nor what was made from them
  uint64_t given = 0;        // nodes that people put into the tree: no drafts of the search's own
};

// The figures that a choice was made by, by name. A selection event stores them.
using selection_statistics = std::map<std::string, double>;

// The choice with the statistics it used: what a selection event stores.
struct selection {
  std::vector<uint64_t> parents; // the node to improve first; {0}: from the reference
  std::string policy;            // "draft", or the name of the policy that chose
  std::string memory;            // parent | siblings | both | none
  selection_statistics statistics;
  bool draft = false;
  uint64_t draft_index = 0;
};

class openness;

// Chooses the node that the next step improves. A policy keeps no state: its choice depends on the tree, the options
// and the draws alone, so that a replay chooses the same.
class selection_policy {
public:
  virtual ~selection_policy() = default;

  // Returns the name that campaign files and selection events use.
  virtual std::string_view name() const = 0;
  // Returns one line for people.
  virtual std::string_view description() const = 0;
  // Returns the settings under [search] that the policy reads.
  virtual std::vector<std::string_view> settings() const { return {}; }
  // Returns the index of the node to improve, 0 if no node is open, and stores the figures it used.
  virtual uint64_t select(const search_tree& tree, const openness& may, const policy_options& options,
                          splitmix64& random, selection_statistics& statistics) const = 0;
};

// Returns the policies of this build, by name. The list is in policies/registry.cpp.
const std::vector<std::unique_ptr<const selection_policy>>& selection_policies();
std::vector<std::string> policy_names();

// Returns how many steps the search has begun: the tree's nodes without the reference and those that people gave.
uint64_t steps_begun(const search_tree& tree, uint64_t given);

// Selects the next step. Deterministic given the tree and the seed. Names without a policy have no weight.
selection select(const search_tree& tree, const policy_options& options, uint64_t seed);

// Marks the banned nodes and everything below them, by index.
std::vector<bool> banned_nodes(const search_tree& tree, const std::set<uint64_t>& banned);
// Returns true if the node is banned, or is below one that is.
bool is_banned(const search_tree& tree, const std::set<uint64_t>& banned, uint64_t index);

} // namespace kevolve
