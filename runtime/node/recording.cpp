#include "runtime/node/recording.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "backends/llm/protocol/redaction.hpp"
#include "runtime/base/base64.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/map_text.hpp"
#include "runtime/base/printable.hpp"
#include "runtime/node/admin/json.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Version 1 has no sha256 of the whole.
constexpr int format_version = 2;
constexpr size_t page = 10'000;

// Returns true for events from which the tree is folded; the others are about time, money and people.
bool makes_the_tree(event_kind k) {
  switch (k) {
    case event_kind::campaign_prepared:
    case event_kind::node_selected:
    case event_kind::node_proposed:
    case event_kind::node_finished:
    case event_kind::champion_changed:
    case event_kind::node_confirmed:
    case event_kind::node_amended:
    case event_kind::campaign_steered:
    case event_kind::campaign_finished:
    case event_kind::search_switched:
    case event_kind::candidate_profiled:
      return true;
    default:
      return false;
  }
}

std::string llm_clean(const std::string& text) {
  return llm::without_key_shapes(text);
}

template <class T>
result<void> redact(std::string& payload) {
  auto record = decode_older<T>(payload);
  if (!record)
    return tl::unexpected(record.error());
  text_mapper clean{llm_clean};
  inspect(clean, *record);
  payload = encode(*record);
  return {};
}

// Removes the reason of a steering event; its `by` stays. The summary of an injected candidate keeps both.
result<void> redact_steering(std::string& payload) {
  auto record = decode_older<steering_record>(payload);
  if (!record)
    return tl::unexpected(record.error());
  record->reason.clear();
  payload = encode(*record);
  return {};
}

result<void> redact(journal_event& e) {
  switch (e.kind) {
    case event_kind::campaign_prepared:
      return redact<preparation>(e.payload);
    case event_kind::node_proposed:
      return redact<proposal_record>(e.payload);
    case event_kind::node_finished:
      return redact<node_record>(e.payload);
    case event_kind::node_amended:
      return redact<amendment_record>(e.payload);
    case event_kind::campaign_finished:
      return redact<finish_record>(e.payload);
    case event_kind::campaign_steered:
      return redact_steering(e.payload);
    default:
      return {}; // their texts are our own names, or part of what is hashed
  }
}

// Texts keep their digests, even if something was removed from them.
result<void> take_text(const store& data, recording& r, const std::string& digest) {
  if (digest.empty() || r.texts.contains(digest))
    return {};
  auto text = data.blob(digest);
  if (!text)
    return tl::unexpected(text.error());
  if (!*text)
    return {};
  const auto& kept = r.texts[digest] = llm::without_key_shapes(**text);
  if (kept != **text)
    r.redacted.insert(digest);
  return {};
}

result<void> take_exchanges(const store& data, recording& r, uint64_t node) {
  auto found = data.scan(table::index, keys::exchanges(r.campaign, node), most_rounds);
  if (!found)
    return tl::unexpected(found.error());
  for (const auto& [key, bytes] : *found) {
    auto x = decode_older<exchange_record>(bytes);
    if (!x)
      return tl::unexpected(x.error());
    text_mapper clean{llm_clean};
    inspect(clean, *x);
    x->answered_by = x->answered_by.empty() ? "" : "recorded";
    x->holder.clear();
    for (const auto& t : x->turns)
      if (auto taken = take_text(data, r, t.text); !taken)
        return taken;
    if (auto taken = take_text(data, r, x->reply); !taken)
      return taken;
    r.exchanges.push_back(std::move(*x));
  }
  return {};
}

result<void> take_events(const store& data, recording& r) {
  for (uint64_t from = 1;;) {
    auto records = data.read_events(r.campaign, from, page);
    if (!records)
      return tl::unexpected(records.error());
    for (auto& x : *records) {
      from = x.campaign_sequence + 1;
      journal_event e{x.sequence,           x.campaign, x.time_ns, static_cast<event_kind>(x.kind),
                      std::move(x.payload), x.version};
      if (!makes_the_tree(e.kind))
        continue;
      if (auto done = redact(e); !done)
        return done;
      r.events.push_back(std::move(e));
    }
    if (records->size() < page)
      return {};
  }
}

json to_json(const exchange_record& x) {
  auto turns = json::array();
  for (const auto& t : x.turns)
    turns.push_back({{"role", t.role}, {"text", t.text}});
  return {
      {"id", to_string(x.id)},     {"kind", x.kind},       {"model", or_null(x.model)},     {"turns", std::move(turns)},
      {"reply", or_null(x.reply)}, {"outcome", x.outcome}, {"record", to_base64(encode(x))}};
}

} // namespace

