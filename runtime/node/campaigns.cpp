#include "runtime/node/campaigns.hpp"

#include "actors/append.hpp"
#include "actors/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "store/transaction.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

namespace kevolve {

namespace {

using pointer = campaigns_actor::stateful_pointer<campaigns_state>;

constexpr auto status_limit = std::chrono::seconds{5};
constexpr uint32_t campaigns_listed = 10'000;

campaign_status starting_status(const id128& id, const std::string& name) {
  campaign_status s;
  s.id = id;
  s.name = name;
  s.state = "preparing";
  return s;
}

caf::result<campaign_status> start(pointer self, const id128& id, const campaign_submission& submission) {
  auto& st = self->state;
  if (auto known = st.running.find(id); known != st.running.end() && known->second.failure.empty())
    return starting_status(id, submission.name);
  if (auto former = caf::actor_cast<caf::strong_actor_ptr>((*st.ground.started)[id])) {
    // Two instances of a campaign would write over each other.
    if (st.ending.emplace(id, submission).second)
      self->monitor(former);
    return starting_status(id, submission.name);
  }
  auto parts = assemble_campaign(self->system(), st.ground, id, submission, static_cast<uint64_t>(self->id()), true);
  if (!parts)
    return to_error(parts.error());
  auto context = parts->context;
  auto keeper = spawn_carded<caf::linked + caf::monitored>(
      *self, st.ground.cards, "supervisor", "campaign " + short_string(id), static_cast<uint64_t>(self->id()),
      supervisor, supervision_config{}, std::move(parts->children));
  st.running[id] = {context, keeper, {}};
  (*st.ground.started)[id] = keeper.address();
  log::info("campaigns", "campaign {} ({}) started", short_string(id), context->name);
  return starting_status(id, context->name);
}

void submit(pointer self, const id128& id, const campaign_submission& submission,
            caf::typed_response_promise<campaign_status> promise) {
  auto& st = self->state;
  auto begin = [self, id, submission, promise]() mutable {
    auto s = start(self, id, submission);
    if (s.flag == caf::rt_error)
      promise.deliver(std::move(s.err));
    else
      promise.deliver(s.value.get_as<campaign_status>(0));
  };
  self->request(st.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::campaign(id))
      .then([begin](std::string&) mutable { begin(); },
            [self, id, submission, promise, begin](caf::error& e) mutable {
              if (to_failure(e).code != errc::not_found) {
                promise.deliver(std::move(e));
                return;
              }
              append_request a;
              a.campaign = id;
              a.events.push_back({event_kind::campaign_submitted, encode(submission)});
              a.values.push_back({keys::index, keys::campaign(id), encode(submission)});
              a.values.push_back({keys::index, keys::status(id), encode(starting_status(id, submission.name))});
              append(
                  self, self->state.card, self->state.ground.journal, caf::actor{}, std::move(a),
                  [begin](uint64_t) mutable { begin(); },
                  [promise](caf::error& e2) mutable { promise.deliver(std::move(e2)); });
            });
}

// Takes up campaigns that have not ended: every one, or those that this session had started before a crash of
// this actor.
void resume_unfinished(pointer self, bool every) {
  auto& journal = self->state.ground.journal;
  self->request(journal, until_answered, atom::scan_v, std::string{keys::index}, std::string{"campaign/"},
                campaigns_listed)
      .then(
          [self, every](std::vector<stored_value>& rows) {
            for (const auto& row : rows) {
              auto id = id_of(std::string_view{row.key}.substr(std::string_view{"campaign/"}.size()));
              auto submission = decode<campaign_submission>(row.value);
              if (!submission || (!every && !self->state.ground.started->contains(id)))
                continue;
              self->request(self->state.ground.journal, until_answered, atom::lookup_v, std::string{keys::index},
                            keys::status(id))
                  .then(
                      [self, id, submission = *submission](std::string& bytes) {
                        auto status = decode<campaign_status>(bytes);
                        if (!status || (status->state != "finished" && status->state != "failed"))
                          start(self, id, submission);
                      },
                      [self, id, submission = *submission](caf::error&) { start(self, id, submission); });
            }
          },
          [self](caf::error& e) {
            log::error("campaigns", "cannot list campaigns: {}", to_string(to_failure(e)));
            self->quit(std::move(e)); // the next instance tries again
          });
}

// The stored statuses with those of running campaigns put over them.
struct listing {
  std::map<id128, campaign_status> found;
  size_t awaited = 0;
  caf::typed_response_promise<std::vector<campaign_status>> promise;

