#include "actors/synthesizer.hpp"

#include "actors/keys.hpp"
#include "actors/promises.hpp"
#include "actors/synthesis/context.hpp"
#include "runtime/base/codec.hpp"

namespace kevolve {

namespace {

using synthesizer_pointer = synthesizer_actor::stateful_pointer<synthesizer_state>;
using work_ptr = synthesizer_state::work_ptr;

// A few MB of sources. Parents and siblings are asked for again and again.
constexpr size_t remembered_at_most = 512;

template <class T>
void finish(synthesizer_pointer self, const work_ptr& w, T&& answer) {
  w->promise.deliver(std::forward<T>(answer));
  self->state.under_way.erase(w->serial);
  self->state.card->flight(-1);
}

void generate(synthesizer_pointer self, const work_ptr& w) {
  const auto& generators = self->state.context->generators;
  std::vector<double> weights;
  for (const auto& g : generators)
    weights.push_back(g.first);
  auto which = pick_weighted(weights, w->step.seed);
  self->request(generators[which].second, until_answered, atom::generate_v, to_request(w->step, w->read))
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

void remember(synthesizer_state& st, const node_record& node, const ancestor& a) {
  if (node.state != "finished")
    return;
  if (st.finished.size() >= remembered_at_most)
    st.finished.clear();
  st.finished[node.index] = a;
}

// Reads the ancestors one after the other: a handful of small records.
void read_next(synthesizer_pointer self, const work_ptr& w) {
  if (w->to_read.empty()) {
    generate(self, w);
    return;
  }
  auto index = w->to_read.back();
  w->to_read.pop_back();
  if (auto known = self->state.finished.find(index); known != self->state.finished.end()) {
    w->read[index] = known->second;
    read_next(self, w);
    return;
  }
  auto& context = *self->state.context;
  auto give_up = [self, w](caf::error& e) { finish(self, w, std::move(e)); };
  self->request(context.journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(context.id, index))
      .then(
          [self, w, index, give_up](std::string& bytes) {
            auto node = decode<node_record>(bytes);
            if (!node || node->proposal.source.empty()) {
              read_next(self, w);
              return;
            }
            self->request(self->state.context->journal, until_answered, atom::blob_v, node->proposal.source)
                .then(
                    [self, w, index, node = std::move(*node)](std::string& source) {
                      w->read[index] = to_ancestor(node, std::move(source));
                      remember(self->state, node, w->read[index]);
                      read_next(self, w);
                    },
                    give_up);
          },
          [self, w, give_up](caf::error& e) {
            if (to_failure(e).code == errc::not_found)
              read_next(self, w); // a sibling still in flight: there is nothing to learn from it yet
            else
              give_up(e);
          });
}

} // namespace

synthesizer_state::~synthesizer_state() {
  for (auto& [serial, w] : under_way)
    abandon(w->promise, "the synthesizer");
}

synthesizer_actor::behavior_type synthesizer(synthesizer_pointer self, card_ptr card, campaign_context_ptr context) {
  self->state.card = std::move(card);
  self->state.context = std::move(context);
  self->state.card->about(short_string(self->state.context->id));
  report_exceptions(self);
  self->state.card->says("idle");
  return {
      [self](atom::synthesize, synthesis_step& step) -> caf::result<candidate> {
        auto& st = self->state;
        handling h{self, st.card, "synthesize"};
        auto w = std::make_shared<synthesizer_state::work>();
        w->serial = ++st.last_serial;
        w->to_read = nodes_to_read(step);
        w->step = std::move(step);
        w->promise = self->make_response_promise<candidate>();
        st.under_way[w->serial] = w;
        st.card->flight(1);
        read_next(self, w);
        return w->promise;
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
