// Search in trees of source: by text, by regular expression (RE2), or by a file's name. It reads only, follows no link,
// stops at limits, and blanks what looks like a key. Any thread may use it; a search reads the disk.
#pragma once

#include "runtime/base/result.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

enum class code_query_mode : uint8_t { text = 0, pattern, file };
inline constexpr std::array<std::string_view, 3> code_query_mode_texts{"string", "regex", "filename"};
constexpr const auto& enum_texts(code_query_mode) {
  return code_query_mode_texts;
}

struct code_query {
  code_query_mode mode = code_query_mode::text;
  std::string what;
  size_t most = 40; // matches
};

struct code_match {
  std::string file; // relative to its root
  int line = 0;     // 0: the file's name matched
  std::string text; // of the line
};

struct code_answer {
  std::vector<code_match> matches; // by file and line, in the order of the roots
  size_t files = 0;                // looked at
  std::string cut;                 // the limit that ended the search; empty: everything was searched
};

struct code_limits {
  size_t files = 50'000;
  int64_t bytes = 512'000'000;    // of all files together
  int64_t file_bytes = 2'000'000; // a larger file is skipped
  size_t line = 400;              // characters of a line that are shown
  size_t query = 200;             // characters of a query
  std::chrono::milliseconds time{3'000};
};

class code_roots {
public:
  // Opens the folders. errc::bad_input: one of them is no folder.
  static result<code_roots> open(const std::vector<std::string>& folders, const code_limits& limits = {});
  code_roots(code_roots&&) noexcept;
  code_roots& operator=(code_roots&&) noexcept;
  ~code_roots();

  bool empty() const;
  // Searches all files. errc::bad_input: an empty or too long query, or an expression that RE2 refuses.
  result<code_answer> search(const code_query& query) const;
  // Returns the text of a file by its path relative to a root. errc::not_found: there is none, a link stands in its
  // path, or it is too large or secret.
  result<std::string> read(const std::string& file) const;
  // Returns the definition that [file#symbol] names: at most `lines` lines from the first one that defines or, without
  // such a line, mentions it. errc::not_found.
  result<code_match> resolve(const std::string& file, const std::string& symbol, size_t lines = 24) const;

private:
  struct parts;
  explicit code_roots(std::unique_ptr<parts> p);
  std::unique_ptr<parts> parts_;
};

// Returns the answer as text: a line a match, "file:12: text".
std::string to_text(const code_answer& a);

} // namespace kevolve::knowledge
