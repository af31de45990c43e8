// Full-text search over sections: SQLite's FTS5 in memory, rebuilt from the documents at every start. Thread-safe.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

struct indexed_text {
  std::string title;
  std::string heading;
  std::string text;
};

struct text_match {
  size_t place = 0;   // in the list that the index was built from
  double score = 0.0; // by BM25; higher is better, and always positive
};

class text_index {
public:
  static result<text_index> build(const std::vector<indexed_text>& texts);
  text_index(text_index&&) noexcept;
  text_index& operator=(text_index&&) noexcept;
  ~text_index();

  // Returns the texts that hold at least one of the words, best first. Endings of words do not count. Any text is a
  // valid query: signs are skipped.
  std::vector<text_match> find(std::string_view words) const;

private:
  struct parts;
  explicit text_index(std::unique_ptr<parts> p);
  std::unique_ptr<parts> parts_;
};

// Returns the words of a query: lower case, three characters or more, each once, at most `most` of them.
std::vector<std::string> query_words(std::string_view text, size_t most = 64);

} // namespace kevolve::knowledge
