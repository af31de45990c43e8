// Fuzzes a provider's answers and the model's text in them: event streams in three formats, whole replies, error
// bodies, and candidates in replies. Input: a byte that selects format and splitting, then the bytes.
#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/quoting.hpp"
#include "actors/synthesis/session.hpp"
#include "backends/llm/protocol/failure.hpp"
#include "backends/llm/protocol/wire.hpp"
#include "tests/fuzz/input.hpp"

using namespace kevolve;
using namespace kevolve::fuzzing;
using namespace kevolve::llm;

namespace {

constexpr size_t most_reply = 4'096;

reply decode_in_pieces(wire_format f, std::string_view bytes, size_t piece) {
  stream_limits limits;
  limits.line = limits.event = 4 * most_reply;
  limits.reply = most_reply;
  reply_stream s{f, limits};
  reply out;
  size_t ends = 0;
  const auto take = [&](const std::vector<event>& events) {
    for (const auto& e : events) {
      require(ends == 0);
      ends += e.kind == event_kind::done || e.kind == event_kind::error ? 1 : 0;
      apply(out, e);
    }
  };
  for (size_t at = 0; at < bytes.size(); at += piece)
    take(s.feed(bytes.substr(at, piece)));
  take(s.end());
  require(ends == 1 && s.over());
  require(out.complete != static_cast<bool>(out.error));
  require(out.text.size() + out.reasoning.size() + out.refusal.size() <= most_reply);
  return out;
}

void read_candidate(std::string_view text) {
  synthesis::session_rules rules;
  rules.answers.current = {{"candidate.c", "int a;\nint b;\nint a;\n"}};
  rules.answers.entry = std::string{"f"}; // g++ 12 warns falsely about an assigned literal (PR 105651)
  rules.answers.flag_menu = {"O2"};
  if (auto a = synthesis::parse_answer(text, rules.answers); a)
    require(a->files.size() == 1 && a->files[0].content.size() <= rules.answers.most_file);
  else
    require(a.error().what != synthesis::refusal_class::none && a.error().detail.size() < 600);
  auto s = synthesis::begin_session(rules);
  for (const auto& tool : synthesis::session_tools())
    require(synthesis::take_call(s, rules, {"id", tool.name, std::string{text}}).result.size() < 65'536);
  const auto quoted = synthesis::quote("data", text);
  const auto first = quoted.find("kevolve-data");
  require(quoted.find("kevolve-data", quoted.find("kevolve-data", first + 1) + 1) == std::string::npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto all = view(data, size);
  if (all.empty())
    return 0;
  const auto form = static_cast<uint8_t>(all.front());
  const auto bytes = all.substr(1);
  const auto format = static_cast<wire_format>(form % 3);
  const auto whole = decode_in_pieces(format, bytes, std::max<size_t>(1, bytes.size()));
  const auto pieces = decode_in_pieces(format, bytes, size_t{1} + form / 3U);
  require(whole.complete == pieces.complete && whole.text == pieces.text && whole.usage == pieces.usage);
  require(whole.error.origin == pieces.error.origin && whole.calls.size() == pieces.calls.size());
  const auto at_once = decode_reply(format, bytes);
  require(at_once.complete != static_cast<bool>(at_once.error));
  const auto remedied =
      remedy_for_answer(400 + form, {{"retry-after", std::string{bytes.substr(0, 40)}}}, bytes, instant{});
  require(remedied.what != failure_class::none && (!remedied.delay || remedied.delay->count() > 0));
  read_candidate(bytes);
  read_candidate(whole.text);
  return 0;
}
