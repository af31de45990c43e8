// Selection: which candidate the next step improves, and what the step is shown. Pure functions over the tree. A policy
// is one class in policies/; the policies of a campaign share one tree, each with a weight.
#pragma once

#include "actors/search/policy_options.hpp"
#include "actors/search/progress.hpp"
#include "actors/search/tree.hpp"
#include "runtime/base/random.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The figures that a choice was made by, by name. A selection event stores them.
using selection_statistics = std::map<std::string, double>;

// The choice with the statistics it used: what a selection event stores.
struct selection {
  std::vector<uint64_t> parents; // indices; the candidate to improve first; {0}: from the reference
  std::string policy;            // "draft", or the name of the policy that chose
  std::string memory;            // parent | siblings | both | none
  selection_statistics statistics;
  bool draft = false;
  uint64_t draft_index = 0;
  std::optional<phase_switch> switched; // to be noted in the tree's progress before the candidate is added
};

// Chooses the candidate that the next step improves. A policy keeps no state: its choice depends on the tree, the
// options and the draws alone, so that a replay chooses the same.
class selection_policy {
public:
  virtual ~selection_policy() = default;

  // Returns the name that campaign files and selection events use.
  virtual std::string_view name() const = 0;
  // Returns one line for people.
  virtual std::string_view description() const = 0;
  // Returns the settings under [search] that the policy reads; a name with a dot is of the table before the dot.
  virtual std::vector<std::string_view> settings() const { return {}; }
  // Returns the change of the search's phase that is due before this choice, if one is.
  virtual std::optional<phase_switch> due(const search_tree&, const policy_options&) const { return std::nullopt; }
  // Returns the index of the candidate to improve, 0 if none is open, and stores the figures it used.
  virtual uint64_t select(const search_tree& tree, const policy_options& options, splitmix64& random,
                          selection_statistics& statistics) const = 0;
  // Returns the share of steps with a second parent.
  virtual double share_of_second_parents(const policy_options& options) const { return options.combine; }
  // Returns the second parent of a step from `first`, which select() chose; `first` itself if there is none.
  virtual uint64_t second_parent(const search_tree& tree, const policy_options& options, uint64_t first,
                                 splitmix64& random, const selection_statistics& statistics) const;
};

// Returns the policies of this build, by name. The list is runtime/base/policy_kinds.def.
const std::vector<std::unique_ptr<const selection_policy>>& selection_policies();
std::vector<std::string> policy_names();

// Returns how many steps the search has begun: the tree's candidates without the reference and
// without those that people gave, whose number is `given`.
uint64_t steps_begun(const search_tree& tree, uint64_t given);

// Selects the next step. Deterministic given the tree and the seed. Names without a policy have no weight.
selection select(const search_tree& tree, const policy_options& options, uint64_t seed);

// Returns what a selection decided about the new candidate besides its parents.
node_origin origin_of(const std::string& policy, const std::string& memory, const selection_statistics& statistics,
                      bool draft);
inline node_origin origin_of(const selection& s) {
  return origin_of(s.policy, s.memory, s.statistics, s.draft);
}
// Adds the selected candidate, after the change of phase that comes with it. Returns its index.
uint64_t add(search_tree& tree, const selection& s);

// Returns true if the candidate of that index is banned, or is below one that is.
bool is_banned(const search_tree& tree, const std::set<uint64_t>& banned, uint64_t index);

} // namespace kevolve
