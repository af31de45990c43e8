// The part of the journal that is shared: campaigns that survive their node have every record in PostgreSQL before it
// is acknowledged.
#pragma once

#include "actors/journal/journal.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/node/campaign_homes.hpp"
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

// The findings of a look at the campaigns of the cluster.
struct campaigns_found {
  std::vector<id128> orphans; // their node is gone
  std::vector<id128> lost;    // this process owned them, and another node has taken them since the last look
};

class cluster_journal {
public:
  cluster_journal(std::function<result<postgres::connection_options>()> options, postgres::member self,
                  std::shared_ptr<store> data);

  // Stores the transactions of campaigns in PostgreSQL, with the records that they name: those of one campaign together
  // or not at all. Refuses those that are not there then: errc::io while PostgreSQL is away, errc::bad_input once the
  // campaign lives on another node, and from then on until take().
  std::vector<journal_ruling> replicate(const std::vector<id128>& campaigns, const std::vector<transaction>& group);

  // Returns true if this process owns the campaign, as far as it knows.
  bool owns(const id128& campaign);
  // Takes a campaign for this process, and brings what the local store lacks of it from PostgreSQL. None of its actors
  // may run here: what they know is older. errc::cancelled: it lives on another live node.
  result<void> take(const id128& campaign);
  // Asks where the cluster's campaigns live, and shows it in homes().
  result<campaigns_found> look();
  // Returns where campaigns live that are not this node's. It lives as long as this.
  const std::shared_ptr<campaign_homes>& homes() const { return homes_; }

private:
  using events = std::vector<event_record>; // of one transaction
  // A campaign that this process owns. One that began before its node's campaigns were shared has no epoch.
  struct owned {
    int64_t epoch = 0;
    uint64_t stored = 0;         // events in PostgreSQL
    std::set<std::string> sent;  // names of records that are there
    std::vector<events> unsure;  // written last: they may be missing there, since the answer was lost, or here
    std::vector<events> refused; // there, though this node has refused them; they are asked for again
    bool lost_answer = false;
  };

  result<void> connect();
  template <class T>
  result<T> used(result<T> r);
  result<owned*> own(const id128& campaign, uint64_t here);
  result<void> store_all(const id128& campaign, const std::vector<transaction>& group, const std::vector<size_t>& which,
                         std::vector<journal_ruling>& rulings);
  result<postgres::campaign_records> records_of(const id128& campaign, owned& mine, uint64_t first,
                                                const transaction& t);
  result<void> add_named(owned& mine, postgres::campaign_records& out);
  void lose(const id128& campaign, const std::string& why);

  std::function<result<postgres::connection_options>()> options_;
  postgres::member self_;
  std::shared_ptr<store> data_;
  std::mutex guard_;
  std::unique_ptr<postgres::connection> connection_;
  std::map<id128, owned> owned_;
  std::vector<id128> lost_; // since the last look
  std::shared_ptr<campaign_homes> homes_ = std::make_shared<campaign_homes>();
};

} // namespace kevolve
