// The candidate in a model's reply, or the reason why it holds none.
#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct source_file {
  std::string path; // relative, no folder above
  std::string content;
};

enum class refusal_class : uint8_t {
  none = 0,
  no_code,        // no file and no edit
  two_answers,    // several files of the same name, or a file and edits of it
  path_outside,   // absolute, or through a parent folder
  unknown_file,   // not one of the candidate's files
  command,        // asks for a command to be run
  truncated,      // ended within its answer
  edit_not_found, // the text to replace does not occur
  edit_ambiguous, // it occurs more than once
  edit_malformed, // marks missing or in the wrong order, or a diff
  unchanged,      // equal to the current candidate
  too_large,
  not_text, // control or invisible characters, or not UTF-8
  unknown_flags,
  unknown_tool,
  bad_arguments, // of a tool
  declined,      // the model declined
};
constexpr refusal_class last_value(refusal_class) {
  return refusal_class::declined;
}
std::string to_string(refusal_class c);

struct refusal {
  refusal_class what = refusal_class::none;
  std::string detail; // for people and the model; contains at most 200 bytes of the reply
};

struct answer {
  std::vector<source_file> files; // all files of the candidate, complete
  std::string flags;              // a name from the menu; empty if the reply names none
  std::string summary;            // one line
  bool edited = false;            // made from edits
};

inline constexpr uint64_t most_answer_bytes = uint64_t{1} << 20; // limit of the relay

struct answer_rules {
  std::vector<source_file> current; // the candidate's current files, the main one first
  std::string entry;                // the function that the main file defines; if it has a space: words that the file
                                    // must contain
  std::vector<std::string> flag_menu;
  uint64_t most_reply = uint64_t{4} << 20; // bytes
  uint64_t most_file = uint64_t{512} << 10;
};

template <class I>
typename I::result_type inspect(I& f, source_file& x) {
  return f(x.path, x.content);
}
template <class I>
typename I::result_type inspect(I& f, answer_rules& x) {
  return f(x.current, x.entry, x.flag_menu, x.most_reply, x.most_file);
}

template <class T>
using answer_or_refusal = tl::expected<T, refusal>;

inline tl::unexpected<refusal> refuse(refusal_class what, std::string detail) {
  return tl::unexpected<refusal>(refusal{what, std::move(detail)});
}

// Reads a reply. `ended_early`: the provider stopped at its token limit. Such a reply is accepted only if its one file
// is complete.
answer_or_refusal<answer> parse_answer(std::string_view reply, const answer_rules& rules, bool ended_early = false);

// Adds the text beside an answer: its summary, and its flags from a line "flags: NAME".
answer_or_refusal<answer> with_words(answer a, std::string_view words, const answer_rules& rules);

// Returns a paragraph that tells the model how to correct its reply. Of the reply it contains only the detail.
std::string repair_prompt(const refusal& why, const answer_rules& rules);
// Returns a paragraph that asks for another candidate in place of one that repeats that known one.
std::string repeat_prompt(uint64_t known);

// Returns the index of the candidate's file that a path names; path_outside or unknown_file otherwise.
answer_or_refusal<size_t> find_file(std::string_view path, const std::vector<source_file>& files);

} // namespace kevolve::synthesis
