#include "runtime/node/cluster_journal.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/references.hpp"

#include <algorithm>
#include <deque>

namespace kevolve {

namespace {

constexpr int rows_at_once = 500;
constexpr int blobs_at_once = 16;

// Waiting mends it, and the campaign pauses with the reason until then.
failure waits(const failure& why) {
  return {errc::io, "the records of the cluster cannot be written: " + why.detail};
}

result<table> table_of(const std::string& name) {
  for (auto t : {table::nodes, table::evaluations, table::index, table::meta})
    if (to_string(t) == name)
      return t;
  return fail(errc::corrupt, "the cluster has a value of an unknown family '" + name + "'");
}

// Visits the names of records in a value.
result<void> names_in(const postgres::shared_value& v, const name_visitor& visit) {
  if (v.family == to_string(table::evaluations))
    return names_of_evaluation(v.value, visit);
  for (const auto& place : naming_places())
    if (v.family == to_string(place.where) && v.key.starts_with(place.prefix))
      return place.names(v.value, visit);
  return {};
}

// Returns whether the value says that the campaign has ended, or has not.
std::optional<bool> ended_by(const id128& campaign, const postgres::shared_value& v) {
  if (v.key != keys::status(campaign))
    return std::nullopt;
  const auto status = decode_older<campaign_status>(v.value);
  return status ? std::optional{has_ended(status->state)} : std::nullopt;
}

// True if these are the events of the same request: all but the time is compared.
bool same_events(const std::vector<event_record>& a, const std::vector<event_record>& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.kind == y.kind && x.payload == y.payload;
  });
}

} // namespace

cluster_journal::cluster_journal(std::function<result<postgres::connection_options>()> options, postgres::member self,
                                 std::shared_ptr<store> data)
    : options_(std::move(options)), self_(std::move(self)), data_(std::move(data)) {}

result<void> cluster_journal::connect() {
  if (connection_ && !connection_->broken())
    return {};
  auto options = options_();
  if (!options)
    return tl::unexpected(options.error());
  auto c = postgres::connection::open(*options);
  if (!c)
    return tl::unexpected(c.error());
  connection_ = std::move(*c);
  return {};
}

// A failure may have left the connection in the middle of something.
template <class T>
result<T> cluster_journal::used(result<T> r) {
  if (!r && r.error().code != errc::cancelled)
    connection_.reset();
  return r;
}

result<cluster_journal::owned*> cluster_journal::own(const id128& campaign) {
  const auto known = owned_.find(campaign);
  if (known != owned_.end() && known->second.sure)
    return &known->second;
  const auto here = data_->last_campaign_sequence(campaign);
  if (!here)
    return tl::unexpected(here.error());
  auto mine = used(postgres::own(*connection_, self_, campaign));
  if (!mine)
    return tl::unexpected(mine.error());
  if (known == owned_.end() && mine->events == 0 && *here > 0)
    log::warn("cluster", "campaign {} began before the cluster kept campaigns: it stays on this node",
              to_string(campaign));
  else if (known == owned_.end() ? mine->events != *here : !mine->kept)
    return fail(errc::cancelled,
                "another node had campaign " + to_string(campaign) + " meanwhile: start this node again");
  auto& out = owned_[campaign];
  if (mine->events > 0 || *here == 0)
    out.epoch = mine->epoch;
  if (mine->events > *here) // written last, and its answer lost
    if (auto r = bring(campaign, mine->events); !r)
      return tl::unexpected(r.error());
  if (mine->events <= *here)
    out.doubtful.clear();
  out.sure = true;
  return &out;
}

// Adds the records that values name and the cluster may lack: those that another campaign of this node stored.
result<void> cluster_journal::add_named(owned& mine, postgres::campaign_records& out) {
  for (const auto& b : out.blobs)
    mine.sent.insert(sha256_hex(b));
  for (const auto& v : out.values)
    mine.sent.insert(v.key);
  std::deque<record_name> names;
  const auto visit = [&](table where, const std::string& key) {
    if (mine.sent.insert(key).second)
      names.emplace_back(where, key);
  };
  for (const auto& v : out.values)
    if (auto r = names_in(v, visit); !r)
      return r;
  for (; !names.empty(); names.pop_front()) {
    const auto& [where, key] = names.front();
    auto value = where == table::blobs ? data_->blob(key) : data_->get(where, key);
    if (!value)
      return tl::unexpected(value.error());
    if (!*value)
      continue; // its own append brings it
    if (where == table::blobs) {
      out.blobs.push_back(std::move(**value));
      continue;
    }
    out.values.push_back({to_string(where), key, std::move(**value)});
    if (auto r = names_in(out.values.back(), visit); !r)
      return r;
  }
  return {};
}

result<postgres::campaign_records> cluster_journal::records_of(const id128& campaign, owned& mine, uint64_t first,
                                                               const transaction& t) {
  postgres::campaign_records out;
  out.campaign = campaign;
  out.epoch = mine.epoch;
  for (const auto& e : t.events)
    out.events.push_back({first++, e.kind, e.version, e.time_ns, e.payload});
  for (const auto& w : t.writes) {
    if (w.what == write_op::action::put_blob)
      out.blobs.push_back(w.value);
    else if (w.what == write_op::action::put) {
      out.values.push_back({to_string(w.where), w.key, w.value});
      if (const auto ended = ended_by(campaign, out.values.back()))
        out.ended = ended;
    }
  }
  if (auto r = add_named(mine, out); !r)
    return tl::unexpected(r.error());
  return out;
}

