#include "actors/synthesis/conversation.hpp"

#include "backends/llm/protocol/tokens.hpp"
#include "backends/llm/protocol/tool_turn.hpp"

#include <utility>

namespace kevolve::synthesis {

namespace {

reading refused(refusal why) {
  reading out;
  out.why = std::move(why);
  return out;
}

reading judged(answer_or_refusal<answer> a) {
  if (!a)
    return refused(std::move(a.error()));
  reading out;
  out.kind = reading_kind::candidate;
  out.found = std::move(*a);
  return out;
}

reading take_calls(conversation& c, std::string_view reply, const std::string& over) {
  auto said = llm::parse_calls(reply);
  if (!said || !c.tools) // no tools were offered
    return refused({refusal_class::unknown_tool, "calls of tools cannot be read"});
  if (!over.empty())
    return cut_short(c, said->words, over);
  reading out;
  out.kind = reading_kind::calls;
  for (auto& call : said->calls) {
    tool_step step;
    if (c.work.steps < c.rules.most_steps && c.work.refusals < c.rules.most_refusals)
      step = take_call(c.work, c.rules, call);
    else
      step.result = no_calls_left;
    out.calls.push_back({std::move(call), std::move(step)});
  }
  if (c.work.tokens >= c.rules.most_tokens)
    return cut_short(c, said->words, session_end(c.work, c.rules));
  return out;
}

} // namespace

conversation begin_conversation(answer_rules answers, int64_t most_calls, int64_t most_tokens) {
  conversation c;
  c.rules.answers = std::move(answers);
  c.tools = most_calls > 0;
  c.rules.most_steps = static_cast<uint32_t>(most_calls);
  c.rules.most_tokens = most_tokens;
  c.work = begin_session(c.rules);
  return c;
}

reading cut_short(const conversation& c, std::string_view words, const std::string& why) {
  auto out = judged(session_answer(c.work, c.rules, words));
  if (out.kind == reading_kind::refused)
    out.why.detail = "the session " + why + ": " + out.why.detail;
  return out;
}

reading read_reply(conversation& c, std::string_view reply, bool called, int64_t asked_tokens) {
  const auto over = c.tools ? session_end(c.work, c.rules) : std::string{};
  c.work.tokens += asked_tokens + llm::estimate_tokens(reply);
  if (called)
    return take_calls(c, reply, over);
  auto out = judged(c.tools ? session_answer(c.work, c.rules, reply) : parse_answer(reply, c.rules.answers));
  if (out.kind == reading_kind::refused && out.why.what != refusal_class::declined && !std::exchange(c.mended, true))
    out.kind = reading_kind::mend;
  return out;
}

} // namespace kevolve::synthesis
