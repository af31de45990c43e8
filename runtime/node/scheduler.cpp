#include "runtime/node/scheduler.hpp"

#include "actors/messages/promises.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using pointer = scheduler_actor::stateful_pointer<scheduler_state>;

bool fits(const scheduler_state::resource& r, const lease_request& request) {
  const auto& have = r.offer.capabilities;
  return r.up && r.lease == 0 && r.offer.resource == request.resource
         && std::all_of(request.capabilities.begin(), request.capabilities.end(),
                        [&](const auto& c) { return std::find(have.begin(), have.end(), c) != have.end(); });
}

lease lease_of(const scheduler_state::resource& r) {
  return {r.lease, r.epoch, r.offer.resource_id, r.offer.owner, r.offer.handle, r.campaign, r.weight};
}

void grant(pointer self, scheduler_state::resource& r, scheduler_state::waiter w) {
  auto& st = self->state;
  r.lease = ++st.last_lease;
  r.holder = w.asker;
  r.campaign = w.request.campaign;
  r.weight = w.request.weight;
  r.charge = st.accounts.begin(r.offer.resource, r.campaign);
  r.since = self->clock().now();
  ++r.granted;
  w.promise.deliver(lease_of(r));
}

// Ends the lease, whether its job has ended or not.
void end_lease(pointer self, scheduler_state::resource& r) {
  if (r.lease == 0)
    return;
  const auto now = self->clock().now();
  self->state.accounts.end(r.offer.resource, r.campaign, r.charge, now - r.since, now);
  r.since = now;
  r.lease = 0;
  r.holder = nullptr;
}

// Returns true if a free resource should stay so for a moment: its last holder precedes `next` and usually asks again
// at once.
bool keeps_free(pointer self, const scheduler_state::resource& r, const lease_request& next) {
  const auto& accounts = self->state.accounts;
  const auto& kind = r.offer.resource;
  if (accounts.standing(kind, r.campaign) >= accounts.standing(kind, next.campaign))
    return false;
  const lease_accounts::seconds left = accounts.patience(kind, r.campaign) - (self->clock().now() - r.since);
  if (left.count() <= 0)
    return false;
  self->delayed_send(self, std::chrono::ceil<caf::actor_clock::duration_type>(left), atom::tick_v);
  return true;
}

// Gives every free resource to a waiting request that fits it: of the campaign with the lowest account; within a
// campaign by priority, then in order of arrival.
void match(pointer self) {
  auto& st = self->state;
  auto before = [&](const lease_request& a, const lease_request& b) {
    if (a.campaign != b.campaign) {
      auto x = st.accounts.standing(a.resource, a.campaign);
      auto y = st.accounts.standing(b.resource, b.campaign);
      if (x != y)
        return x < y;
    }
    return a.priority > b.priority;
  };
  for (auto& [id, r] : st.resources) {
    if (!r.up || r.lease != 0)
      continue;
    auto best = st.queue.end();
    for (auto i = st.queue.begin(); i != st.queue.end(); ++i)
      if (fits(r, i->request) && (best == st.queue.end() || before(i->request, best->request)))
        best = i;
    if (best == st.queue.end() || keeps_free(self, r, best->request))
      continue;
    auto w = std::move(*best);
    st.queue.erase(best);
    grant(self, r, std::move(w));
  }
  st.own_status->says(std::to_string(st.queue.size()) + " waiting");
}

void went_down(pointer self, const caf::actor_addr& who) {
  auto& st = self->state;
  for (auto& [id, r] : st.resources) {
    if (r.offer.handle && r.offer.handle.address() == who) {
      end_lease(self, r);
      r.up = false;
      r.offer.handle = nullptr;
      log::info("scheduler", "{} is gone", id);
    } else if (r.lease != 0 && r.holder == who) {
      // Its job may still run, so the resource is not granted again before it reports that it is free.
      caf::anon_send(r.offer.handle, atom::release_v, lease_of(r));
      end_lease(self, r);
      r.up = false;
    }
  }
  st.watched.erase(who);
  std::erase_if(st.queue, [&](const auto& w) {
    if (w.asker != who)
      return false;
    st.accounts.withdraw(w.request.resource, w.request.campaign);
    return true;
  });
  match(self);
}

} // namespace

scheduler_state::~scheduler_state() {
  for (auto& w : queue)
    abandon(w.promise, "the scheduler");
}

scheduler_actor::behavior_type scheduler(pointer self, actor_status_ptr own_status, uint64_t first_epoch) {
  self->state.own_status = std::move(own_status);
  self->state.first_epoch = first_epoch;
  self->state.last_lease = first_epoch;
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) { went_down(self, m.source); });
  return {
      [self](atom::offer, resource_offer& offer) -> caf::result<uint64_t> {
        handling h{self, self->state.own_status, "offer"};
        auto& st = self->state;
        auto& r = st.resources[offer.resource_id];
        r.epoch = std::max(r.epoch, st.first_epoch) + 1;
        end_lease(self, r);
        r.up = offer.unfit.empty();
        if (r.offer.handle != offer.handle)
          self->monitor(offer.handle);
        r.offer = std::move(offer);
        // The resource must know its epoch before a lease of it arrives.
        auto promise = self->make_response_promise<uint64_t>();
        promise.deliver(r.epoch);
        match(self);
        return promise;
      },
      [self](atom::acquire, lease_request& request) -> caf::result<lease> {
        handling h{self, self->state.own_status, "acquire"};
        auto asker = caf::actor_cast<caf::actor_addr>(self->current_sender());
        if (self->state.watched.insert(asker).second)
          self->monitor(asker);
        auto promise = self->make_response_promise<lease>();
        self->state.accounts.ask(request.resource, request.campaign, request.weight, self->clock().now());
        self->state.queue.push_back({std::move(request), asker, promise});
        match(self);
        return promise;
      },
      [self](atom::release, const lease& l) {
        handling h{self, self->state.own_status, "release"};
        auto i = self->state.resources.find(l.resource_id);
        if (i == self->state.resources.end() || i->second.lease != l.id || i->second.epoch != l.epoch)
          return;
        end_lease(self, i->second);
        match(self);
      },
      [self](atom::tick) {
        handling h{self, self->state.own_status, "tick"};
        match(self);
      },
      [self](atom::status) {
        handling h{self, self->state.own_status, "status"};
        std::vector<resource_status> out;
        for (const auto& [id, r] : self->state.resources)
          out.push_back({r.offer.resource, id, r.epoch, r.up, r.lease != 0, r.granted, r.offer.unfit});
        return out;
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
