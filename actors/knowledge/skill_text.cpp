#include "actors/knowledge/skill_text.hpp"

#include "actors/knowledge/vocabulary.hpp"
#include "backends/llm/protocol/redaction.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

constexpr size_t most_words = 400;
constexpr size_t most_code = 4'000;
constexpr size_t most_moves = 2'000;
constexpr size_t most_values = 64; // of a list
// No step is faster or slower than this; a file that says so is wrong.
constexpr double most_log_gain = 12.0;

// No skill holds sentences for a model rather than about code, places on a machine, or ways to reach another one.
struct forbidden {
  const char* what;
  const char* pattern;
};
constexpr std::array texts{
    forbidden{
        "an order to a model",
        R"((?is)\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instructions?|rules?|prompts?|previous|above|checks?|judge|tolerances?)\b)"},
    forbidden{
        "an order to a model",
        R"((?i)\b(you|the model|the assistant|assistant|llm)\b.{0,20}\b(must|should|shall|are now|have to|need to|will|can)\b)"},
    forbidden{"an order to a model", R"((?i)\b(system prompt|jailbreak|developer mode|as an ai|role ?play|act as)\b)"},
    forbidden{"an order to a model",
              R"((?i)\b(do not|don't|never)\b.{0,20}\b(obey|follow|verify|check|tell|mention|reveal|report)\b)"},
    forbidden{
        "an order to a model",
        R"((?i)\b(reply|respond|answer|output|print|say|return)\b (only|just|exactly|with the|the (word|text|following|prompt)))"},
    forbidden{
        "marks of a conversation",
        R"((?i)(<\|?/?(system|assistant|user|im_start|im_end)|^\s*(system|assistant|user|human)\s*:|\[/?inst\]))"},
    forbidden{"a command",
              R"((?i)\b(curl|wget|rm -|sudo|chmod|bash -c|sh -c|os\.system|subprocess|popen|execve?|getenv)\b)"},
    forbidden{"an address", R"((?i)\b[a-z][a-z0-9+.-]*://)"},
    forbidden{"a path", R"((?m)(^|[\s"'(=,<])(~|\.{1,2})?/[\w.-]+/[\w./-]+)"},
    forbidden{"a path", R"((?m)(^|[\s"'(=,<])(~/|\.\.?/|/(etc|home|root|tmp|usr|var|proc|dev|sys|opt|mnt|srv)\b))"},
    forbidden{"a path", R"((?i)(^|[\s"'(=])[a-z]:\\)"},
};

std::string found_in(const std::string& text) {
  static const auto compiled = [] {
    std::vector<std::pair<const char*, std::unique_ptr<RE2>>> out;
    for (const auto& f : texts)
      out.emplace_back(f.what, std::make_unique<RE2>(f.pattern));
    return out;
  }();
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      return "a control character";
  if (!llm::find_key_shapes(text).empty())
    return "a text that looks like a key";
  for (const auto& [what, pattern] : compiled) {
    if (re2::StringPiece whole{text}, match; pattern->Match(whole, 0, text.size(), RE2::UNANCHORED, &match, 1))
      return std::string{what} + ": \"" + match.ToString().substr(0, 60) + "\"";
  }
  return {};
}

std::string text_problem(const char* key, const std::string& text, size_t most) {
  if (text.size() > most)
    return std::string{key} + " has " + std::to_string(text.size()) + " bytes; at most " + std::to_string(most)
           + " are kept";
  const auto found = found_in(text);
  return found.empty() ? std::string{} : std::string{key} + " holds " + found;
}

std::string value_problem(const char* key, const char* kind, const std::vector<std::string>& values) {
  if (values.size() > most_values)
    return std::string{key} + " has more than " + std::to_string(most_values) + " values";
  for (const auto& v : values)
    if (!knowledge::parse_signal(std::string{kind} + ":" + v))
      return std::string{key} + " has '" + v.substr(0, 40) + "', which is no " + kind
             + " of the vocabulary (docs/knowledge.md)";
  return {};
}

std::string conditions_problem(const skill_conditions& c) {
  if (c.target.empty() || c.language.empty())
    return "conditions.target and conditions.language must be named: a step that holds everywhere says nothing";
  if (c.pattern.empty() && c.families.empty())
    return "conditions.pattern or conditions.families must be named: a step that holds everywhere says nothing";
  for (auto wrong : {value_problem("conditions.target", "target", {c.target}),
                     value_problem("conditions.language", "language", {c.language}),
                     value_problem("conditions.families", "family", c.families),
                     value_problem("conditions.dtypes", "dtype", c.dtypes),
                     value_problem("conditions.hardware", "hardware", c.hardware),
                     c.bound.empty() ? std::string{} : value_problem("conditions.bound", "bound", {c.bound}),
                     text_problem("conditions.pattern", c.pattern, most_moves)})
    if (!wrong.empty())
      return wrong;
  return {};
}

std::string step_problem(const skill_step& s) {
  if (s.moves.empty() && (s.words.empty() || s.after.empty()))
    return "step has neither moves nor words with an `after`";
  if (s.moves.size() > most_moves)
    return "step.moves has more than " + std::to_string(most_moves) + " bytes";
  static const RE2 moves{R"(([a-z_]+(\([\w,-]*\))?(; )?)*)"};
  if (!RE2::FullMatch(s.moves, moves))
    return "step.moves is no list of moves: write \"tile(_1,64); vectorise(_1,16)\"";
  for (auto wrong : {text_problem("step.words", s.words, most_words), text_problem("step.before", s.before, most_code),
                     text_problem("step.after", s.after, most_code)})
    if (!wrong.empty())
      return wrong;
  return {};
}

std::string application_problem(const skill_application& a) {
  if (!std::isfinite(a.log_gain) || std::abs(a.log_gain) > most_log_gain || !std::isfinite(a.standard_error)
      || a.standard_error < 0.0)
    return "applications has a log_gain or a standard_error that cannot be";
  if (a.signals.size() > most_values
      || std::any_of(a.signals.begin(), a.signals.end(), [](const auto& s) { return !knowledge::parse_signal(s); }))
    return "applications has a signal that the vocabulary lacks";
  for (auto wrong : {text_problem("applications.task", a.task, most_words),
                     text_problem("applications.verdict", a.verdict, most_words),
                     value_problem("applications.hardware", "hardware", a.hardware)})
    if (!wrong.empty())
      return wrong;
  return {};
}

} // namespace

std::string refusal_of(const skill& s) {
  for (auto wrong :
       {conditions_problem(s.conditions), step_problem(s.step), text_problem("reason", s.reason, most_words),
        text_problem("provenance.task", s.provenance.task, most_words),
        text_problem("provenance.campaign_name", s.provenance.campaign_name, most_words),
        text_problem("provenance.by", s.provenance.by, most_words)})
    if (!wrong.empty())
      return wrong;
  for (const auto& a : s.applications)
    if (auto wrong = application_problem(a); !wrong.empty())
      return wrong;
  for (const auto& signal : s.not_for)
    if (!knowledge::parse_signal(signal))
      return "not_for has '" + signal.substr(0, 40) + "', which is no signal of the vocabulary";
  for (const auto& c : s.history)
    for (auto wrong :
         {text_problem("history.reason", c.reason, most_words), text_problem("history.by", c.by, most_words)})
      if (!wrong.empty())
        return wrong;
  return {};
}

} // namespace kevolve
