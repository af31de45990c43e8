#include "actors/models/model_distilling.hpp"

#include "actors/campaign/append.hpp"
#include "actors/messages/promises.hpp"
#include "actors/models/provider_calls.hpp"
#include "actors/synthesis/exchange.hpp"
#include "actors/synthesis/skill_question.hpp"
#include "config/campaign.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace kevolve {

namespace {

using gain_ptr = model_generator_state::gain_ptr;

template <class T>
void finish(model_generator_pointer self, const gain_ptr& g, T&& answer) {
  auto& st = self->state;
  const auto found = st.gains.find(g->about.child);
  if (found == st.gains.end() || found->second != g)
    return; // it was withdrawn
  st.gains.erase(found);
  st.own_status->flight(-1);
  g->promise.deliver(std::forward<T>(answer));
}

void take(model_generator_pointer self, const gain_ptr& g, const std::string& reply) {
  auto step = synthesis::read_skill(reply, g->about);
  if (step)
    finish(self, g, std::move(*step));
  else
    finish(self, g, to_error({errc::bad_input, "the reply does not put the step into words"}));
}

void ask(model_generator_pointer self, const gain_ptr& g) {
  self->request(self->state.model, until_answered, atom::ask_v, g->question)
      .then([self, g](const model_reply& r) { take(self, g, r.text); },
            [self, g](caf::error& e) { finish(self, g, std::move(e)); });
}

model_question question_about(const model_generator_state& st, const gain_texts& gain) {
  auto p = synthesis::ask_for_skill(gain);
  model_question q;
  q.record.id = {st.context->id, gain.child, st.place, distil_round};
  q.record.purpose = distil_purpose;
  q.record.kind = st.context->spec->generators[st.place].kind;
  q.record.asked_ns = st.now_ns();
  q.turns = {{"system", std::move(p.system)}, {"user", std::move(p.user)}};
  q.terms = st.terms;
  q.terms.reply_tokens = st.distil_tokens;
  q.record.tokens = synthesis::tokens_of(q);
  return q;
}

} // namespace

caf::result<worded_step> distil_by_model(model_generator_pointer self, gain_texts& gain) {
  auto& st = self->state;
  if (st.distil_tokens == 0)
    return to_error({errc::unsupported, "the campaign's distil_tokens is 0"});
  auto g = std::make_shared<model_generator_state::gain>();
  g->question = question_about(st, gain);
  if (g->question.record.tokens > st.budgets.context - st.distil_tokens)
    return to_error(
        {errc::bad_input, "the question would not fit a context of " + std::to_string(st.budgets.context) + " tokens"});
  g->about = std::move(gain);
  g->promise = self->make_response_promise<worded_step>();
  st.gains[g->about.child] = g;
  st.own_status->flight(1);
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign),
      synthesis::asked(g->question), [self, g](uint64_t) { ask(self, g); },
      [self, g](caf::error& e) { finish(self, g, std::move(e)); });
  return g->promise;
}

void withdraw_distilling(model_generator_pointer self, uint64_t node) {
  const auto found = self->state.gains.find(node);
  if (found == self->state.gains.end())
    return;
  const auto g = found->second;
  self->send(self->state.model, atom::cancel_v, g->question.record.id);
  finish(self, g, to_error({errc::cancelled, "the campaign ended before the model had answered"}));
}

} // namespace kevolve
