// The export of a batch.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/batch/batch.hpp"
#include "runtime/node/batch/batch_campaign.hpp"

#include <set>

namespace kevolve {

namespace {

result<batch_record> record_batch(store& data, const id128& campaign, batch_record r) {
  r.time_ns = wall_clock_ns();
  transaction t;
  t.events.push_back(to_record(campaign, draft_of(r)));
  auto done = data.commit({&t, 1});
  if (!done)
    return tl::unexpected(done.error());
  return r;
}

// Gathers records and the digests of the blobs that they name.
struct gathering {
  const store& data;
  batch_bundle out;
  std::set<std::string> names;

  void name(const std::string& digest) {
    if (!digest.empty())
      names.insert(digest);
  }
  void keep(table where, const std::string& key, const std::string& value) {
    out.values.push_back({static_cast<uint8_t>(where), key, value});
  }
  // Gathers a record if it exists.
  result<std::optional<std::string>> keep(table where, const std::string& key) {
    auto bytes = data.get(where, key);
    if (bytes && *bytes)
      keep(where, key, **bytes);
    return bytes;
  }
};

result<void> gather_nodes(gathering& g, std::set<id128>& evaluations) {
  return each_record(g.data, table::nodes, keys::of(g.out.campaign),
                     [&](const std::string& key, const std::string& value) {
                       auto node = decode_older<node_record>(value);
                       if (!node)
                         return;
                       g.keep(table::nodes, key, value);
                       g.name(node->proposal.source);
                       g.name(node->object);
                       evaluations.insert(node->evaluations.begin(), node->evaluations.end());
                     });
}

result<void> gather_evaluations(gathering& g, std::set<id128> evaluations) {
  for (const auto& e : g.out.events)
    if (static_cast<event_kind>(e.kind) == event_kind::evaluation_result)
      if (auto x = decode<intent_record>(e.payload))
        evaluations.insert(x->evaluation);
  for (const auto& id : evaluations) {
    auto bytes = g.keep(table::evaluations, keys::evaluation(id));
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (auto record = *bytes ? decode_older<evaluation_record>(**bytes) : fail(errc::not_found, ""))
      g.name(record->object);
  }
  return {};
}

result<void> gather_index(gathering& g) {
  for (const auto& key : {keys::campaign(g.out.campaign), keys::status(g.out.campaign)})
    if (auto kept = g.keep(table::index, key); !kept)
      return tl::unexpected(kept.error());
  auto prepared = g.keep(table::index, keys::prepared(g.out.campaign));
  if (!prepared)
    return tl::unexpected(prepared.error());
  if (auto p = *prepared ? decode<preparation>(**prepared) : fail(errc::not_found, ""))
    for (const auto* digest : {&p->reference_object, &p->oracle_object, &p->syntax_tree})
      g.name(*digest);
  return {};
}

} // namespace

result<batch_record> mark_away(store& data, const id128& campaign, const std::string& by) {
  auto c = read_campaign(data, campaign);
  if (!c)
    return tl::unexpected(c.error());
  const auto& f = c->fold;
  if (f.ended)
    return fail(errc::conflict, "the campaign is " + to_string(f.finish.state));
  if (f.away)
    return fail(errc::conflict, "the campaign is " + away_text(*f.away));
  const auto waiting = awaiting_judgement(f);
  // The campaign's best may await its final confirmation.
  const bool finishes =
      f.open.empty() && should_stop(rules_of(c->spec, f.steered), progress_of(f, wall_seconds_at_rest(f))).stop;
  if (waiting == 0 && !finishes)
    return fail(errc::conflict, "no candidate of the campaign awaits judgement: let it go on with kevolve run --batch, "
                                "or with [[device]] batch = true in the node's settings");
  batch_record r;
  r.batch = random_id();
  r.action = batch_action::exported;
  r.by = by;
  r.candidates = waiting;
  return record_batch(data, campaign, std::move(r));
}

result<batch_record> cancel_away(store& data, const id128& campaign, const std::string& by) {
  auto c = read_campaign(data, campaign);
  if (!c)
    return tl::unexpected(c.error());
  if (!c->fold.away)
    return fail(errc::conflict, "the campaign has no exported batch");
  if (c->fold.ended)
    return fail(errc::conflict, "the campaign has ended: its batch is void, and there is nothing to give up");
  auto r = *c->fold.away;
  r.action = batch_action::cancelled;
  r.by = by;
  return record_batch(data, campaign, std::move(r));
}

result<batch_bundle> take_batch(const store& data, const id128& campaign) {
  auto c = read_campaign(data, campaign);
  if (!c)
    return tl::unexpected(c.error());
  if (!c->fold.away)
    return fail(errc::conflict, "the campaign has no exported batch");
  gathering g{data, {}, {}};
  g.out.batch = c->fold.away->batch;
  g.out.campaign = campaign;
  g.out.name = c->submission.name;
  g.out.target = c->spec.target;
  g.out.candidates = awaiting_judgement(c->fold);
  g.out.base = c->events.size();
  g.out.history = history_of(c->events, c->events.size());
  g.out.events = std::move(c->events);
  g.name(c->fold.champion.object);
  std::set<id128> evaluations;
  if (auto r = gather_index(g); !r)
    return tl::unexpected(r.error());
  if (auto r = gather_nodes(g, evaluations); !r)
    return tl::unexpected(r.error());
  if (auto r = gather_evaluations(g, std::move(evaluations)); !r)
    return tl::unexpected(r.error());
  for (const auto& name : g.names) {
    auto bytes = data.blob(name);
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (*bytes)
      g.out.blobs.push_back(std::move(**bytes));
  }
  return std::move(g.out);
}

} // namespace kevolve
