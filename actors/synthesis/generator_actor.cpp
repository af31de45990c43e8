#include "actors/synthesis/generator_actor.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/step_end.hpp"
#include "actors/synthesis/step_skills.hpp"
#include "runtime/base/codec.hpp"

#include <algorithm>
#include <chrono>

namespace kevolve {

namespace {

using generator_pointer = generator_actor::stateful_pointer<generator_state>;

caf::result<proposal> propose(generator_state& st, generate_request request) {
  st.fixed.draft = request.draft;
  st.fixed.draft_index = request.draft_index;
  st.fixed.parents = std::move(request.parents);
  st.fixed.siblings = std::move(request.siblings);
  st.fixed.seen = std::move(request.seen);
  st.fixed.seed = request.seed;
  st.fixed.emphasis = std::move(request.emphasis);
  st.fixed.suggestions = synthesis::suggestions_of(request.skills);
  auto p = st.maker->propose(st.fixed);
  if (!p)
    return end_of_step(p.error());
  return std::move(*p);
}

void ready(generator_pointer self) {
  auto& st = self->state;
  st.ready = true;
  st.own_status->rests(st.maker->describe(st.fixed));
  for (auto& [request, promise] : std::exchange(st.waiting, {})) {
    auto p = propose(st, std::move(request));
    if (p.flag == caf::rt_error)
      promise.deliver(std::move(p.err));
    else
      promise.deliver(p.value.get_as<proposal>(0));
  }
}

// The journal did not answer: waiting requests get the error, and the next request reads again.
void unreadable(generator_pointer self, const caf::error& e) {
  for (auto& [request, promise] : std::exchange(self->state.waiting, {}))
    promise.deliver(e);
}

void read_syntax_tree(generator_pointer self) {
  auto& journal = self->state.context->journal;
  self->request(journal, until_answered, atom::lookup_v, std::string{keys::index},
                keys::prepared(self->state.context->id))
      .then(
          [self](std::string& bytes) {
            auto p = decode<preparation>(bytes);
            if (!p || p->syntax_tree.empty()) {
              ready(self);
              return;
            }
            self->request(self->state.context->journal, until_answered, atom::blob_v, p->syntax_tree)
                .then(
                    [self](std::string& json) {
                      self->state.fixed.syntax_tree = std::make_shared<const std::string>(std::move(json));
                      ready(self);
                    },
                    [self](caf::error& e) { unreadable(self, e); });
          },
          [self](caf::error& e) { unreadable(self, e); });
}

} // namespace

generator_state::~generator_state() {
  for (auto& [request, promise] : waiting)
    abandon(promise, "the generator");
}

generator_actor::behavior_type generator_of(generator_pointer self, actor_status_ptr own_status,
                                            campaign_context_ptr context, std::string kind) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.context = std::move(context);
  st.own_status->about(short_string(st.context->id));
  report_exceptions(self);
  auto maker = make_generator(kind);
  if (maker)
    st.maker = std::move(*maker);
  else
    self->quit(to_error(maker.error()));
  st.fixed = fixed_context(*st.context);
  const auto& all = st.context->spec->generators;
  const auto place = std::find_if(all.begin(), all.end(), [&](const generator_spec& g) { return g.kind == kind; });
  st.fixed.plans = uses_plans(*st.context->spec, static_cast<size_t>(place - all.begin()));
  return {
      [self](atom::generate, generate_request& request) -> caf::result<proposal> {
        auto& state = self->state;
        handling h{self, state.own_status, "generate"};
        if (state.ready)
          return propose(state, std::move(request));
        auto promise = self->make_response_promise<proposal>();
        state.waiting.emplace_back(std::move(request), promise);
        if (state.waiting.size() == 1)
          read_syntax_tree(self);
        return promise;
      },
      [](atom::cancel, uint64_t) {}, // a proposal is complete before a cancel can arrive
      [self](atom::distil, const std::string& parent, const std::string& child) -> caf::result<distilled_moves> {
        auto& state = self->state;
        handling h{self, state.own_status, "distil"};
        auto moves = state.maker->distil(state.fixed, parent, child);
        if (!moves)
          return to_error(moves.error());
        return std::move(*moves);
      },
      [](atom::distil, const gain_texts&) -> caf::result<worded_step> {
        return to_error({errc::unsupported, "a generator without a model puts nothing into words"});
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
