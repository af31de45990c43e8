#include "actors/cluster/cluster_link.hpp"

#include "actors/cluster/link_membership.hpp"
#include "actors/cluster/link_queue.hpp"
#include "actors/cluster/link_skills.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/cluster_words.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <utility>

namespace kevolve {

namespace {

constexpr size_t most_unshared = 1'000; // while PostgreSQL is away

} // namespace

cluster_link_state::~cluster_link_state() {
  for (auto& [key, s] : sent)
    abandon(s.promise, "the link to the cluster");
  abandon(left, "the link to the cluster");
}

cluster_actor::behavior_type cluster_link(cluster_link_pointer self, actor_status_ptr own_status, cluster_setup setup) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.setup = std::move(setup);
  st.view.node = st.setup.self.name;
  report_exceptions(self);
  watch_guests(self);
  const auto weak = caf::actor_cast<caf::weak_actor_ptr>(self);
  st.listener = std::make_unique<notification_listener>(
      st.setup.options, std::vector<std::string>{cluster_channel::jobs, cluster_channel::done, cluster_channel::nodes},
      [weak](const std::string& channel, const std::string& payload) {
        if (auto strong = caf::actor_cast<caf::strong_actor_ptr>(weak))
          caf::anon_send(caf::actor_cast<caf::actor>(strong), atom::wake_v, channel, payload);
      });
  self->send(self, atom::tick_v);
  return {
      [self](atom::submit, cluster_job& job) -> caf::result<cluster_result> {
        handling h{self, self->state.own_status, "submit"};
        auto promise = self->make_response_promise<cluster_result>();
        self->state.own_status->flight(1);
        auto& slot = self->state.sent[job.key];
        abandon(slot.promise, "another request for the same job");
        self->state.to_put.push_back(job.key);
        slot = {std::move(job), promise};
        work_soon(self);
        return promise;
      },
      [self](atom::cancel, const id128& key) {
        handling h{self, self->state.own_status, "cancel"};
        auto& s = self->state;
        const auto job = s.sent.find(key);
        if (job == s.sent.end())
          return;
        s.own_status->flight(-1);
        job->second.promise.deliver(cluster_result{key, {}, "cancelled", {}});
        s.sent.erase(job);
        s.withdrawn.push_back(key);
        work_soon(self);
      },
      [self](atom::wake, const std::string& channel, const std::string& payload) {
        handling h{self, self->state.own_status, "wake"};
        if (channel == cluster_channel::nodes && self->state.joined)
          look_at_nodes(self);
        auto& s = self->state;
        const auto all = channel.empty();
        const auto results = all || (channel == cluster_channel::done && payload == s.setup.self.name);
        const auto jobs = all || (channel == cluster_channel::jobs && has_free_slot(self, payload));
        s.collect_due = s.collect_due || results;
        s.claim_due = s.claim_due || jobs;
        if (results || jobs)
          work_soon(self);
      },
      [self](atom::finished, guest_end& end) {
        handling h{self, self->state.own_status, "finished"};
        auto& s = self->state;
        if (s.guests.erase(end.token) > 0)
          s.ended.push_back(std::move(end));
        s.claim_due = true;
        work_soon(self);
      },
      [self](atom::flush) {
        handling h{self, self->state.own_status, "flush"};
        work(self);
      },
      [self](atom::tick) {
        handling h{self, self->state.own_status, "tick"};
        beat(self);
      },
      [self](atom::status) {
        auto view = self->state.view;
        view.waiting = self->state.sent.size();
        view.guests = self->state.guests.size();
        return view;
      },
      [self](atom::pause, const std::string& name) { return drain(self, name, true); },
      [self](atom::resume, const std::string& name) { return drain(self, name, false); },
      [self](atom::lookup, const std::string& key) {
        handling h{self, self->state.own_status, "lookup"};
        return shared_result(self, key);
      },
      [self](atom::publish, std::vector<stored_value>& all) {
        handling h{self, self->state.own_status, "publish"};
        auto& waiting = self->state.to_share;
        for (auto& v : all)
          if (v.family == keys::skills)
            note_skill(self, v.value);
          else if (v.family == keys::evaluations)
            waiting.push_back({std::move(v.key), std::move(v.value), {}});
          else if (!waiting.empty())
            waiting.back().object = std::move(v.value);
        while (waiting.size() > most_unshared)
          waiting.pop_front(); // another node then measures it again
        work_soon(self);
      },
      [self](atom::release, uint32_t milliseconds) -> caf::result<bool> {
        handling h{self, self->state.own_status, "release"};
        return begin_leaving(self, std::chrono::milliseconds{milliseconds});
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
