#include "actors/models/model_tools.hpp"

#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/skill_match.hpp"
#include "actors/messages/promises.hpp"
#include "actors/synthesis/step_skills.hpp"
#include "backends/llm/protocol/tokens.hpp"
#include "backends/llm/protocol/tool_turn.hpp"
#include "config/campaign.hpp"
#include "runtime/base/memory_operators.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>

namespace kevolve {

namespace {

using asking_pointer = generator_actor::stateful_pointer<model_generator_state>;
using work_ptr = model_generator_state::work_ptr;

std::string words_of(const evaluation& e) {
  if (e.trouble)
    return "the compiler cannot be had now";
  if (e.result == verdict::none)
    return "it compiles\n" + e.detail;
  return to_string(e.result) + "\n" + e.detail;
}

// Returns the skills about it that the campaign's steps may be given; they take at most half of the tokens.
std::vector<knowledge::quoted_section> skills_on(const model_generator_state& st, const std::string& query,
                                                 int64_t tokens) {
  constexpr uint32_t most_looked_at = 64;
  const auto& c = *st.context;
  if (!c.skills_now || !uses_skills(*c.spec, st.place))
    return {};
  skill_situation wanted;
  for (const auto& s : st.signals)
    wanted.signals.push_back(knowledge::to_string(s));
  wanted.moves = false;
  wanted.most = most_looked_at;
  return synthesis::skills_about(find_skills(*c.skills_now->now(), wanted, {st.now_ns(), c.id}), query, tokens / 2);
}

std::string knowledge_on(const model_generator_state& st, const std::string& query, int64_t tokens) {
  std::string out;
  const auto add = [&](const std::vector<knowledge::quoted_section>& all) {
    for (const auto& x : all) {
      tokens -= llm::estimate_tokens(x.title) + llm::estimate_tokens(x.text);
      out += "## " + x.title + "\n" + x.text + "\n";
    }
  };
  if (st.knowledge != nullptr) {
    add(skills_on(st, query, tokens));
    add(knowledge::search(*st.knowledge, query, st.signals, tokens));
  }
  return out.empty() ? "nothing on that" : out;
}

// Searches code on a thread of its own, because a search reads the disk; then ends.
caf::behavior code_searcher(caf::event_based_actor* self, const actor_status_ptr&,
                            std::shared_ptr<const knowledge::code_roots> code) {
  return {[self, code](atom::lookup, const std::string& what, const std::string& mode) -> std::string {
    self->quit();
    const auto known = parse_enum<knowledge::code_query_mode>(mode);
    if (!known)
      return "mode is one of string, regex and filename";
    const auto found = code->search({*known, what});
    return found ? knowledge::to_text(*found) : found.error().detail;
  }};
}

// Returns a compile request for the files as they are now. The result is stored, so an unchanged candidate is not
// compiled again.
evaluate_request compile_of(const model_generator_state& st, const work_ptr& w) {
  evaluate_request q;
  q.index = w->step.index;
  q.what.language = st.fixed.form.language;
  q.what.source = w->talk.work.files.front().content;
  q.what.flags = flags_before(st, w);
  q.compile_only = true;
  return q;
}

} // namespace

const std::string& flags_before(const model_generator_state& st, const work_ptr& w) {
  const auto& step = w->step;
  return step.parents.empty() || starts_afresh(step.memory) ? st.fixed.baseline_flags : step.parents.front().flags;
}

void run_calls(asking_pointer self, const work_ptr& w, std::function<void()> then,
               std::function<void(caf::error&)> failed) {
  auto& st = self->state;
  if (!st.under_way.contains(w->serial))
    return;
  if (w->calls.empty()) {
    then();
    return;
  }
  const auto tell = [self, w, then, failed](const std::string& text) {
    const bool last = w->calls.size() == 1 && w->talk.work.steps >= w->talk.rules.most_steps;
    w->question.turns.push_back(
        {std::string{llm::result_role},
         llm::result_text(w->calls.front().call, last ? text + "\n" + synthesis::no_calls_left : text)});
    w->calls.erase(w->calls.begin());
    run_calls(self, w, then, failed);
  };
  const auto shown = [w](const char* label, const std::string& text) {
    return synthesis::tool_result(w->talk.rules, label, text);
  };
  const auto& step = w->calls.front().step;
  switch (step.need) {
    case synthesis::step_need::nothing:
      tell(step.result);
      break;
    case synthesis::step_need::search:
      tell(shown("documents", knowledge_on(st, step.query, w->talk.rules.most_result_tokens)));
      break;
    case synthesis::step_need::search_code: {
      if (!st.context->code) {
        tell("there is no code to search here");
        break;
      }
      const auto worker = spawn_tracked<caf::detached>(*self, st.context->statuses, "code search", step.query,
                                                       st.own_status->id(), code_searcher, st.context->code);
      self->request(worker, until_answered, atom::lookup_v, step.query, step.mode)
          .then([tell, shown](const std::string& found) { tell(shown("code", found)); },
                [tell](caf::error&) { tell("the search failed"); });
      break;
    }
    case synthesis::step_need::lint:
      self->request(st.context->evaluator, until_answered, atom::evaluate_v, compile_of(st, w))
          .then([tell, shown](evaluation& e) { tell(shown("compiler", words_of(e))); },
                [self, w, failed](caf::error& e) {
                  auto why = to_error({errc::unavailable, "compiling for a model: " + to_failure(e).detail});
                  if (self->state.under_way.contains(w->serial))
                    failed(why);
                });
      break;
  }
}

} // namespace kevolve
