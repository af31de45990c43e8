// The steps of a campaign's life, shared by the files that make up the campaign actor.
#pragma once

#include "actors/campaign/campaign.hpp"

#include <functional>
#include <optional>

namespace kevolve::campaign_steps {

using pointer = campaign_actor::stateful_pointer<campaign_state>;

// Takes the campaign to the phase that follows an event. Returns false, and logs it, if the event is refused.
bool move(pointer self, campaign_event event);
// Reads and folds the events, prepares, adopts what was in flight, goes on.
void load(pointer self);
void prepare(pointer self);
// Takes up the nodes in flight that have no actor.
void adopt_open(pointer self);
// Wakes retry() in a while.
void arm_retry(pointer self);
// Faults without any success between them, before the campaign waits for a person.
inline constexpr uint32_t faults_allowed = 12;
// Starts nodes while there is room and no reason to stop; starts the end otherwise.
void pump(pointer self);
// Queues an event; `stored` runs once it is fsync'd.
void push(pointer self, event_kind kind, std::string payload, std::vector<stored_value> values = {},
          std::function<void()> stored = {});
void push(pointer self, append_request what, std::function<void()> stored = {});
// While one lives, all that is pushed is collected and written in one append.
class one_append {
public:
  explicit one_append(pointer self);
  ~one_append();
  one_append(const one_append&) = delete;
  one_append& operator=(const one_append&) = delete;

private:
  pointer self_;
};
inline constexpr const char* waits_for_place = "waits for a place";
void pause(pointer self, pause_reason why, const std::string& reason, std::function<void()> stored = {});
void resume(pointer self, const std::string& reason);
caf::result<steer_answer> ask_steer(pointer self, steer_request& q);
// Notes that its evaluations travel from now on (batch_out), are back (batch_in), or will not be (batch_cancel).
caf::result<steer_answer> ask_batch(pointer self, const steer_request& q);
// Tells if the campaign is exported: nothing is selected and nothing ends until its batch is back. The second is the
// refusal of a request until then.
bool is_away(const campaign_state& st);
failure away_failure(const campaign_state& st);
std::string batch_text(uint64_t waiting);
// Suspends the campaign while all remaining work is done elsewhere, and resumes it after that.
void mind_elsewhere(pointer self);
// Suspends the campaign while only other nodes have its devices and PostgreSQL is away, and resumes it after that.
void mind_cluster(pointer self);
// Queues a campaign again that its budget ended, and whose budget was raised since.
caf::result<campaign_status> reopen(pointer self, const std::string& reason);
// Tells the directory that the campaign has ended: its place may go to another.
void tell_ended(pointer self);
// Tries again what a fault held up; a timer calls it.
void retry(pointer self);
void node_faulted(pointer self, uint64_t index, fault f);
void cancel_nodes(pointer self);
// Corrects a finished node's verdict and figures; `then` runs once that is stored. The rule then chooses the champion:
// the best by all figures, or the best that a final confirmation measured. With `stays` the champion remains, with its
// new figures.
enum class promotion_rule : uint8_t { to_the_best, to_the_measured, stays };
void amend(pointer self, amendment_record r, promotion_rule promote, std::function<void()> then = {},
           std::vector<id128> evaluations = {});
// Runs the final confirmation against the reference, then ends the campaign.
void finish(pointer self, end_reason reason, const std::string& detail);
// `stored` runs once the end is recorded; the campaign counts as ended from then on.
void end(pointer self, finish_record record, std::function<void()> stored = {});

// Begins a profile of a candidate where that may change a choice, and nothing else is being profiled.
void profile_next(pointer self);
// Records a profile that is stored, or has failed.
void profile_ended(pointer self, const profiling_record& r);

// Leaves medians for the raw samples that the retention rule gives up (evaluation/retention.hpp).
void thin_samples(pointer self);

// Returns the champion, and the level of the next promotion's test.
champion_info champion_now(const campaign_state& st);

// Returns the wall time spent on the campaign, without pauses, queueing and the time between sessions.
double wall_seconds(const campaign_state& st);
// Lets the campaign's clock run or rest, as its phase requires; called whenever the phase has changed.
void keep_time(pointer self);
// Records the time and minds the budget of it.
void clock_ticked(pointer self);
// Returns the record of the time spent, if it is worth one by now.
std::optional<event_draft> time_record(campaign_state& st);
// Stores the last record of the time in a session that ends in order.
void note_time(pointer self);
stored_value status_value(const campaign_state& st);

} // namespace kevolve::campaign_steps
