// Which ended campaigns the rule of retention gives up, and taking one out of the store: its events, candidates and
// prompts, and of the results and texts what no other campaign names. Blocks; what a crash cuts short goes on with the
// next call.
#pragma once

#include "actors/campaign/pinned_results.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/node/references.hpp"
#include "store/store.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// Those that ended first, until the others have at most nine tenths of `keep` candidates between them; none while all
// ended ones have at most `keep`, or if that is 0. Never the one that ended last. Of many no more than fit into memory
// at once: there may be others.
std::vector<id128> campaigns_to_forget(std::vector<campaign_status> all, uint64_t keep);

// Results and texts that nobody else names, looked for and then erased. What others come to name or hold as long as it
// lives stays.
class sweep {
public:
  sweep(store& data, pinned_results& held);
  ~sweep();
  sweep(const sweep&) = delete;
  sweep& operator=(const sweep&) = delete;

  result<void> find(const std::vector<id128>& campaigns);
  result<void> erase();

private:
  store& data_;
  pinned_results& held_;
  std::vector<record_name> records_;
};

struct forgetting {
  std::vector<id128> forgotten;
  std::vector<id128> left;        // nothing of them is to go
  std::optional<failure> trouble; // the first; the others go on where they can
};
// Campaigns that nobody works on; those that have not ended are left. What candidates in flight hold stays.
forgetting forget_campaigns(store& data, const std::vector<id128>& campaigns, pinned_results& held);

} // namespace kevolve
