// Applies the changes that people make to a campaign. Each change is stored as an event, with what follows from it, and
// answered once that is fsync'd. A change that is already in force is answered without an event.
#include "actors/campaign/campaign_steps.hpp"
#include "actors/campaign/injection.hpp"
#include "actors/campaign/promotion.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <optional>

namespace kevolve::campaign_steps {

namespace {

using answer_promise = caf::typed_response_promise<steer_answer>;

// The most injected candidates of one campaign that are not judged yet.
constexpr size_t most_injected = 32;
constexpr size_t most_source = 1U << 20U;

// The consequences of a change: records in the same append, and work after it.
struct consequence {
  append_request stored;
  std::optional<champion_record> champion_changed;
  std::function<void()> then;
};

steering_record record_of(const steer_request& q) {
  steering_record r;
  r.action = q.action;
  r.by = q.by;
  r.reason = q.reason;
  r.index = q.index;
  return r;
}

steer_answer unchanged(const campaign_state& st, uint64_t index = 0) {
  return {status_of(st), index, false};
}

void commit(pointer self, steering_record change, consequence c, answer_promise promise) {
  auto& st = self->state;
  auto a = std::move(c.stored);
  auto r = record_change(st.fold.steered, std::move(change));
  r.tree_hash = st.fold.tree.hash();
  log::info("campaign", "{}: {} by {}{}{}", st.context->name, to_string(r.action), r.by.empty() ? "?" : r.by,
            r.reason.empty() ? "" : ": ", r.reason);
  a.events.push_back({event_kind::campaign_steered, encode(r)});
  if (c.champion_changed) {
    fold_champion_changed(st.fold, *c.champion_changed);
    c.champion_changed->tree_hash = st.fold.tree.hash();
    a.events.push_back({event_kind::champion_changed, encode(*c.champion_changed)});
  }
  a.values.push_back(status_value(st));
  auto index = r.action == steer_action::inject ? r.index : uint64_t{0};
  auto champion_changed = c.champion_changed.has_value();
  push(self, std::move(a), [self, promise, index, champion_changed, then = std::move(c.then)]() mutable {
    if (champion_changed)
      self->send(self->state.context->evaluator, atom::champion_changed_v, champion_now(self->state));
    if (then)
      then();
    promise.deliver(steer_answer{status_of(self->state), index, true});
  });
}

caf::result<steer_answer> commit(pointer self, steering_record change, consequence c) {
  auto promise = self->make_response_promise<steer_answer>();
  commit(self, std::move(change), std::move(c), promise);
  return promise;
}

caf::result<steer_answer> change_priority(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (q.priority < 1 || q.priority > most_priority)
    return to_error({errc::bad_input, "a priority is a whole number from 1 to " + std::to_string(most_priority)});
  if (st.fold.steered.priority == q.priority)
    return unchanged(st);
  auto r = record_of(q);
  r.priority = q.priority;
  return commit(self, std::move(r), {{}, {}, [self, p = q.priority] { self->state.context->priority->store(p); }});
}

caf::result<steer_answer> change_budget(pointer self, const steer_request& q) {
  auto& st = self->state;
  const auto& spec = *st.context->spec;
  const auto before = budget_of(spec, st.fold.steered);
  auto r = record_of(q);
  r.budget.candidates = q.set_candidates ? q.budget.candidates : before.candidates;
  r.budget.wall_s = q.set_wall ? q.budget.wall_s : before.wall_s;
  r.budget.device_s = q.set_device ? q.budget.device_s : before.device_s;
  const auto& b = r.budget;
  if (!(b.wall_s >= 0.0) || !(b.device_s >= 0.0))
    return to_error({errc::bad_input, "a budget cannot be negative"});
  if (b.candidates == 0 && b.wall_s == 0.0 && b.device_s == 0.0 && spec.stop.stall == 0)
    return to_error({errc::bad_input, "nothing would bound the campaign: leave it a budget"});
  if (encode(b) == encode(before))
    return unchanged(st);
  return commit(self, std::move(r), {{}, {}, [self] { pump(self); }});
}

caf::result<steer_answer> change_pin(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (q.index == 0)
    return to_error({errc::bad_input, "the reference can always be improved on: it needs no pin"});
  if ((q.action == steer_action::pin) == st.fold.steered.pinned.contains(q.index))
    return unchanged(st);
  if (q.action == steer_action::pin && is_banned(st.fold.tree, st.fold.steered.banned, q.index))
    return to_error({errc::conflict, "candidate " + std::to_string(q.index) + " is banned, or made from one that is"});
  return commit(self, record_of(q), {});
}

caf::result<steer_answer> ask_ban(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (q.index == 0)
    return to_error({errc::bad_input, "the reference cannot be banned"});
  if ((q.action == steer_action::ban) == st.fold.steered.banned.contains(q.index))
    return unchanged(st);
  if (q.action == steer_action::ban)
    for (auto pinned : st.fold.steered.pinned)
      if (is_banned(st.fold.tree, {q.index}, pinned))
        return to_error(
            {errc::conflict, "candidate " + std::to_string(pinned) + " of that subtree is pinned: unpin it first"});
  auto after = st.fold.steered.banned;
  if (q.action == steer_action::ban)
    after.insert(q.index);
  else
    after.erase(q.index);
  consequence c;
  if (const auto champion = champion_under(st.fold, after); champion != st.fold.champion.index)
    c.champion_changed = promotion_of(st.fold, champion);
  return commit(self, record_of(q), std::move(c));
}

std::string names_of(const std::vector<flag_set>& menu) {
  std::string out;
  for (const auto& x : menu)
    out += (out.empty() ? "" : ", ") + x.name;
  return out;
}

caf::result<steer_answer> inject(pointer self, steer_request& q) {
  auto& st = self->state;
  auto& f = st.fold;
  if (!st.context->hardware)
    return to_error({errc::unsupported, "this node does not serve target '" + st.context->spec->target + "'"});
  const auto& menu = st.context->hardware->flag_menu();
  if (std::none_of(menu.begin(), menu.end(), [&](const auto& x) { return x.name == q.what.flags; }))
    return to_error({errc::bad_input, "target " + st.context->spec->target + " has no flag set '" + q.what.flags
                                          + "', it has: " + names_of(menu)});
  if (q.what.source.empty() || q.what.source.size() > most_source)
    return to_error({errc::bad_input, "a source has 1 byte to 1 MiB"});
  const auto languages = st.context->hardware->languages();
  if (q.what.language.empty())
    q.what.language = languages.front();
  if (std::find(languages.begin(), languages.end(), q.what.language) == languages.end()) {
    std::string all;
    for (const auto& l : languages)
      all += (all.empty() ? "" : " or ") + l;
    return to_error({errc::bad_input, "of target " + st.context->spec->target + " a candidate's language is " + all
                                          + ", not " + q.what.language
                                          + ": --language names it, else the file's ending does"});
  }
  if (const auto wrong = st.context->hardware->lint_candidate(st.context->spec->task.task, q.what.source);
      !wrong.empty())
    return to_error({errc::bad_input, wrong.substr(0, wrong.find_last_not_of('\n') + 1)});
  if (f.tree.at(q.index).phase != node_phase::finished)
    return to_error({errc::conflict, "candidate " + std::to_string(q.index) + " is not judged yet"});
  if (is_banned(f.tree, f.steered.banned, q.index))
    return to_error({errc::conflict, "candidate " + std::to_string(q.index) + " is banned, or made from one that is"});
  const auto id = candidate_id(q.what);
  size_t waiting = 0;
  for (const auto& [index, x] : f.steered.injected) {
    if (x.candidate == id && f.tree.at(index).parents.front() == q.index)
      return unchanged(st, index);
    waiting += f.open.contains(index) ? 1U : 0U;
  }
  if (waiting >= most_injected)
    return to_error({errc::conflict,
                     std::to_string(waiting)
                         + " injected candidates wait for their judgement already, as many as may: inject more when "
                           "some are judged; in batch mode export them first (kevolve batch export)"});
  q.what.generator = to_string(steer_action::inject);
  q.what.summary = "injected by " + q.by + (q.reason.empty() ? "" : ": " + q.reason);
  const auto node = inject_candidate(f, st.context->id, st.context->spec->seed, q.index, q.what,
                                     to_string(steer_action::inject), false);
  const auto index = node.record.index;
  st.flight.select(index); // its actor follows when it is stored
  consequence c;
  c.stored.campaign = st.context->id;
  put(c.stored, node, q.what);
  c.then = [self, index] {
    self->state.flight.selected(index);
    if (self->state.phase() == campaign_phase::running)
      adopt_open(self);
  };
  auto r = record_of(q);
  r.index = index;
  r.candidate = id;
  return commit(self, std::move(r), std::move(c));
}

} // namespace

caf::result<steer_answer> ask_steer(pointer self, steer_request& q) {
  auto& st = self->state;
  if (!st.loaded) {
    auto promise = self->make_response_promise<steer_answer>();
    st.early_steering.emplace_back(promise, std::move(q));
    return promise;
  }
  if (is_about_a_batch(q.action))
    return st.fold.ended || st.phase() == campaign_phase::failed
               ? to_error({errc::conflict, "the campaign is " + to_string(st.phase())})
               : ask_batch(self, q);
  if (is_away(st))
    return to_error(away_failure(st));
  const auto reopens =
      st.fold.ended && st.fold.finish.stop_reason == end_reason::budget && st.phase() == campaign_phase::finished;
  if ((st.fold.ended || st.phase() == campaign_phase::failed) && !(reopens && q.action == steer_action::budget))
    return to_error({errc::conflict, "the campaign is " + to_string(st.phase())});
  if (st.phase() == campaign_phase::finishing)
    return to_error({errc::conflict, "the campaign is finishing: its best is being confirmed"});
  if (q.action == steer_action::priority)
    return change_priority(self, q);
  if (q.action == steer_action::budget)
    return change_budget(self, q);
  if (q.index >= st.fold.tree.size())
    return to_error({errc::not_found, "the campaign has nodes 0 to " + std::to_string(st.fold.tree.size() - 1)});
  if (q.action == steer_action::pin || q.action == steer_action::unpin)
    return change_pin(self, q);
  if (q.action == steer_action::ban || q.action == steer_action::unban)
    return ask_ban(self, q);
  if (q.action == steer_action::inject)
    return inject(self, q);
  return to_error({errc::bad_input, "a campaign cannot be steered by '" + to_string(q.action) + "'"});
}

caf::result<campaign_status> reopen(pointer self, const std::string& reason) {
  auto& st = self->state;
  const auto wall = wall_seconds(st);
  const auto still = should_stop(rules_of(*st.context->spec, st.fold.steered), progress_of(st.fold, wall));
  if (still.stop)
    return to_error({errc::conflict,
                     "the campaign has ended, and would at once again: " + still.detail + "; raise its budget first"});
  if (!move(self, campaign_event::queue))
    return to_error({errc::conflict, "a campaign that is " + to_string(st.phase()) + " cannot be reopened"});
  st.reason = waits_for_place;
  auto promise = self->make_response_promise<campaign_status>();
  steering_record change;
  change.action = steer_action::reopen;
  change.reason = reason.empty() ? "its budget was raised" : reason;
  auto r = record_change(st.fold.steered, std::move(change));
  r.tree_hash = st.fold.tree.hash();
  st.fold.ended = false;
  st.fold.finish = {};
  append_request a;
  a.events.push_back({event_kind::campaign_steered, encode(r)});
  a.values.push_back(status_value(st));
  push(self, std::move(a), [self, promise]() mutable {
    promise.deliver(status_of(self->state));
    if (auto d = caf::actor_cast<caf::actor>(self->state.context->directory))
      caf::anon_send(d, atom::begin_v, self->state.context->id);
  });
  return promise;
}

void tell_ended(pointer self) {
  if (auto d = caf::actor_cast<caf::actor>(self->state.context->directory))
    caf::anon_send(d, atom::finished_v, self->state.context->id);
}

} // namespace kevolve::campaign_steps