result<journal_ruling> cluster_journal::store_one(const id128& campaign, const transaction& t, uint64_t& added) {
  if (auto r = connect(); !r)
    return tl::unexpected(r.error());
  auto mine = own(campaign);
  if (!mine)
    return tl::unexpected(mine.error());
  auto& m = **mine;
  if (m.epoch == 0)
    return journal_ruling{};
  if (same_events(m.doubtful, t.events)) { // it was there: own() has brought it
    m.doubtful.clear();
    return journal_ruling{{}, true};
  }
  const auto last = data_->last_campaign_sequence(campaign);
  if (!last)
    return tl::unexpected(last.error());
  auto records = records_of(campaign, m, *last + added + 1, t);
  if (!records)
    return tl::unexpected(records.error());
  if (auto r = used(postgres::append(*connection_, {*records})); !r) {
    m.sure = false;
    m.sent.clear();
    m.doubtful = t.events;
    return tl::unexpected(r.error());
  }
  added += t.events.size();
  return journal_ruling{};
}

std::vector<journal_ruling> cluster_journal::replicate(const std::vector<id128>& campaigns,
                                                       const std::vector<transaction>& group) {
  const std::lock_guard lock{guard_};
  std::vector<journal_ruling> out(group.size());
  std::map<id128, uint64_t> added; // events of this group
  for (size_t i = 0; i < group.size(); ++i) {
    if (!campaigns[i])
      continue; // the node's own
    auto ruling = store_one(campaigns[i], group[i], added[campaigns[i]]);
    if (ruling)
      out[i] = std::move(*ruling);
    else
      out[i].refusal = ruling.error().code == errc::cancelled ? failure{errc::bad_input, ruling.error().detail}
                                                              : waits(ruling.error());
  }
  return out;
}

result<void> cluster_journal::bring(const id128& campaign, uint64_t events) {
  std::string digest;
  for (auto more = true; more;) {
    auto page = used(postgres::read_blobs(*connection_, campaign, digest, blobs_at_once));
    if (!page)
      return tl::unexpected(page.error());
    more = page->size() == static_cast<size_t>(blobs_at_once);
    std::vector<transaction> group(1);
    for (auto& [name, bytes] : *page) {
      digest = name;
      group[0].writes.push_back(write_op::put_blob(std::move(bytes)));
    }
    if (auto r = data_->commit(group); !r)
      return tl::unexpected(r.error());
  }
  postgres::shared_value after;
  for (auto more = true; more;) {
    auto page = used(postgres::read_values(*connection_, campaign, after, rows_at_once));
    if (!page)
      return tl::unexpected(page.error());
    more = page->size() == static_cast<size_t>(rows_at_once);
    std::vector<transaction> group(1);
    for (auto& v : *page) {
      after = {v.family, v.key, {}};
      auto where = table_of(v.family);
      if (!where)
        return tl::unexpected(where.error());
      group[0].writes.push_back(write_op::put(*where, std::move(v.key), std::move(v.value)));
    }
    if (auto r = data_->commit(group); !r)
      return tl::unexpected(r.error());
  }
  // The events come last: they name everything else.
  for (;;) {
    const auto here = data_->last_campaign_sequence(campaign);
    if (!here)
      return tl::unexpected(here.error());
    if (*here >= events)
      return {};
    auto page = used(postgres::read_events(*connection_, campaign, *here, rows_at_once));
    if (!page)
      return tl::unexpected(page.error());
    if (page->empty())
      return fail(errc::corrupt, "the cluster lacks events of campaign " + to_string(campaign));
    std::vector<transaction> group(1);
    for (auto& e : *page) {
      event_record r;
      r.campaign = campaign;
      r.kind = e.kind;
      r.version = e.version;
      r.time_ns = e.time_ns;
      r.payload = std::move(e.payload);
      group[0].events.push_back(std::move(r));
    }
    if (auto r = data_->commit(group); !r)
      return tl::unexpected(r.error());
  }
}

result<void> cluster_journal::take(const id128& campaign) {
  const std::lock_guard lock{guard_};
  if (owned_.contains(campaign))
    return {};
  if (auto r = connect(); !r)
    return r;
  auto mine = used(postgres::own(*connection_, self_, campaign));
  if (!mine)
    return tl::unexpected(mine.error());
  const auto here = data_->last_campaign_sequence(campaign);
  if (!here)
    return tl::unexpected(here.error());
  if (mine->events == 0 && *here > 0)
    return {}; // own() says so when it writes
  if (*here > mine->events)
    return fail(errc::corrupt, "this node has " + std::to_string(*here) + " events of campaign " + to_string(campaign)
                                   + ", the cluster " + std::to_string(mine->events));
  if (auto r = bring(campaign, mine->events); !r)
    return r;
  owned_[campaign].epoch = mine->epoch;
  return {};
}

result<std::vector<id128>> cluster_journal::orphans() {
  const std::lock_guard lock{guard_};
  if (auto r = connect(); !r)
    return tl::unexpected(r.error());
  return used(postgres::orphans(*connection_));
}

} // namespace kevolve
