// The part of the journal that is shared: campaigns that survive their node have every record in PostgreSQL before it
// is acknowledged.
#pragma once

#include "actors/journal/journal.hpp"
#include "actors/messages/messages.hpp"
#include "store/postgres/campaigns.hpp"
#include "store/store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

class cluster_journal {
public:
  cluster_journal(std::function<result<postgres::connection_options>()> options, postgres::member self,
                  std::shared_ptr<store> data);

  // Stores each transaction of a campaign in PostgreSQL, with the records that it names. Refuses those that are not
  // there then: errc::io while PostgreSQL is away, errc::bad_input once the campaign lives on another node.
  std::vector<journal_ruling> replicate(const std::vector<id128>& campaigns, const std::vector<transaction>& group);

  // Takes a campaign for this process, and brings what the local store lacks of it from PostgreSQL. errc::cancelled: it
  // lives on another live node.
  result<void> take(const id128& campaign);
  // Returns campaigns that have not ended and whose node is gone.
  result<std::vector<id128>> orphans();

private:
  // A campaign that this process owns. One that began before its node's campaigns were shared has no epoch.
  struct owned {
    int64_t epoch = 0;
    bool sure = true;                   // false: a connection was lost, and what was written last may be there or not
    std::set<std::string> sent;         // names of records that are there
    std::vector<event_record> doubtful; // the events whose answer was lost
  };

  result<journal_ruling> store_one(const id128& campaign, const transaction& t, uint64_t& added);
  result<void> connect();
  template <class T>
  result<T> used(result<T> r);
  result<owned*> own(const id128& campaign);
  result<void> bring(const id128& campaign, uint64_t events);
  result<postgres::campaign_records> records_of(const id128& campaign, owned& mine, uint64_t first,
                                                const transaction& t);
  result<void> add_named(owned& mine, postgres::campaign_records& out);

  std::function<result<postgres::connection_options>()> options_;
  postgres::member self_;
  std::shared_ptr<store> data_;
  std::mutex guard_;
  std::unique_ptr<postgres::connection> connection_;
  std::map<id128, owned> owned_;
};

} // namespace kevolve
