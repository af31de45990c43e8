#include "tools/bench/recording.hpp"

#include "actors/knowledge/skill_distil.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"

#include <algorithm>
#include <cstdlib>

namespace kevolve::bench {

namespace {

stage parse_stage(const std::string& name) {
  for (auto s : {stage::compile, stage::screening, stage::confirm, stage::final_confirm, stage::audit})
    if (to_string(s) == name)
      return s;
  return stage::done; // of the preparation
}

class reader {
public:
  reader(const store& data, recording& out) : data_(data), out_(out) {}

  result<void> take(const event_record& e) {
    switch (static_cast<event_kind>(e.kind)) {
      case event_kind::campaign_submitted: {
        auto s = decode<campaign_submission>(e.payload);
        if (!s)
          return tl::unexpected(s.error());
        return keep(decode_older<campaign_spec>(s->spec), out_.spec);
      }
      case event_kind::campaign_prepared:
        return keep(decode<preparation>(e.payload), out_.fixed);
      case event_kind::node_selected:
        if (out_.first_selected_ns == 0)
          out_.first_selected_ns = e.time_ns;
        return given(e);
      case event_kind::node_proposed: {
        proposal_record p;
        if (auto ok = keep(decode<proposal_record>(e.payload), p); !ok)
          return ok;
        out_.propose_ns += p.propose_ns;
        note_applied(p);
        out_.proposals[p.index] = std::move(p);
        return {};
      }
      case event_kind::evaluation_result:
        return bought(e);
      case event_kind::node_finished:
        ++out_.candidates;
        out_.last_finished_ns = e.time_ns;
        return {};
      case event_kind::champion_changed: {
        champion_record c;
        if (auto ok = keep(decode<champion_record>(e.payload), c); !ok)
          return ok;
        out_.promotions.push_back(
            {static_cast<double>(e.time_ns - out_.first_selected_ns) / 1e9, out_.candidates, c.index, c.speedup});
        return {};
      }
      case event_kind::campaign_finished:
        return keep(decode_older<finish_record>(e.payload), out_.finish);
      default:
        return {};
    }
  }

private:
  template <class T>
  static result<void> keep(result<T> from, T& to) {
    if (!from)
      return tl::unexpected(from.error());
    to = std::move(*from);
    return {};
  }

  result<void> given(const event_record& e) {
    selection_record s;
    if (auto ok = keep(decode_older<selection_record>(e.payload), s); !ok)
      return ok;
    if (!s.skills.empty() && skills_.emplace(s.index, std::move(s.skills)).second)
      ++out_.given_skills;
    return {};
  }

  void note_applied(const proposal_record& p) {
    const auto& all = skills_[p.index];
    if (std::any_of(all.begin(), all.end(),
                    [&](const offered_skill& s) { return p.summary.find(offered_name(s.id)) != std::string::npos; }))
      ++out_.applied_skills;
  }

  result<void> bought(const event_record& e) {
    auto i = decode<intent_record>(e.payload);
    if (!i)
      return tl::unexpected(i.error());
    recorded_job job;
    job.node = i->index;
    job.what = parse_stage(i->stage);
    if (job.what == stage::done || job.what == stage::final_confirm)
      return {};
    auto bytes = data_.get(table::evaluations, keys::evaluation(i->evaluation));
    if (!bytes)
      return tl::unexpected(bytes.error());
    if (!*bytes)
      return fail(errc::corrupt, "event " + std::to_string(e.sequence) + " has a result that is not stored");
    auto record = decode_older<evaluation_record>(**bytes);
    if (!record)
      return tl::unexpected(record.error());
    if (job.what == stage::compile) {
      job.object = record->object;
      objects_[record->candidate] = record->object;
      if (!record->object.empty())
        digests_[object_id(record->object)] = record->object;
      out_.compile_ns += record->wall_ns;
      out_.compiles.push_back(std::move(job));
      return {};
    }
    job.object = objects_[record->candidate];
    job.baseline = record->baseline ? digests_[record->baseline] : std::string{};
    if (auto alpha = record->outcome.evidence.find("alpha"); alpha != record->outcome.evidence.end())
      job.alpha = std::strtod(alpha->second.c_str(), nullptr);
    job.wall_ns = record->wall_ns;
    job.pairs = pairs_of(record->outcome);
    out_.judge_ns += record->wall_ns;
    out_.judgements.push_back(std::move(job));
    return {};
  }

  const store& data_;
  recording& out_;
  std::map<uint64_t, std::vector<offered_skill>> skills_; // of steps, by the candidate
  std::map<id128, std::string> objects_;                  // candidate → digest
  std::map<id128, std::string> digests_;                  // object_id → digest
};

} // namespace

size_t pairs_of(const judge_outcome& o) {
  size_t out = 0;
  for (const auto& t : o.timings)
    out += t.baseline_ns.size();
  return out;
}

journal_event to_journal_event(const event_record& e) {
  return {e.sequence, e.campaign, e.time_ns, static_cast<event_kind>(e.kind), e.payload};
}

result<std::vector<event_record>> all_events(const store& data, const id128& campaign) {
  constexpr size_t page = 4'096;
  std::vector<event_record> out;
  for (;;) {
    auto more = campaign ? data.read_events(campaign, out.empty() ? 1 : out.back().campaign_sequence + 1, page)
                         : data.read_global(out.empty() ? 1 : out.back().sequence + 1, page);
    if (!more)
      return more;
    auto last = more->size() < page;
    for (auto& e : *more)
      out.push_back(std::move(e));
    if (last)
      return out;
  }
}

result<recording> read_recording(const store& data, const id128& campaign) {
  auto campaigns = data.campaigns();
  if (!campaigns)
    return tl::unexpected(campaigns.error());
  recording out;
  size_t known = 0;
  for (const auto& c : *campaigns)
    if (c.campaign && (!campaign || c.campaign == campaign)) {
      out.campaign = c.campaign;
      ++known;
    }
  if (known != 1)
    return fail(errc::bad_input, "the data directory holds " + std::to_string(known) + " campaigns, expected one");
  auto events = all_events(data, out.campaign);
  if (!events)
    return tl::unexpected(events.error());
  reader r{data, out};
  for (const auto& e : *events)
    if (auto ok = r.take(e); !ok)
      return tl::unexpected(ok.error());
  return out;
}

result<std::string> read_blob(const store& data, const std::string& digest) {
  auto bytes = data.blob(digest);
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return fail(errc::not_found, "blob " + digest);
  return std::move(**bytes);
}

} // namespace kevolve::bench
