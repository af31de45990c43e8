// Creates a campaign: its first append, then its actors.
#include "actors/campaign/append.hpp"
#include "actors/campaign/injection.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/campaigns_steps.hpp"

namespace kevolve::campaigns_steps {

namespace {

// Returns the first append of a campaign. A fork's first candidate comes from another campaign.
append_request first_append(const id128& id, const campaign_submission& submission, const campaign_start& how,
                            const campaign_status& status) {
  append_request a;
  a.campaign = id;
  a.events.push_back({event_kind::campaign_submitted, encode(submission)});
  a.values.push_back({keys::index, keys::campaign(id), encode(submission)});
  campaign_fold f;
  auto steered = [&](steering_record r) {
    r.by = how.by;
    r = record_change(f.steered, std::move(r));
    r.tree_hash = f.tree.hash();
    a.events.push_back({event_kind::campaign_steered, encode(r)});
  };
  if (how.priority != default_priority) {
    steering_record r;
    r.action = steer_action::priority;
    r.priority = how.priority;
    steered(std::move(r));
  }
  if (how.origin) {
    auto node = inject_candidate(f, id, submission.seed, 0, how.first, to_string(steer_action::fork), true);
    put(a, node, how.first);
    steering_record r;
    r.action = steer_action::fork;
    r.index = node.record.index;
    r.candidate = candidate_id(how.first);
    r.origin = how.origin;
    r.origin_node = how.origin_node;
    steered(std::move(r));
  }
  auto s = status;
  s.priority = how.priority;
  s.origin = how.origin;
  s.origin_node = how.origin_node;
  a.values.push_back({keys::index, keys::status(id), encode(s)});
  return a;
}

} // namespace

void submit(pointer self, const id128& id, const campaign_submission& submission, const campaign_start& how,
            caf::typed_response_promise<campaign_status> promise) {
  auto& st = self->state;
  if (st.going.contains(id)) {
    promise.deliver(to_error(going_away));
    return;
  }
  auto begin = [self, id, submission, priority = how.priority, promise]() mutable {
    if (self->state.going.contains(id)) { // the removal began after the lookup
      promise.deliver(to_error(going_away));
      return;
    }
    auto s = start(self, id, submission, true, priority);
    if (s.flag == caf::rt_error)
      promise.deliver(std::move(s.err));
    else
      promise.deliver(s.value.get_as<campaign_status>(0));
  };
  auto record = [self, id, submission, how, promise, begin]() mutable {
    if (self->state.going.contains(id)) {
      promise.deliver(to_error(going_away));
      return;
    }
    if (auto may = may_run(submission, self->state.ground); !may) {
      promise.deliver(to_error(may.error()));
      return;
    }
    auto status = starting_status(id, submission.name, has_place(self->state) ? "preparing" : "queued");
    append(
        self, self->state.own_status, self->state.ground.journal, caf::actor{},
        first_append(id, submission, how, status), [begin](uint64_t) mutable { begin(); },
        [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  };
  auto if_absent = [promise](auto then) {
    return [promise, then](caf::error& e) mutable {
      if (to_failure(e).code == errc::not_found)
        then();
      else
        promise.deliver(std::move(e));
    };
  };
  // A campaign of the same id may be partly forgotten: its events are still to be erased.
  auto record_unless_going = [self, id, promise, record, if_absent]() mutable {
    self->request(self->state.ground.journal, until_answered, atom::lookup_v, std::string{keys::index},
                  keys::forgetting(id))
        .then([promise](std::string&) mutable { promise.deliver(to_error(going_away)); }, if_absent(record));
  };
  self->request(st.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::campaign(id))
      .then([begin](std::string&) mutable { begin(); }, if_absent(record_unless_going));
}

} // namespace kevolve::campaigns_steps
