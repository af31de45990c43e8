#include "runtime/node/provider.hpp"

#include "actors/messages/promises.hpp"
#include "backends/llm/protocol/tool_turn.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <nlohmann/json.hpp>

#include <utility>

namespace kevolve {

namespace {

using provider_pointer = provider_actor::stateful_pointer<provider_state>;

// Returns a refusal for an invalid key or setting, which a retry would not change.
provider_end refused(const failure& why) {
  provider_end e;
  e.unsent = true;
  e.what = llm::failure_class::auth;
  e.action = llm::failure_action::hold_provider;
  e.words = to_string(e.what) + ": " + why.detail;
  return e;
}

void tell(provider_state& st) {
  st.own_status->says(std::to_string(st.flights.size()) + " in flight");
}

caf::result<provider_end> ask(provider_pointer self, provider_request& q) {
  auto& st = self->state;
  auto a = attempt_of(st.setup, std::move(q.body), q.stream);
  if (!a)
    return refused(a.error());
  a->fresh = q.fresh;
  // The transport's thread knows only the actor to which it sends.
  auto me = caf::actor_cast<provider_actor>(self);
  const auto number = ++st.last_flight;
  auto handle = st.setup.transport->start(std::move(*a), nullptr, [me, number](const attempt_end& e) {
    caf::anon_send(me, atom::answer_v, number, end_of(e));
  });
  if (!handle)
    return refused(handle.error());
  auto asker = caf::actor_cast<caf::actor_addr>(self->current_sender());
  if (st.watched.insert(asker).second)
    self->monitor(asker);
  auto promise = self->make_response_promise<provider_end>();
  st.flights[number] = {std::move(asker), q.serial, *handle, promise};
  st.own_status->flight(1);
  tell(st);
  return promise;
}

} // namespace

result<provider_setup> setup_of(const provider_spec& spec, std::shared_ptr<model_transport> transport) {
  auto plan = plan_of(spec);
  if (!plan)
    return tl::unexpected(plan.error());
  provider_setup out;
  out.plan = std::move(*plan);
  out.elsewhere = spec.elsewhere;
  out.key_file = spec.key_file;
  out.network = {spec.proxy, spec.proxy_env, spec.ca_file, spec.unix_socket, spec.plain_text};
  out.transport = std::move(transport);
  if (auto way = plan_route(out.plan.access, out.network); !way)
    return tl::unexpected(way.error());
  return out;
}

result<api_key> key_of(const provider_setup& setup) {
  const auto& access = setup.plan.access;
  if (!access.needs_key)
    return api_key{};
  return setup.key_file.empty() ? key_from_environment(access.key_environment) : key_from_file(setup.key_file);
}

result<attempt> attempt_of(const provider_setup& setup, std::string body, bool stream) {
  attempt a;
  a.provider = setup.plan.access;
  auto key = key_of(setup);
  if (!key)
    return tl::unexpected(key.error());
  a.key = std::move(*key);
  a.body = std::make_shared<const std::string>(std::move(body));
  a.stream = stream;
  a.limits = setup.limits;
  a.network = setup.network;
  return a;
}

provider_end end_of(const attempt_end& e) {
  provider_end out;
  out.answered = e.outcome == attempt_outcome::answered && !e.remedy;
  out.cancelled = e.outcome == attempt_outcome::cancelled;
  out.unsent = e.bytes_out == 0 && e.bytes_in == 0; // some providers answer before they have read the whole request
  out.resent = e.resent;
  if (e.remedy) {
    out.what = e.remedy->what;
    out.action = e.remedy->action;
    out.delay_ms = e.remedy->delay ? e.remedy->delay->count() : unknown_count;
    out.words = e.remedy->words;
  }
  out.headers = e.headers;
  out.called = !e.reply.calls.empty();
  out.text = out.called ? llm::calls_text({e.reply.text, e.reply.calls}) : e.reply.text;
  if (!e.reply.trace.empty())
    out.trace = nlohmann::json{{"prompt_token_ids", e.reply.trace.prompt_ids},
                               {"token_ids", e.reply.trace.ids},
                               {"logprobs", e.reply.trace.logprobs}}
                    .dump();
  const auto& u = e.reply.usage;
  out.service_tier = u.service_tier;
  auto& f = out.figures;
  f.status = e.status;
  f.model_answered = e.reply.model;
  f.finish = to_string(e.reply.finish);
  f.input_tokens = u.input.value_or(unknown_count);
  f.cached_tokens = u.cached_read.value_or(unknown_count);
  f.cache_write_tokens = u.cache_write.value_or(unknown_count);
  f.cache_write_1h_tokens = u.cache_write_1h.value_or(unknown_count);
  f.output_tokens = u.output.value_or(unknown_count);
  f.reasoning_tokens = u.reasoning.value_or(unknown_count);
  f.first_content_us = e.times.first_content ? e.times.first_content->count() : unknown_count;
  return out;
}

provider_state::~provider_state() {
  for (auto& [number, f] : flights) {
    f.handle.cancel();
    abandon(f.promise, "the provider's actor");
  }
}

provider_actor::behavior_type provider(provider_pointer self, actor_status_ptr own_status, provider_setup setup) {
  self->state.own_status = std::move(own_status);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) { // nobody would receive the replies
    self->state.watched.erase(m.source);
    for (auto& [number, f] : self->state.flights)
      if (f.asker == m.source)
        f.handle.cancel();
  });
  tell(self->state);
  return {
      [self](atom::ask, provider_request& q) {
        handling h{self, self->state.own_status, "ask"};
        return ask(self, q);
      },
      [self](atom::cancel, uint64_t serial) {
        handling h{self, self->state.own_status, "cancel"};
        for (auto& [number, f] : self->state.flights)
          if (f.serial == serial && f.asker == self->current_sender())
            f.handle.cancel();
      },
      [self](atom::answer, uint64_t number, provider_end& e) {
        auto& st = self->state;
        handling h{self, st.own_status, "answer"};
        auto f = st.flights.find(number);
        if (f == st.flights.end())
          return;
        f->second.promise.deliver(std::move(e));
        st.flights.erase(f);
        st.own_status->flight(-1);
        tell(st);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
