// The actors of a crowded node: search nodes whose candidates wait for their evaluation, finished ones that somebody
// asked for, and actors that do nothing, which are the floor of both.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "runtime/node/node.hpp"

#include <caf/actor.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace kevolve::bench {

class crowd_nodes {
public:
  // Takes candidates of the node's campaigns, the same ones again if there are fewer. `campaigns` are its ids.
  crowd_nodes(node& where, const std::vector<id128>& campaigns, uint64_t candidates_each);
  crowd_nodes(const crowd_nodes&) = delete;
  crowd_nodes& operator=(const crowd_nodes&) = delete;
  ~crowd_nodes();

  result<void> spawn_empty(uint64_t count);
  // Returns when every one has handed its candidate to an evaluator, which keeps it for good.
  result<void> spawn_live(uint64_t count);
  result<void> spawn_revived(uint64_t count);
  // Asks the revived ones for their records, which ends them; returns the answers with a verdict.
  result<uint64_t> ask_revived();
  // Ends all and returns when they have ended.
  void end();

  struct counts {                     // of live nodes
    std::atomic<uint64_t> waiting{0}; // candidates that are with the evaluator, or failed
    std::atomic<uint64_t> failed{0};
  };

private:
  struct place {
    campaign_context_ptr context;
    uint64_t index = 0;
  };
  place at(uint64_t i) const;
  void started(caf::actor who);

  node& where_;
  uint64_t candidates_each_;
  std::shared_ptr<counts> counts_ = std::make_shared<counts>();
  caf::actor keeper_; // the campaign and the evaluator of all
  std::vector<campaign_context_ptr> contexts_;
  std::vector<caf::actor> actors_;
};

// Measures the bytes of each kind of actor in a node where nothing else runs, and prints them.
int measure_actors(node& where, const std::vector<id128>& campaigns, uint64_t candidates_each, uint64_t count);

} // namespace kevolve::bench
