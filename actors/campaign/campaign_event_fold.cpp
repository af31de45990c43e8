// One event of the journal: its record is read, folded, and checked against the tree's hash that it holds.
#include "actors/campaign/campaign_fold.hpp"
#include "runtime/base/codec.hpp"

#include <string>
#include <utility>

namespace kevolve {

namespace {

template <class T, class F>
void with(campaign_fold& f, const journal_event& e, F apply) {
  auto record = decode_older<T>(e.payload);
  if (record)
    apply(*record);
  else if (f.mismatch.empty())
    f.mismatch = "event " + std::to_string(e.sequence) + ": " + to_string(record.error());
}

// Compares the tree's hash with the recorded one. `changed`: the event was new. A repeated one records an outdated
// hash.
void check_hash(campaign_fold& f, const journal_event& e, bool changed, const id128& recorded) {
  if (changed && f.mismatch.empty() && !f.tree.recognises(recorded))
    f.mismatch = "event " + std::to_string(e.sequence) + ": the folded tree's hash is " + to_string(f.tree.hash())
                 + ", recorded was " + to_string(recorded);
}

// Counts the time from one event to the next as the campaign's. Pauses do not count, nor does time after its end or
// after a session's last event.
void fold_time(campaign_fold& f, const journal_event& e) {
  if (e.kind == event_kind::session_started) {
    f.clock.forget();
    f.records_time = false;
  } else if (e.kind != event_kind::campaign_steered)
    f.clock.look(e.time_ns);
}

void run_or_rest(campaign_fold& f, int64_t time_ns) {
  if (f.paused || f.ended || f.records_time)
    f.clock.forget();
  else
    f.clock.run(time_ns);
}

} // namespace

void fold(campaign_fold& f, const journal_event& e) {
  f.last_sequence = e.sequence;
  if (e.version > record_version) { // what it means is not known: nothing of it is taken in
    if (f.mismatch.empty())
      f.mismatch = "event " + std::to_string(e.sequence) + ": its record is of version " + std::to_string(e.version)
                   + ", and this kevolve reads versions up to " + std::to_string(record_version);
    return;
  }
  fold_time(f, e);
  switch (e.kind) {
    case event_kind::session_started:
      run_or_rest(f, e.time_ns);
      break;
    case event_kind::campaign_ran:
      with<run_record>(f, e, [&](run_record& r) {
        f.clock = run_clock{std::max(f.clock.spent_ns(), r.wall_ns)};
        f.records_time = true;
      });
      break;
    case event_kind::campaign_prepared:
      with<preparation>(f, e, [&](preparation& p) {
        f.prepared = true;
        f.fixed = std::move(p);
      });
      break;
    case event_kind::search_switched:
      with<switch_record>(f, e, [&](switch_record& r) { fold_switched(f, r); });
      break;
    case event_kind::node_selected:
      with<selection_record>(f, e, [&](selection_record& r) {
        const auto recorded = r.tree_hash;
        check_hash(f, e, fold_selected(f, std::move(r)), recorded);
      });
      break;
    case event_kind::node_proposed:
      with<proposal_record>(f, e, [&](proposal_record& r) {
        f.genomes.set(r.index, genome_fingerprint(r.genome));
        f.summaries.set(r.index, r.summary);
      });
      break;
    case event_kind::node_finished:
      with<node_record>(f, e, [&](node_record& r) { check_hash(f, e, fold_finished(f, r), r.tree_hash); });
      break;
    case event_kind::champion_changed:
      with<champion_record>(f, e,
                            [&](champion_record& r) { check_hash(f, e, fold_champion_changed(f, r), r.tree_hash); });
      break;
    case event_kind::node_confirmed:
      with<confirmation_record>(f, e, [&](confirmation_record& r) { fold_confirmed(f, r); });
      break;
    case event_kind::node_amended:
      with<amendment_record>(f, e, [&](amendment_record& r) { check_hash(f, e, fold_amended(f, r), r.tree_hash); });
      break;
    case event_kind::campaign_state:
      with<state_record>(f, e, [&](state_record& r) {
        f.paused = r.state == run_state::paused;
        f.pause_reason = f.paused ? r.reason : std::string{};
        run_or_rest(f, e.time_ns);
      });
      break;
    case event_kind::campaign_finished:
      with<finish_record>(f, e, [&](finish_record& r) {
        f.ended = true;
        f.finish = std::move(r);
        run_or_rest(f, e.time_ns);
      });
      break;
    case event_kind::model_call_ended:
      with<call_event>(f, e, [&](const call_event& r) { fold_called(f, r); });
      break;
    case event_kind::profile_begun:
      with<profiling_record>(f, e, [&](const profiling_record& r) { fold_profile_begun(f, r); });
      break;
    case event_kind::candidate_profiled:
      with<profiling_record>(f, e, [&](const profiling_record& r) { fold_profiled(f, r); });
      break;
    case event_kind::campaign_batch:
      with<batch_record>(f, e, [&](const batch_record& r) { fold_batch(f, r); });
      break;
    case event_kind::campaign_steered:
      with<steering_record>(f, e, [&](steering_record& r) {
        if (r.serial > f.steered.serial + 1 && f.mismatch.empty())
          f.mismatch = "event " + std::to_string(e.sequence) + ": a change before this one is lost";
        if (!fold_steered(f, r))
          return;
        check_hash(f, e, true, r.tree_hash);
        if (hash_of(f.steered) != r.steering_hash && f.mismatch.empty())
          f.mismatch =
              "event " + std::to_string(e.sequence) + ": what was steered does not add up to what was recorded";
      });
      break;
    default:
      break;
  }
}

} // namespace kevolve
