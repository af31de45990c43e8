#include "actors/synthesis/synthesizer.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/synthesis/context.hpp"
#include "runtime/base/codec.hpp"

namespace kevolve {

namespace {

using synthesizer_pointer = synthesizer_actor::stateful_pointer<synthesizer_state>;
using work_ptr = synthesizer_state::work_ptr;

// A few MB of sources. Parents and siblings are read again and again.
constexpr size_t remembered_at_most = 512;

template <class T>
void finish(synthesizer_pointer self, const work_ptr& w, T&& answer) {
  w->promise.deliver(std::forward<T>(answer));
  self->state.under_way.erase(w->serial);
  self->state.own_status->flight(-1);
}

void generate(synthesizer_pointer self, const work_ptr& w) {
  const auto& generators = self->state.context->generators;
  const auto which = std::min<size_t>(w->step.generator, generators.size() - 1);
  self->request(generators[which], until_answered, atom::generate_v, to_request(w->step, w->read))
      .then(
          [self, w, which](proposal& p) {
            candidate c;
            c.language = std::move(p.language);
            c.source = std::move(p.source);
            c.flags = std::move(p.flags);
            c.generator = self->state.context->spec->generators[which].kind;
            c.genome = std::move(p.genome);
            c.summary = std::move(p.summary);
            finish(self, w, std::move(c));
          },
          [self, w](caf::error& e) { finish(self, w, std::move(e)); });
}

void take(const work_ptr& w, uint64_t index, const synthesizer_state::known& k) {
  w->read[index] = k.node;
  if ((!w->step.parents.empty() && w->step.parents.front() == index) || w->step.best.index == index)
    for (const auto& evaluation : k.told)
      w->told.emplace_back(index, evaluation);
}

void remember(synthesizer_state& st, const node_record& node, const synthesizer_state::known& k) {
  if (node.state != candidate_state::finished)
    return;
  if (st.finished.size() >= remembered_at_most)
    st.finished.clear();
  st.finished[node.index] = k;
}

// Reads the first parent's diagnosis, which a prompt describes. A missing one is left out.
void read_diagnosis(synthesizer_pointer self, const work_ptr& w) {
  const auto parent = w->step.parents.empty() ? w->read.end() : w->read.find(w->step.parents.front());
  if (!w->for_a_model || w->step.diagnosis.empty() || parent == w->read.end()) {
    generate(self, w);
    return;
  }
  self->request(self->state.context->journal, until_answered, atom::blob_v, w->step.diagnosis)
      .then(
          [self, w](std::string& text) {
            w->read[w->step.parents.front()].diagnosis = std::move(text);
            generate(self, w);
          },
          [self, w](caf::error&) { generate(self, w); });
}

// Reads the evaluations that a prompt describes, one after the other: there are two of a node.
void read_told(synthesizer_pointer self, const work_ptr& w) {
  if (!w->for_a_model || w->told.empty()) {
    read_diagnosis(self, w);
    return;
  }
  const auto [index, id] = w->told.back();
  w->told.pop_back();
  auto& context = *self->state.context;
  self->request(context.journal, until_answered, atom::lookup_v, std::string{keys::evaluations}, keys::evaluation(id))
      .then(
          [self, w, index](std::string& bytes) {
            if (const auto e = decode_older<evaluation_record>(bytes))
              append_feedback(w->read[index], *e);
            read_told(self, w);
          },
          [self, w](caf::error&) { read_told(self, w); }); // missing: the prompt is made without it
}

// Reads the ancestors one after the other: they are a handful of small records.
void read_next(synthesizer_pointer self, const work_ptr& w) {
  if (w->to_read.empty()) {
    read_told(self, w);
    return;
  }
  auto index = w->to_read.back();
  w->to_read.pop_back();
  if (auto known = self->state.finished.find(index); known != self->state.finished.end()) {
    take(w, index, known->second);
    read_next(self, w);
    return;
  }
  auto& context = *self->state.context;
  auto give_up = [self, w](caf::error& e) { finish(self, w, std::move(e)); };
  self->request(context.journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(context.id, index))
      .then(
          [self, w, index, give_up](std::string& bytes) {
            auto node = decode_older<node_record>(bytes);
            if (!node || node->proposal.source.empty()) {
              read_next(self, w);
              return;
            }
            self->request(self->state.context->journal, until_answered, atom::blob_v, node->proposal.source)
                .then(
                    [self, w, index, node = std::move(*node)](std::string& source) {
                      const synthesizer_state::known k{to_ancestor(node, std::move(source)),
                                                       feedback_evaluations(node)};
                      take(w, index, k);
                      remember(self->state, node, k);
                      read_next(self, w);
                    },
                    give_up);
          },
          [self, w, give_up](caf::error& e) {
            if (to_failure(e).code == errc::not_found)
              read_next(self, w); // a sibling still in flight, from which nothing can be learnt yet
            else
              give_up(e);
          });
}

} // namespace

synthesizer_state::~synthesizer_state() {
  for (auto& [serial, w] : under_way)
    abandon(w->promise, "the synthesizer");
}

synthesizer_actor::behavior_type synthesizer(synthesizer_pointer self, actor_status_ptr own_status,
                                             campaign_context_ptr context) {
  self->state.own_status = std::move(own_status);
  self->state.context = std::move(context);
  self->state.own_status->about(short_string(self->state.context->id));
  report_exceptions(self);
  self->state.own_status->says(actor_state::idle);
  return {
      [self](atom::synthesize, synthesis_step& step) -> caf::result<candidate> {
        auto& st = self->state;
        handling h{self, st.own_status, "synthesize"};
        auto w = std::make_shared<synthesizer_state::work>();
        w->serial = ++st.last_serial;
        const auto& kinds = st.context->spec->generators;
        w->for_a_model = step.generator < kinds.size() && asks_model(kinds[step.generator]);
        w->to_read = nodes_to_read(step, w->for_a_model);
        w->step = std::move(step);
        w->promise = self->make_response_promise<candidate>();
        st.under_way[w->serial] = w;
        st.own_status->flight(1);
        read_next(self, w);
        return w->promise;
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
