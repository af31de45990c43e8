#include "actors/models/model_generator.hpp"

#include "actors/campaign/append.hpp"
#include "actors/evaluation/module_baseline.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/step_end.hpp"
#include "actors/models/model_diagnosis.hpp"
#include "actors/models/model_distilling.hpp"
#include "actors/models/model_tools.hpp"
#include "actors/models/provider_calls.hpp"
#include "actors/search/novelty.hpp"
#include "actors/synthesis/exchange.hpp"
#include "actors/synthesis/step_facts.hpp"
#include "actors/synthesis/step_signals.hpp"
#include "backends/llm/protocol/tool_turn.hpp"
#include "runtime/base/codec.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace kevolve {

namespace {

using asking_pointer = generator_actor::stateful_pointer<model_generator_state>;
using work_ptr = model_generator_state::work_ptr;

void begin_round(asking_pointer self, const work_ptr& w);
void begin_candidate(asking_pointer self, const work_ptr& w);

template <class T>
void finish(asking_pointer self, const work_ptr& w, T&& answer) {
  if (!self->state.under_way.contains(w->serial))
    return; // the work was withdrawn
  w->promise.deliver(std::forward<T>(answer));
  self->state.under_way.erase(w->serial);
  self->state.own_status->flight(-1);
}

void give_up(asking_pointer self, const work_ptr& w, const failure& why) {
  finish(self, w, end_of_step(why));
}

proposal to_proposal(const model_generator_state& st, const work_ptr& w, synthesis::answer a) {
  proposal p;
  p.language = st.fixed.form.language;
  p.source = std::move(a.files.front().content);
  p.flags = a.flags.empty() ? flags_before(st, w) : a.flags;
  p.summary = std::move(a.summary);
  return p;
}

// Continues the conversation with the next round, after a reply and its answer were added.
void next_round(asking_pointer self, const work_ptr& w) {
  auto& q = w->question;
  auto id = q.record.id;
  ++id.round;
  q.record = {};
  q.record.id = id;
  begin_round(self, w);
}

void end(asking_pointer self, const work_ptr& w, synthesis::reading read) {
  if (read.kind == synthesis::reading_kind::candidate)
    finish(self, w, to_proposal(self->state, w, std::move(read.found)));
  else
    give_up(self, w, {errc::bad_input, to_string(read.why.what) + ": " + read.why.detail});
}

// Sends a reply back whose candidate repeats a known one. The model is asked again at most `ask_again` times; what it
// repeats after that is its proposal, and counts as one.
void end_unless_known(asking_pointer self, const work_ptr& w, const std::string& reply, bool called,
                      synthesis::reading read) {
  const auto& context = *self->state.context;
  if (read.kind != synthesis::reading_kind::candidate || w->asked_again >= context.spec->ask_again || called
      || !context.campaign) {
    end(self, w, std::move(read));
    return;
  }
  const auto& found = read.found;
  const auto id = normalised_id(found.files.front().content, self->state.fixed.form.language,
                                found.flags.empty() ? flags_before(self->state, w) : found.flags);
  auto shared = std::make_shared<synthesis::reading>(std::move(read));
  self->request(context.campaign, until_answered, atom::lookup_v, w->step.index, id)
      .then(
          [self, w, reply, shared](uint64_t known) {
            if (known == 0) {
              end(self, w, std::move(*shared));
              return;
            }
            ++w->asked_again;
            auto& turns = w->question.turns;
            turns.push_back(
                {"assistant", synthesis::cut_to(reply, self->state.budgets.reply, synthesis::cut_rule::ends)});
            turns.push_back({"user", synthesis::repeat_prompt(known)});
            next_round(self, w);
          },
          [self, w, shared](caf::error&) { end(self, w, std::move(*shared)); });
}

// Ends a question without an answer. In a session the files written before may still be a candidate.
void end_without(asking_pointer self, const work_ptr& w, const failure& why) {
  if (w->question.record.purpose == diagnosis_purpose && why.code == errc::bad_input) {
    take_diagnosis(self->state, *w, {}); // the step goes on with what was measured
    begin_candidate(self, w);
    return;
  }
  if (w->talk.tools && w->question.record.id.round > 0 && (why.code == errc::bad_input || why.code == errc::cancelled))
    end(self, w, synthesis::cut_short(w->talk, {}, "ended: " + why.detail));
  else
    give_up(self, w, why);
}

void take(asking_pointer self, const work_ptr& w, const std::string& reply, bool called) {
  auto& q = w->question;
  if (q.record.purpose == diagnosis_purpose) {
    take_diagnosis(self->state, *w, reply);
    begin_candidate(self, w);
    return;
  }
  auto read = synthesis::read_reply(w->talk, reply, called, q.record.tokens);
  switch (read.kind) {
    case synthesis::reading_kind::candidate:
    case synthesis::reading_kind::refused:
      end_unless_known(self, w, reply, called, std::move(read));
      return;
    case synthesis::reading_kind::mend:
      // Text beyond a reply's size limit was refused for that; sent back whole, it might not fit into the next
      // question.
      q.turns.push_back({"assistant", synthesis::cut_to(reply, self->state.budgets.reply, synthesis::cut_rule::ends)});
      q.turns.push_back({"user", synthesis::repair_prompt(read.why, q.rules)});
      break;
    case synthesis::reading_kind::calls:
      q.turns.push_back({std::string{llm::calls_role}, reply});
      w->calls = std::move(read.calls);
      break;
  }
  next_round(self, w);
}

failure withdrawn() {
  return {errc::cancelled, "the campaign ended before the model had answered"};
}

// Withdraws the node's work. Its record stays in the journal, and so does a late answer.
void withdraw(asking_pointer self, uint64_t node) {
  auto& st = self->state;
  withdraw_distilling(self, node);
  st.withdrawn.insert(node);
  const auto all = st.under_way;
  for (const auto& [serial, w] : all)
    if (w->step.index == node) {
      self->send(st.model, atom::cancel_v, w->question.record.id);
      give_up(self, w, withdrawn());
    }
}

void ask(asking_pointer self, const work_ptr& w) {
  if (!self->state.under_way.contains(w->serial))
    return; // the work was withdrawn
  self->request(self->state.model, until_answered, atom::ask_v, w->question)
      .then([self, w](model_reply& r) { take(self, w, r.text, r.called); },
            [self, w](caf::error& e) { end_without(self, w, to_failure(e)); });
}

void store(asking_pointer self, const work_ptr& w) {
  auto& st = self->state;
  auto& r = w->question.record;
  r.kind = st.context->spec->generators[st.place].kind;
  r.asked_ns = st.now_ns();
  r.tokens = synthesis::tokens_of(w->question);
  if (r.id.round > 0 && r.tokens > st.budgets.context - st.budgets.reply) {
    end_without(self, w,
                {errc::bad_input,
                 "the next question would not fit a context of " + std::to_string(st.budgets.context) + " tokens"});
    return;
  }
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign),
      synthesis::asked(w->question), [self, w](uint64_t) { ask(self, w); },
      [self, w](caf::error& e) { finish(self, w, std::move(e)); });
}

