// The names of refusals, and the texts about them for a model.
#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/quoting.hpp"

#include <array>

namespace kevolve::synthesis {

namespace {

std::string_view what_to_do(refusal_class c) {
  switch (c) {
    case refusal_class::none:
      return "";
    case refusal_class::no_code:
      return "Reply with the whole file in one fenced code block, or with search/replace blocks.";
    case refusal_class::two_answers:
      return "Decide for one version and reply with that alone: either one whole file or search/replace blocks.";
    case refusal_class::path_outside:
    case refusal_class::unknown_file:
      return "Write only the candidate's own files, by the names listed below.";
    case refusal_class::command:
      return "Nothing that you write is run as a command. Reply with source code.";
    case refusal_class::truncated:
      return "Be shorter: use search/replace blocks for small changes, leave out explanations, and close every code "
             "block. "
             "If the code itself holds a line of three backticks, open the block with four.";
    case refusal_class::edit_not_found:
      return "Copy the search text line by line from the current code as it is shown, white space at the beginning of "
             "lines "
             "included, or send the whole file.";
    case refusal_class::edit_ambiguous:
      return "Add neighbouring lines to the search text until it stands in one place only, or send the whole file.";
    case refusal_class::edit_malformed:
      return "An edit is a line <<<<<<< SEARCH, the lines to find, a line =======, the lines to put there, and a line "
             ">>>>>>> REPLACE.";
    case refusal_class::unchanged:
      return "Change something that can change the outcome.";
    case refusal_class::too_large:
      return "Write less: loops in place of unrolled copies, no tables of data.";
    case refusal_class::not_text:
      return "Use plain ASCII in the source, comments included.";
    case refusal_class::unknown_flags:
      return "Name one flag set of the menu below, or leave the flags line out to keep those in use.";
    case refusal_class::unknown_tool:
    case refusal_class::bad_arguments:
      return "Call one of the tools offered, with arguments as its schema says.";
    case refusal_class::declined:
      return "The task is to make numerical code faster; nothing else is asked for.";
  }
  return "";
}

} // namespace

std::string to_string(refusal_class c) {
  constexpr std::array<std::string_view, 17> names{
      "none",      "no_code",        "two_answers",    "path_outside",   "unknown_file", "command",
      "truncated", "edit_not_found", "edit_ambiguous", "edit_malformed", "unchanged",    "too_large",
      "not_text",  "unknown_flags",  "unknown_tool",   "bad_arguments",  "declined"};
  static_assert(names.size() == static_cast<size_t>(last_value(refusal_class{})) + 1);
  return std::string{names.at(static_cast<size_t>(c))};
}

std::string repair_prompt(const refusal& why, const answer_rules& rules) {
  constexpr int64_t most_tokens = 100;
  std::string out = "Your reply could not be used (" + to_string(why.what)
                    + "): " + cut_to(defused(why.detail), most_tokens, cut_rule::head) + ". "
                    + std::string{what_to_do(why.what)};
  if (why.what == refusal_class::path_outside || why.what == refusal_class::unknown_file) {
    out += " Files:";
    for (const auto& f : rules.current)
      out += " " + f.path;
    out += ".";
  }
  if (why.what == refusal_class::unknown_flags) {
    out += " Menu:";
    for (const auto& f : rules.flag_menu)
      out += " " + f;
    out += ".";
  }
  return out;
}

std::string repeat_prompt(uint64_t known) {
  const auto name = "candidate " + std::to_string(known);
  return "Your reply is " + name + " again: only comments, white space or names of locals differ, if anything does. "
         + "It has been judged and is not measured a second time. Reply with another version, in the same form as "
           "before, that computes in another way than "
         + name + ".";
}

} // namespace kevolve::synthesis