result<recording> take_recording(const store& data, const id128& campaign) {
  auto bytes = data.get(table::index, keys::campaign(campaign));
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return fail(errc::not_found, "there is no campaign " + to_string(campaign));
  auto submission = decode_older<campaign_submission>(**bytes);
  if (!submission)
    return tl::unexpected(submission.error());
  auto spec = decode_older<campaign_spec>(submission->spec);
  if (!spec)
    return tl::unexpected(spec.error());
  recording r;
  r.campaign = campaign;
  r.name = submission->name;
  r.spec = std::move(*spec);
  for (auto* path : {&r.spec.path, &r.spec.task.path, &r.spec.task.reference_path, &r.spec.task.oracle_path})
    path->clear();
  r.spec.task.text.clear();
  r.spec.text.clear(); // the file's text may contain a path; its meaning is in the other members
  r.spec.overrides.clear();
  text_mapper clean{llm_clean};
  inspect(clean, r.spec);
  if (auto taken = take_events(data, r); !taken)
    return tl::unexpected(taken.error());
  for (const auto& e : r.events) {
    if (e.kind != event_kind::node_finished)
      continue;
    auto node = decode_older<node_record>(e.payload);
    if (!node)
      return tl::unexpected(node.error());
    if (auto taken = take_text(data, r, node->proposal.source); !taken)
      return tl::unexpected(taken.error());
    if (auto taken = take_exchanges(data, r, node->index); !taken)
      return tl::unexpected(taken.error());
  }
  campaign_fold f;
  for (const auto& e : r.events)
    fold(f, e);
  if (!f.mismatch.empty())
    return fail(errc::corrupt, f.mismatch);
  r.tree_hash = f.tree.hash();
  return r;
}

namespace {

// Returns the digest of the whole document without the digest itself, its keys in order.
std::string digest_of(json document) {
  document.erase("sha256");
  return sha256_hex(to_text(document));
}

} // namespace

std::string to_json_text(const recording& r) {
  auto events = json::array();
  for (const auto& e : r.events)
    events.push_back({{"sequence", e.sequence},
                      {"kind", to_string(e.kind)},
                      {"number", static_cast<uint16_t>(e.kind)},
                      {"time_ns", e.time_ns},
                      {"payload", to_base64(e.payload)}});
  auto exchanges = json::array();
  for (const auto& x : r.exchanges)
    exchanges.push_back(to_json(x));
  json texts = json::object();
  for (const auto& [digest, text] : r.texts)
    texts[digest] = text;
  json out{{"kevolve_recording", format_version}, {"campaign", to_string(r.campaign)},   {"name", r.name},
           {"spec", to_base64(encode(r.spec))},   {"tree_hash", to_string(r.tree_hash)}, {"events", std::move(events)},
           {"exchanges", std::move(exchanges)},   {"texts", std::move(texts)},           {"redacted", r.redacted}};
  out["sha256"] = digest_of(out);
  return to_pretty_text(out) + "\n";
}

result<recording> parse_recording(std::string_view text) {
  constexpr int deepest = 32; // ours is five levels deep; later code walks the document recursively
  bool deep = false;
  const auto x = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        deep = deep || depth > deepest;
        return !deep;
      },
      false);
  if (deep || x.is_discarded() || !x.is_object() || !x.contains("kevolve_recording"))
    return fail(errc::bad_input, "it is no recording of a campaign");
  try {
    if (!x["kevolve_recording"].is_number_integer())
      return fail(errc::bad_input, "the version of a recording is a whole number");
    const auto version = x["kevolve_recording"].get<int64_t>();
    if (version > format_version)
      return fail(errc::newer_format, "it is a recording of version " + std::to_string(version)
                                          + ", and this kevolve reads versions 1 to " + std::to_string(format_version));
    if (version < 1)
      return fail(errc::bad_input, "a recording has version 1 or 2, not " + std::to_string(version));
    if (version > 1 && x.value("sha256", std::string{}) != digest_of(x))
      return fail(errc::corrupt, "it is not as it was recorded: its sha256 is another");
    recording r;
    const auto id = parse_id(x.at("campaign").get<std::string>());
    auto spec_bytes = from_base64(x.at("spec").get<std::string>());
    if (!id || !spec_bytes)
      return fail(errc::bad_input, "its campaign or spec cannot be read");
    auto spec = decode_older<campaign_spec>(*spec_bytes);
    if (!spec)
      return tl::unexpected(spec.error());
    r.campaign = id;
    r.tree_hash = parse_id(x.at("tree_hash").get<std::string>());
    r.name = x.at("name").get<std::string>();
    r.spec = std::move(*spec);
    for (const auto& e : x.at("events")) {
      auto payload = from_base64(e.at("payload").get<std::string>());
      if (!payload)
        return tl::unexpected(payload.error());
      r.events.push_back({e.at("sequence").get<uint64_t>(), r.campaign, e.at("time_ns").get<int64_t>(),
                          static_cast<event_kind>(e.at("number").get<uint16_t>()), std::move(*payload)});
    }
    for (const auto& e : x.at("exchanges")) {
      auto bytes = from_base64(e.at("record").get<std::string>());
      if (!bytes)
        return tl::unexpected(bytes.error());
      auto record = decode_older<exchange_record>(*bytes);
      if (!record)
        return tl::unexpected(record.error());
      r.exchanges.push_back(std::move(*record));
    }
    r.redacted = x.value("redacted", std::set<std::string>{});
    for (const auto& [digest, words] : x.at("texts").items()) {
      const auto& kept = r.texts[digest] = words.get<std::string>();
      if (!r.redacted.contains(digest) && sha256_hex(kept) != digest)
        return fail(errc::corrupt, "text " + printable(digest) + " is not the one that was recorded: its SHA-256 is "
                                       + sha256_hex(kept));
    }
    return r;
  } catch (const json::exception& e) {
    return fail(errc::bad_input, std::string{"it is no recording of a campaign: "} + e.what());
  }
}

} // namespace kevolve
