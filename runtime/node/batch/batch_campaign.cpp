#include "runtime/node/batch/batch_campaign.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"

namespace kevolve {

namespace {

constexpr size_t records_a_read = 1'024;

template <class T>
result<T> record_of(const store& data, table where, const std::string& key, const std::string& missing) {
  auto bytes = data.get(where, key);
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return fail(errc::not_found, missing);
  return decode_older<T>(**bytes);
}

} // namespace

result<stored_campaign> read_campaign(const store& data, const id128& campaign) {
  stored_campaign out;
  auto submission = record_of<campaign_submission>(data, table::index, keys::campaign(campaign),
                                                   data.directory() + " has no campaign " + to_string(campaign));
  if (!submission)
    return tl::unexpected(submission.error());
  auto spec = decode_older<campaign_spec>(submission->spec);
  if (!spec)
    return tl::unexpected(spec.error());
  out.submission = std::move(*submission);
  out.spec = std::move(*spec);
  for (;;) {
    auto more = data.read_events(campaign, out.events.size() + 1, records_a_read);
    if (!more)
      return tl::unexpected(more.error());
    for (auto& e : *more) {
      out.events.push_back({e.time_ns, e.kind, e.version, std::move(e.payload)});
      fold_event(out.fold, campaign, out.events.back(), out.events.size());
    }
    if (more->size() < records_a_read)
      break;
  }
  if (!out.fold.mismatch.empty())
    return fail(errc::corrupt, "the campaign's journal does not hold: " + out.fold.mismatch);
  return out;
}

void fold_event(campaign_fold& f, const id128& campaign, const batch_event& e, uint64_t sequence) {
  fold(f, {sequence, campaign, e.time_ns, static_cast<event_kind>(e.kind), e.payload, e.version});
}

result<void> each_record(const store& data, table where, const std::string& prefix,
                         const std::function<void(const std::string&, const std::string&)>& each) {
  std::string after;
  for (;;) {
    auto rows = data.scan(where, prefix, records_a_read, after);
    if (!rows)
      return tl::unexpected(rows.error());
    for (const auto& [key, value] : *rows)
      each(key, value);
    if (rows->size() < records_a_read)
      return {};
    after = rows->back().first;
  }
}

bool stands_still(event_kind k) {
  switch (k) {
    case event_kind::session_started:
    case event_kind::node_proposed:
    case event_kind::evaluation_intent: // of a compilation that a model asked for before its reply
    case event_kind::evaluation_result:
    case event_kind::node_faulted:
    case event_kind::campaign_state:
    case event_kind::campaign_ran:
    case event_kind::model_asked:
    case event_kind::model_answered:
    case event_kind::model_called:
    case event_kind::model_call_ended:
      return true;
    default:
      return false;
  }
}

bool may_come_back(event_kind k) {
  switch (k) {
    case event_kind::session_started:
    case event_kind::campaign_prepared:
    case event_kind::evaluation_intent:
    case event_kind::evaluation_result:
    case event_kind::node_finished:
    case event_kind::node_faulted:
    case event_kind::champion_changed:
    case event_kind::node_confirmed:
    case event_kind::node_amended:
    case event_kind::campaign_ran:
    case event_kind::campaign_finished:
      return true;
    default: // a pause for trouble on the other machine does not matter here
      return false;
  }
}

event_record to_record(const id128& campaign, const batch_event& e) {
  event_record out;
  out.campaign = campaign;
  out.time_ns = e.time_ns;
  out.kind = e.kind;
  out.version = e.version;
  out.payload = e.payload;
  return out;
}

batch_event draft_of(const batch_record& r) {
  return {r.time_ns, static_cast<uint16_t>(event_kind::campaign_batch), record_version, encode(r)};
}

} // namespace kevolve
