// An error in a file, described for its author. Loading reports every error at once.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct diagnostic {
  std::string file; // or "--set key" for an override
  int line = 0;     // from 1; 0: the file as a whole, or an override
  int column = 0;
  std::string key; // "argument[1].shape[0]"
  std::string message;
};

inline bool operator==(const diagnostic& a, const diagnostic& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.key == b.key && a.message == b.message;
}

// Returns "softmax.task.toml:3:8: task.family: expected text, found an integer".
std::string to_string(const diagnostic& d);

// Returns one diagnostic a line.
std::string to_string(const std::vector<diagnostic>& ds);

template <class T>
using result_or_errors = tl::expected<T, std::vector<diagnostic>>;

// Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
size_t edit_distance(std::string_view a, std::string_view b);

// Returns "; did you mean 'rows'?" if one choice is close, else "; there are: rows, cols"; empty without choices.
std::string suggestion(std::string_view word, const std::vector<std::string>& choices);

} // namespace kevolve
