// Chooses the ended campaigns that the retention rule removes, and removes them from the store: their events,
// candidates and prompts, and the results and texts that no other campaign names. Blocks. The next call completes an
// interrupted removal.
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

// Returns the campaigns that ended first, until the others have at most nine tenths of `keep` candidates. Returns none
// if all ended ones have at most `keep`, or if `keep` is 0. The campaign that ended last is never returned. The number
// is limited to what fits into memory, so there may be more.
std::vector<id128> campaigns_to_forget(std::vector<campaign_status> all, uint64_t keep);

// Finds results and texts that no other campaign names, then erases them. Records that others begin to name or pin
// while this object lives are kept.
class sweep {
public:
  sweep(store& data, pinned_results& held);
  ~sweep();
  sweep(const sweep&) = delete;
  sweep& operator=(const sweep&) = delete;

  // Finds the records that only these campaigns name.
  result<void> find(const std::vector<id128>& campaigns);
  // Erases the records found, unless they have been named or pinned meanwhile.
  result<void> erase();

private:
  store& data_;
  pinned_results& held_;
  std::vector<record_name> records_;
};

struct forgetting {
  std::vector<id128> forgotten;
  std::vector<id128> left;        // nothing of these was removed
  std::optional<failure> trouble; // the first failure; the other campaigns continue where possible
};
// Removes ended campaigns that no process works on; unfinished ones are left. Records that candidates in flight have
// pinned are kept.
forgetting forget_campaigns(store& data, const std::vector<id128>& campaigns, pinned_results& held);

} // namespace kevolve
