// The work on the other machine.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/batch/batch.hpp"
#include "runtime/node/batch/batch_campaign.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kevolve {

namespace {

constexpr const char* unpacked_key = "batch/unpacked"; // in the meta table: the batch for which the store was made

std::string mark_of(const batch_bundle& out) {
  return encode(std::pair{out.batch, out.history});
}

// Returns true if the event is worth importing. The start of a session and the fault that ended it are not.
bool is_worth_it(const batch_event& e) {
  switch (static_cast<event_kind>(e.kind)) {
    case event_kind::campaign_prepared:
    case event_kind::evaluation_result:
    case event_kind::node_finished:
    case event_kind::campaign_finished:
      return true;
    default:
      return false;
  }
}

void put_all(transaction& t, const batch_bundle& b) {
  for (const auto& e : b.events)
    t.events.push_back(to_record(b.campaign, e));
  for (const auto& v : b.values)
    t.writes.push_back(write_op::put(static_cast<table>(v.where), v.key, v.value));
  for (const auto& blob : b.blobs)
    t.writes.push_back(write_op::put_blob(blob));
}

result<void> commit_all(store& data, transaction t) {
  auto done = data.commit({&t, 1});
  return done ? result<void>{} : tl::unexpected(done.error());
}

} // namespace

result<void> unpack_batch(store& data, const batch_bundle& out, bool among_others) {
  const auto key = among_others ? std::string{unpacked_key} + "/" + to_string(out.batch) : unpacked_key;
  auto mark = data.get(table::meta, key);
  auto alone = data.get(table::meta, unpacked_key);
  if (!mark || !alone)
    return tl::unexpected(mark ? alone.error() : mark.error());
  if (*mark && **mark == mark_of(out))
    return {};
  if (*mark || *alone || (!among_others && data.last_sequence() != 0))
    return fail(errc::conflict, data.directory()
                                    + " holds something else than this batch: name another with --data, "
                                      "or remove it");
  transaction t;
  put_all(t, out);
  t.writes.push_back(write_op::put(table::meta, key, mark_of(out)));
  return commit_all(data, std::move(t));
}

result<void> unpack_done(store& data, const batch_bundle& out, const batch_bundle& done) {
  if (done.way != batch_way::back || done.batch != out.batch || done.history != out.history)
    return fail(errc::conflict, "it is not this batch's");
  auto events = data.last_campaign_sequence(out.campaign);
  if (!events)
    return tl::unexpected(events.error());
  if (*events != out.base) // worked on already, at least as far
    return {};
  transaction t;
  put_all(t, done);
  return commit_all(data, std::move(t));
}

result<batch_bundle> collect_batch(const store& data, const batch_bundle& out) {
  auto c = read_campaign(data, out.campaign);
  if (!c)
    return tl::unexpected(c.error());
  batch_bundle back;
  back.way = batch_way::back;
  back.batch = out.batch;
  back.campaign = out.campaign;
  back.name = out.name;
  back.target = out.target;
  back.base = out.base;
  back.history = out.history;
  for (size_t i = out.base; i < c->events.size(); ++i) {
    const auto kind = static_cast<event_kind>(c->events[i].kind);
    back.candidates += kind == event_kind::node_finished ? 1U : 0U;
    if (may_come_back(kind))
      back.events.push_back(std::move(c->events[i]));
  }
  if (std::none_of(back.events.begin(), back.events.end(), [](const auto& e) { return is_worth_it(e); }))
    back.events.clear();
  back.left = c->fold.ended ? 0 : awaiting_judgement(c->fold);
  std::map<std::pair<uint8_t, std::string_view>, std::string_view> known;
  for (const auto& v : out.values)
    known[{v.where, v.key}] = v.value;
  auto keep_from = [&](table where, const std::string& prefix) {
    return each_record(data, where, prefix, [&](const std::string& key, const std::string& value) {
      const auto at = static_cast<uint8_t>(where);
      if (auto before = known.find({at, key}); before == known.end() || before->second != value)
        back.values.push_back({at, key, value});
    });
  };
  for (const auto& [where, prefix] : {std::pair{table::nodes, keys::of(out.campaign)},
                                      {table::evaluations, std::string{}},
                                      {table::index, keys::prepared(out.campaign)},
                                      {table::index, keys::status(out.campaign)}})
    if (auto kept = keep_from(where, prefix); !kept)
      return tl::unexpected(kept.error());
  std::set<std::string> had;
  for (const auto& blob : out.blobs)
    had.insert(sha256_hex(blob));
  auto kept = each_record(data, table::blobs, "", [&](const std::string& name, const std::string& bytes) {
    if (!had.contains(name))
      back.blobs.push_back(bytes);
  });
  if (!kept)
    return tl::unexpected(kept.error());
  return back;
}

} // namespace kevolve
