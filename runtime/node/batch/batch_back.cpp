// The import of a batch.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/batch/batch.hpp"
#include "runtime/node/batch/batch_campaign.hpp"

#include <mutex>
#include <set>

namespace kevolve {

namespace {

// Checks that the campaign was exported as this batch. Returns true if it was imported before.
result<bool> is_back_already(const campaign_fold& f, const batch_bundle& back, const std::string& digest) {
  const auto what = "batch " + short_string(back.batch);
  auto known = f.batches.find(back.batch);
  if (known == f.batches.end())
    return fail(errc::conflict, "the campaign was not exported as " + what + " from here");
  const auto& last = known->second;
  if (last.action == batch_action::cancelled)
    return fail(errc::conflict, what + " was given up (kevolve batch cancel), and the campaign has gone on");
  if (last.action != batch_action::imported)
    return false;
  if (last.digest == digest)
    return true;
  return fail(errc::conflict, what + " was imported already, with " + std::to_string(last.events)
                                  + " events, and the campaign has gone on; this file holds "
                                  + std::to_string(back.events.size()) + " and cannot be added");
}

// Checks that the campaign is the one that was exported: no later event has changed its tree.
result<void> stood_still(const stored_campaign& c, const batch_bundle& back) {
  if (c.events.size() < back.base || history_of(c.events, back.base) != back.history)
    return fail(errc::conflict, "the campaign is not the one that was exported: its first " + std::to_string(back.base)
                                    + " events are others");
  for (auto i = static_cast<size_t>(back.base); i < c.events.size(); ++i)
    if (const auto kind = static_cast<event_kind>(c.events[i].kind); !stands_still(kind))
      return fail(errc::conflict, "the campaign has changed since it was exported: its event " + std::to_string(i + 1)
                                      + " is " + to_string(kind));
  return {};
}

// Returns true if the value belongs to this campaign, is in a table that judging writes, and has a valid record.
bool belongs(const batch_bundle& back, const batch_value& v) {
  const auto& id = back.campaign;
  switch (static_cast<table>(v.where)) {
    case table::nodes: {
      auto node = decode_older<node_record>(v.value);
      return node && v.key == keys::node(id, node->index);
    }
    case table::evaluations: {
      auto record = decode_older<evaluation_record>(v.value);
      return record && v.key == keys::evaluation(record->evaluation);
    }
    case table::index:
      return (v.key == keys::prepared(id) && decode<preparation>(v.value))
             || (v.key == keys::status(id) && decode_older<campaign_status>(v.value));
    default:
      return false;
  }
}

// Returns the digests of texts and objects that a record names.
std::vector<std::string> names_in(const batch_value& v) {
  if (static_cast<table>(v.where) == table::nodes) {
    const auto node = decode_older<node_record>(v.value);
    return {node->proposal.source, node->object};
  }
  if (static_cast<table>(v.where) == table::evaluations)
    return {decode_older<evaluation_record>(v.value)->object};
  return {};
}

result<void> is_whole(const store& data, const batch_bundle& back) {
  std::set<std::string> brought{""};
  for (const auto& b : back.blobs)
    brought.insert(sha256_hex(b));
  for (const auto& v : back.values)
    for (const auto& name : names_in(v)) {
      if (brought.contains(name))
        continue;
      const auto known = data.blob(name);
      if (!known)
        return tl::unexpected(known.error());
      if (!*known)
        return fail(errc::corrupt, "the file speaks of the text or object " + name.substr(0, 12)
                                       + ", which is neither in it nor in this data directory");
    }
  return {};
}

result<void> fits(campaign_fold& f, const stored_campaign& c, const batch_bundle& back) {
  for (size_t i = 0; i < back.events.size(); ++i) {
    if (!may_come_back(static_cast<event_kind>(back.events[i].kind)))
      return fail(errc::corrupt, "the file holds an event that judging does not bring: "
                                     + to_string(static_cast<event_kind>(back.events[i].kind)));
    fold_event(f, back.campaign, back.events[i], c.events.size() + i + 1);
  }
  if (!f.mismatch.empty())
    return fail(errc::corrupt, "what came back does not follow from what was exported: " + f.mismatch);
  for (const auto& v : back.values)
    if (!belongs(back, v))
      return fail(errc::corrupt, "the file holds a record that judging does not bring");
  return {};
}

// Returns the stored status of an ended campaign with this store's sequence and without its export.
std::string own_status(const batch_value& v, uint64_t sequence) {
  auto status = decode_older<campaign_status>(v.value);
  status->last_sequence = sequence;
  status->awaiting_batch = 0;
  status->waits_for.clear();
  status->batch = {};
  return encode(*status);
}

transaction transaction_of(const batch_bundle& back, const batch_record& record, bool ended, uint64_t last_sequence) {
  transaction t;
  for (const auto& e : back.events)
    t.events.push_back(to_record(back.campaign, e));
  t.events.push_back(to_record(back.campaign, draft_of(record)));
  for (const auto& v : back.values)
    if (v.key != keys::status(back.campaign))
      t.writes.push_back(write_op::put(static_cast<table>(v.where), v.key, v.value));
    else if (ended)
      t.writes.push_back(write_op::put(table::index, v.key, own_status(v, last_sequence + t.events.size())));
  for (const auto& blob : back.blobs)
    t.writes.push_back(write_op::put_blob(blob));
  return t;
}

} // namespace

result<batch_import> import_batch(store& data, const batch_bundle& back, const std::string& by, bool still) {
  if (back.way != batch_way::back)
    return fail(errc::bad_input,
                "this is what was exported, and nothing is judged in it: kevolve batch work makes of it "
                "what can be imported");
  // Only one import may run between reading the store and the commit. Otherwise one file, imported twice at once, would
  // be added twice and break the campaign's journal.
  static std::mutex one_at_a_time;
  const std::lock_guard alone{one_at_a_time};
  auto c = read_campaign(data, back.campaign);
  if (!c && c.error().code == errc::not_found)
    return fail(errc::not_found, "campaign " + short_string(back.campaign)
                                     + " of this batch is not in this data directory: import it where it was exported "
                                       "(--data DIR, or the daemon that has it)");
  if (!c)
    return tl::unexpected(c.error());
  auto& f = c->fold;
  batch_import report{
      back.batch, back.campaign, c->submission.name, false, back.events.size(), back.candidates, 0, false, 0, 0.0};
  const auto digest = history_of(back.events, back.events.size());
  auto before = is_back_already(f, back, digest);
  if (!before)
    return tl::unexpected(before.error());
  if (!*before) {
    if (auto r = stood_still(*c, back); !r)
      return tl::unexpected(r.error());
    if (!still)
      return fail(errc::conflict, "the campaign's batch is being brought back or given up: ask again in a moment");
    if (auto r = fits(f, *c, back); !r)
      return tl::unexpected(r.error());
    if (auto r = is_whole(data, back); !r)
      return tl::unexpected(r.error());
    batch_record record;
    record.batch = back.batch;
    record.action = batch_action::imported;
    record.by = by;
    record.candidates = back.candidates;
    record.events = back.events.size();
    record.digest = digest;
    record.time_ns = wall_clock_ns();
    fold_batch(f, record);
    auto t = transaction_of(back, record, f.ended, data.last_sequence());
    if (auto done = data.commit({&t, 1}); !done)
      return tl::unexpected(done.error());
    report.added = true;
  }
  report.left = f.ended ? 0 : awaiting_judgement(f);
  report.ended = f.ended;
  report.best = f.champion.index;
  report.speedup = f.champion.index == 0 ? 0.0 : f.champion.speedup;
  return report;
}

} // namespace kevolve