// A question that was asked before a restart is asked again byte for byte, whatever the tree shows now.
void read_turns(asking_pointer self, const work_ptr& w, size_t next) {
  auto& q = w->question;
  if (next == q.record.turns.size()) {
    if (!q.record.answered) {
      ask(self, w);
      return;
    }
    self->request(self->state.context->journal, until_answered, atom::blob_v, q.record.reply)
        .then([self, w](std::string& reply) { take(self, w, reply, w->question.record.outcome == called_tools); },
              [self, w](caf::error& e) { finish(self, w, std::move(e)); });
    return;
  }
  self->request(self->state.context->journal, until_answered, atom::blob_v, q.record.turns[next].text)
      .then(
          [self, w, next](std::string& text) {
            w->question.turns.push_back({w->question.record.turns[next].role, std::move(text)});
            read_turns(self, w, next + 1);
          },
          [self, w](caf::error& e) { finish(self, w, std::move(e)); });
}

// Continues with a question that was asked or answered before, or stores a new one.
void begin_round(asking_pointer self, const work_ptr& w) {
  self->request(self->state.context->journal, until_answered, atom::lookup_v, std::string{keys::index},
                keys::exchange(w->question.record.id))
      .then(
          [self, w](std::string& bytes) {
            auto record = decode_older<exchange_record>(bytes);
            if (!record) {
              give_up(self, w, record.error());
              return;
            }
            w->question.record = std::move(*record);
            w->question.turns.clear();
            w->calls.clear(); // their results are among the turns
            read_turns(self, w, 0);
          },
          [self, w](caf::error& e) {
            if (to_failure(e).code == errc::not_found)
              run_calls(
                  self, w, [self, w] { store(self, w); },
                  [self, w](caf::error& error) { finish(self, w, std::move(error)); });
            else
              finish(self, w, std::move(e));
          });
}

void begin(asking_pointer self, const work_ptr& w) {
  auto& st = self->state;
  const synthesis::campaign_facts shared{
      &st.fixed,  st.machine,           st.zero_sizes, st.peaks,         st.knowledge,
      st.signals, st.budgets.documents, st.admitted,   st.session.steps, baselines_beside(*st.context->spec)};
  w->facts = synthesis::facts_of(shared, w->step);
  if (wants_diagnosis(st, *w)) {
    ask_diagnosis(st, *w);
    begin_round(self, w);
  } else {
    begin_candidate(self, w);
  }
}