  void done() {
    if (awaited != 0)
      return;
    std::vector<campaign_status> out;
    for (auto& [id, s] : found)
      out.push_back(std::move(s));
    promise.deliver(std::move(out));
  }
};

void ask_running(pointer self, const std::shared_ptr<listing>& l) {
  auto& running = self->state.running;
  l->awaited = running.size();
  for (auto& [id, e] : running) {
    if (!e.failure.empty()) {
      auto& s = l->found[id];
      s.id = id;
      s.name = e.context->name;
      s.state = "failed";
      s.reason = e.failure;
      --l->awaited;
      continue;
    }
    self->request(e.context->campaign, status_limit, atom::status_v)
        .then(
            [l](campaign_status& s) {
              l->found[s.id] = std::move(s);
              --l->awaited;
              l->done();
            },
            [l](caf::error&) {
              --l->awaited; // restarting: the stored status stands
              l->done();
            });
  }
  l->done();
}

void list(pointer self, caf::typed_response_promise<std::vector<campaign_status>> promise) {
  auto l = std::make_shared<listing>();
  l->promise = std::move(promise);
  self->request(self->state.ground.journal, until_answered, atom::scan_v, std::string{keys::index},
                std::string{"status/"}, campaigns_listed)
      .then(
          [self, l](std::vector<stored_value>& rows) {
            for (const auto& row : rows)
              if (auto s = decode<campaign_status>(row.value))
                l->found[s->id] = std::move(*s);
            ask_running(self, l);
          },
          [l](caf::error& e) { l->promise.deliver(std::move(e)); });
}

} // namespace

campaigns_actor::behavior_type campaigns(pointer self, card_ptr card, node_ground ground, bool resume_all) {
  self->state.card = std::move(card);
  self->state.ground = std::move(ground);
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) {
    for (auto& [id, keeper] : *self->state.ground.started)
      if (keeper == m.source)
        keeper = nullptr;
    for (auto& [id, e] : self->state.running)
      if (e.supervisor && e.supervisor.address() == m.source) {
        e.failure = describe_end(m.reason);
        e.supervisor = nullptr;
        log::error("campaigns", "campaign {} gave up: {}", short_string(id), e.failure);
      }
    auto waiting = std::exchange(self->state.ending, {});
    for (const auto& [id, submission] : waiting)
      start(self, id, submission); // waits again if its supervisor was not the one
  });
  self->set_exit_handler([self](caf::exit_msg& m) {
    if (m.reason != caf::exit_reason::user_shutdown && m.reason != caf::exit_reason::kill)
      return; // a campaign that gave up: the monitor tells of it
    // Linked campaigns stop with this actor; in order when it does.
    for (auto& [id, e] : self->state.running)
      if (e.supervisor)
        self->send_exit(e.supervisor, m.reason);
    self->state.running.clear();
    self->quit(m.reason);
  });
  self->state.card->says("idle");
  if (resume_all || !self->state.ground.started->empty())
    resume_unfinished(self, resume_all);
  return {
      [self](atom::submit, const id128& id, const campaign_submission& submission) -> caf::result<campaign_status> {
        handling h{self, self->state.card, "submit"};
        if (auto known = self->state.running.find(id);
            known != self->state.running.end() && known->second.failure.empty())
          return starting_status(id, submission.name);
        auto promise = self->make_response_promise<campaign_status>();
        submit(self, id, submission, promise);
        return promise;
      },
      [self](atom::list) -> caf::result<std::vector<campaign_status>> {
        handling h{self, self->state.card, "list"};
        auto promise = self->make_response_promise<std::vector<campaign_status>>();
        list(self, promise);
        return promise;
      },
      [self](atom::lookup, const id128& id) -> caf::result<caf::actor> {
        handling h{self, self->state.card, "lookup"};
        auto e = self->state.running.find(id);
        if (e == self->state.running.end())
          return to_error({errc::not_found, "no running campaign " + short_string(id)});
        if (!e->second.failure.empty())
          return to_error({errc::unavailable, e->second.failure});
        return caf::actor_cast<caf::actor>(e->second.context->campaign);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
