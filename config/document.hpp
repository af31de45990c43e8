// A TOML document as plain values with their positions, and the errors found in it. Only document.cpp includes the TOML
// library.
#pragma once

#include "config/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct source_position {
  int line = 0;
  int column = 0;
};

struct document_member;

// One value of a document: a leaf, an array of items, or a table of members in the order of the file.
struct document_value {
  enum class kind : uint8_t { text, integer, real, boolean, date, array, table };
  kind what = kind::table;
  source_position at;
  std::string origin; // "--set key" if an override set this value
  std::string text;   // also of a date without a time: "2026-11-30"
  int64_t integer = 0;
  double real = 0.0;
  bool boolean = false;
  std::vector<document_value> items;
  std::vector<document_member> members;

  // Returns the member of this key, or null.
  const document_value* find(std::string_view key) const;
};

struct document_member {
  std::string key;
  source_position at;
  document_value value;
};

// Returns "an integer", "a table", …
std::string describe(document_value::kind k);

// A text that toml++ 3.3 must not get: a character beyond ASCII outside quotes and comments, which it takes for
// unreachable code, or a key of so many parts that the stack overflows.
struct unreadable_text {
  source_position at;
  const char* what = nullptr;
};
// Returns the first such text of a document; nothing if toml++ can read it.
std::optional<unreadable_text> find_unreadable(std::string_view toml);

// Parses a document. Syntax errors and duplicate keys become one diagnostic.
result_or_errors<document_value> parse_document(std::string_view toml, const std::string& file);

// Returns the bytes of a file of up to `most` bytes.
inline constexpr size_t max_file_bytes = 4U << 20U;
result_or_errors<std::string> read_text_file(const std::string& path, size_t most = max_file_bytes);

// The errors of one document, located by paths such as "argument[1].shape[0]".
class error_list {
public:
  error_list(std::string file, const document_value& root) : file_(std::move(file)), root_(root) {}

  // Adds an error at the value that the path names, or at its nearest existing parent. `offset` counts characters into
  // a text.
  void add(const std::string& path, std::string message, int offset = 0);
  // Adds an error at a key instead of its value.
  void add_at(source_position at, const std::string& origin, const std::string& path, std::string message);
  void append(std::vector<diagnostic> others);

  bool empty() const { return errors_.empty(); }
  // Returns true if an error is about this key or a part of it.
  bool concerns(const std::string& key) const;
  size_t size() const { return errors_.size(); }
  const std::string& file() const { return file_; }
  // Returns the errors, ordered by file and position, without repetitions.
  std::vector<diagnostic> take();

private:
  std::string file_;
  const document_value& root_;
  std::vector<diagnostic> errors_;
};

// Applies "budget.wall=2m", "generator[0].weight=2". The value is TOML if it parses as such, else text.
void apply_overrides(document_value& root, const std::vector<std::string>& overrides, std::vector<diagnostic>& errors);

} // namespace kevolve
