#include "runtime/node/cluster_journal.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/campaign_copy.hpp"
#include "runtime/node/references.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace kevolve {

namespace {

// Waiting mends it, and the campaign pauses with the reason until then.
failure waits(const failure& why) {
  return {errc::io, "the records of the cluster cannot be written: " + why.detail};
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

// Returns true if these are the events of the same request: all but the time is compared.
bool same_events(const std::vector<event_record>& a, const std::vector<event_record>& b) {
  return !a.empty() && std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.kind == y.kind && x.payload == y.payload;
  });
}

std::string text_of(const postgres::campaign_home& h) {
  return "the campaign lives on node '" + h.node + "'"
         + (h.live ? " now" : ", which is gone: another home of the cluster goes on with it");
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

// Returns the campaign with the events here and there level. They are not if the answer to the last append was lost, or
// if the local store failed after it.
result<cluster_journal::owned*> cluster_journal::own(const id128& campaign, uint64_t here) {
  const auto known = owned_.find(campaign);
  if (known != owned_.end()
      && (known->second.epoch == 0 || (!known->second.lost_answer && known->second.stored == here))) {
    known->second.unsure.clear();
    return &known->second;
  }
  const auto mine = used(postgres::own(*connection_, self_, campaign, here));
  if (!mine)
    return tl::unexpected(mine.error());
  if (mine->events > here)
    if (auto r = used(copy_campaign(*connection_, *data_, campaign, mine->events)); !r)
      return tl::unexpected(r.error());
  homes_->remove(campaign);
  const auto before = known == owned_.end() ? here : std::min(here, known->second.stored);
  auto& out = owned_[campaign];
  if (mine->events == 0 && here > 0)
    log::warn("cluster", "campaign {} began before the cluster kept campaigns: it stays on this node",
              to_string(campaign));
  else
    out.epoch = mine->epoch;
  out.stored = mine->events;
  out.lost_answer = false;
  if (mine->events > before)
    std::move(out.unsure.begin(), out.unsure.end(), std::back_inserter(out.refused));
  out.unsure.clear();
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

result<void> cluster_journal::store_all(const id128& campaign, const std::vector<transaction>& group,
                                        const std::vector<size_t>& which, std::vector<journal_ruling>& rulings) {
  if (auto r = connect(); !r)
    return r;
  const auto here = data_->last_campaign_sequence(campaign);
  if (!here)
    return tl::unexpected(here.error());
  auto mine = own(campaign, *here);
  if (!mine)
    return tl::unexpected(mine.error());
  auto& m = **mine;
  if (m.epoch == 0)
    return {};
  std::vector<postgres::campaign_records> records;
  std::vector<events> added;
  auto next = m.stored + 1;
  for (const auto i : which) {
    const auto& t = group[i];
    const auto there =
        std::find_if(m.refused.begin(), m.refused.end(), [&](const auto& e) { return same_events(e, t.events); });
    if (there != m.refused.end()) {
      m.refused.erase(there);
      rulings[i].stored = true;
      continue;
    }
    auto r = records_of(campaign, m, next, t);
    if (!r)
      return tl::unexpected(r.error());
    next += t.events.size();
    records.push_back(std::move(*r));
    if (!t.events.empty())
      added.push_back(t.events);
  }
  if (records.empty())
    return {};
  auto done = used(postgres::append(*connection_, records));
  m.unsure = std::move(added);
  if (done)
    m.stored = next - 1;
  else {
    m.lost_answer = true;
    m.sent.clear();
  }
  return done;
}

std::vector<journal_ruling> cluster_journal::replicate(const std::vector<id128>& campaigns,
                                                       const std::vector<transaction>& group) {
  const std::lock_guard lock{guard_};
  std::vector<journal_ruling> out(group.size());
  std::map<id128, std::vector<size_t>> of_campaign;
  for (size_t i = 0; i < group.size(); ++i)
    if (campaigns[i]) // others are the node's own
      of_campaign[campaigns[i]].push_back(i);
  for (const auto& [campaign, which] : of_campaign) {
    const auto done = store_all(campaign, group, which, out);
    if (done)
      continue;
    const auto lost = done.error().code == errc::cancelled;
    if (lost)
      lose(campaign, done.error().detail);
    for (const auto i : which)
      if (!out[i].stored)
        out[i].refusal = lost ? failure{errc::bad_input, done.error().detail} : waits(done.error());
  }
  return out;
}

void cluster_journal::lose(const id128& campaign, const std::string& why) {
  if (owned_.erase(campaign) > 0)
    lost_.push_back(campaign);
  homes_->add(campaign, why);
}

bool cluster_journal::owns(const id128& campaign) {
  const std::lock_guard lock{guard_};
  return owned_.contains(campaign);
}

result<void> cluster_journal::take(const id128& campaign) {
  const std::lock_guard lock{guard_};
  if (owned_.contains(campaign))
    return {};
  if (auto r = connect(); !r)
    return r;
  const auto here = data_->last_campaign_sequence(campaign);
  if (!here)
    return tl::unexpected(here.error());
  const auto there = used(postgres::homes(*connection_, {campaign}));
  if (!there)
    return tl::unexpected(there.error());
  for (const auto& h : *there) // a log that is longer must stay with its home
    if (h.campaign == campaign && h.events < *here)
      return fail(errc::corrupt, "this node has " + std::to_string(*here) + " events of campaign " + to_string(campaign)
                                     + ", the cluster " + std::to_string(h.events));
  auto mine = used(postgres::own(*connection_, self_, campaign));
  if (!mine) {
    if (mine.error().code == errc::cancelled)
      homes_->add(campaign, mine.error().detail);
    return tl::unexpected(mine.error());
  }
  homes_->remove(campaign);
  if (mine->events == 0 && *here > 0)
    return {}; // own() says so when it writes
  if (auto r = used(copy_campaign(*connection_, *data_, campaign, mine->events)); !r)
    return r;
  auto& out = owned_[campaign];
  out.epoch = mine->epoch;
  out.stored = mine->events;
  return {};
}

result<campaigns_found> cluster_journal::look() {
  const std::lock_guard lock{guard_};
  if (auto r = connect(); !r)
    return tl::unexpected(r.error());
  std::vector<id128> asked;
  for (const auto& [campaign, mine] : owned_)
    asked.push_back(campaign);
  for (const auto& [campaign, where] : homes_->all())
    if (const auto here = data_->last_campaign_sequence(campaign); here && *here > 0)
      asked.push_back(campaign);
  const auto found = used(postgres::homes(*connection_, asked));
  if (!found)
    return tl::unexpected(found.error());
  campaigns_found out;
  std::map<id128, std::string> elsewhere;
  for (const auto& h : *found) {
    if (!h.live)
      out.orphans.push_back(h.campaign);
    if (h.node == self_.name)
      continue;
    const auto& where = elsewhere[h.campaign] = text_of(h);
    if (owned_.contains(h.campaign))
      lose(h.campaign, where);
  }
  homes_->show(std::move(elsewhere));
  out.lost = std::exchange(lost_, {});
  return out;
}

} // namespace kevolve