void begin_candidate(asking_pointer self, const work_ptr& w) {
  auto& st = self->state;
  auto p = synthesis::build_prompt(w->facts, st.budgets);
  if (!p) {
    give_up(self, w, p.error());
    return;
  }
  auto& q = w->question;
  q = {};
  q.record.id = {st.context->id, w->step.index, st.place, 0};
  for (const auto& part : p->parts)
    q.record.parts.push_back({part.name, part.tokens, part.budget, part.left_out});
  q.record.report = std::move(w->facts.reported);
  q.record.retrievals = std::move(w->facts.retrievals);
  q.turns = {{"system", std::move(p->system)}, {"user", std::move(p->user)}};
  q.rules = std::move(p->rules);
  q.terms = st.terms;
  q.tools = st.session.steps > 0;
  q.code = st.context->code != nullptr;
  w->talk = synthesis::begin_conversation(q.rules, st.session.steps, st.session.tokens);
  begin_round(self, w);
}

void ready(asking_pointer self, preparation p) {
  auto& st = self->state;
  st.ready = true;
  st.peaks = std::move(p.peaks);
  st.admitted = std::move(p.admission.evidence);
  const auto waiting = st.under_way;
  for (const auto& [serial, w] : waiting)
    begin(self, w);
}

// Every prompt's stable part contains the device's peaks and the reference's times from the campaign's beginning.
void read_preparation(asking_pointer self) {
  auto& context = *self->state.context;
  self->request(context.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::prepared(context.id))
      .then(
          [self](std::string& bytes) {
            auto p = decode<preparation>(bytes);
            ready(self, p ? std::move(*p) : preparation{});
          },
          [self](caf::error& e) {
            const auto waiting = self->state.under_way;
            for (const auto& [serial, w] : waiting)
              finish(self, w, caf::error{e});
          });
}

} // namespace

model_generator_state::~model_generator_state() {
  for (auto& [serial, w] : under_way)
    abandon(w->promise, "the generator");
  for (auto& [child, g] : gains)
    abandon(g->promise, "the generator");
}

generator_actor::behavior_type model_generator(asking_pointer self, actor_status_ptr own_status,
                                               campaign_context_ptr context, uint32_t place, model_actor model,
                                               std::function<int64_t()> now_ns) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.context = std::move(context);
  st.place = place;
  st.model = std::move(model);
  st.now_ns = std::move(now_ns);
  st.own_status->about(short_string(st.context->id));
  report_exceptions(self);
  st.fixed = fixed_context(*st.context);
  std::string about;
  for (const auto& [what, words] : st.context->hardware->about()) {
    st.machine.push_back(what + ": " + words);
    about += st.machine.back() + "\n";
  }
  st.signals = synthesis::campaign_signals(st.fixed, st.context->hardware->name(), about);
  for (const auto& shape : st.context->spec->task.task.shapes)
    for (const auto& [name, size] : shape.sizes)
      st.zero_sizes = st.zero_sizes || size == 0;
  for (const auto& a : st.context->spec->task.task.arguments)
    st.zero_sizes = st.zero_sizes || (has_size_rule(a) && size_rule_of(a).least == 0);
  const auto rules = model_of(*st.context->spec, place);
  st.budgets.context = rules.context_tokens;
  st.budgets.reply = rules.reply_tokens;
  st.session = session_of(*st.context->spec, place);
  if (quotes_documents(*st.context->spec, place))
    st.knowledge = st.context->knowledge.get();
  st.diagnosis_tokens = diagnosis_tokens_of(*st.context->spec, place);
  st.distil_tokens = distil_tokens_of(*st.context->spec, place);
  const auto& budget = st.context->spec->budget;
  st.terms = {rules.providers,
              rules.temperature,
              rules.top_p,
              rules.reply_tokens,
              budget.tokens,
              budget.cost,
              st.context->spec->generators.size() == 1};
  return {
      [self](atom::generate, generate_request& request) -> caf::result<proposal> {
        auto& state = self->state;
        handling h{self, state.own_status, "generate"};
        if (state.withdrawn.contains(request.index))
          return to_error(withdrawn());
        auto w = std::make_shared<model_generator_state::work>();
        w->serial = ++state.last_serial;
        w->step = std::move(request);
        w->promise = self->make_response_promise<proposal>();
        state.under_way[w->serial] = w;
        state.own_status->flight(1);
        if (state.ready)
          begin(self, w);
        else if (state.under_way.size() == 1)
          read_preparation(self);
        return w->promise;
      },
      [self](atom::cancel, uint64_t node) {
        handling h{self, self->state.own_status, "cancel"};
        withdraw(self, node);
      },
      [](atom::distil, const std::string&, const std::string&) -> caf::result<distilled_moves> {
        return to_error({errc::unsupported, "a model makes no moves"});
      },
      [self](atom::distil, gain_texts& gain) -> caf::result<worded_step> {
        handling h{self, self->state.own_status, "distil"};
        return distil_by_model(self, gain);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
