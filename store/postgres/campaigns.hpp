// Campaigns whose records are in PostgreSQL, so that another node can go on with them, and results that all share.
#pragma once

#include "runtime/base/ids.hpp"
#include "store/postgres/queue.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::postgres {

struct campaign_ownership {
  int64_t epoch = 0;   // part of every record that this process writes
  uint64_t events = 0; // that are there
};
struct shared_event {
  uint64_t sequence = 0; // within the campaign, from 1
  uint16_t kind = 0;
  uint16_t version = 0;
  int64_t time_ns = 0;
  std::string payload;
};
struct shared_value {
  std::string family;
  std::string key;
  std::string value;
};
// The records that one append of a campaign adds.
struct campaign_records {
  id128 campaign;
  int64_t epoch = 0;
  std::vector<shared_event> events;
  std::vector<shared_value> values;
  std::vector<std::string> blobs; // bytes
  std::optional<bool> ended;      // nothing: unchanged
};

// Takes the campaign for this process. errc::cancelled: it lives on another live node, or another process has written
// records since it had this many `events`; nothing has changed then. Without `events`: whatever it has.
result<campaign_ownership> own(connection& c, const member& m, const id128& campaign,
                               std::optional<uint64_t> events = std::nullopt);
// Stores all in one transaction. errc::cancelled: the campaign lives on another node now, or the events do not follow
// those that are there.
result<void> append(connection& c, const std::vector<campaign_records>& all);
// The home of a campaign.
struct campaign_home {
  id128 campaign;
  std::string node;
  bool live = false;   // false: that node is gone, and another may take the campaign
  bool ended = false;  // the campaign has ended
  uint64_t events = 0; // that are there
};
// Returns the homes of campaigns that have not ended, and of those asked for. Campaigns without records are left out.
result<std::vector<campaign_home>> homes(connection& c, const std::vector<id128>& asked);

result<std::vector<shared_event>> read_events(connection& c, const id128& campaign, uint64_t after, int most);
// Returns values behind this family and key, in their order.
result<std::vector<shared_value>> read_values(connection& c, const id128& campaign, const shared_value& after,
                                              int most);
// Returns blobs behind this digest (32 bytes), as digest and bytes, in the order of the digests.
result<std::vector<std::pair<std::string, std::string>>> read_blobs(connection& c, const id128& campaign,
                                                                    const std::string& after, int most);

struct shared_evaluation {
  std::string key;
  std::string value;
  std::string object; // bytes that the value names; empty: none
};
result<void> share(connection& c, const member& m, const std::vector<shared_evaluation>& all);
// Returns nothing if no node has shared it.
result<std::optional<shared_evaluation>> find_evaluation(connection& c, const std::string& key);

} // namespace kevolve::postgres
