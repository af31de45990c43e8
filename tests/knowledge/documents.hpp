// Documents for tests.
#pragma once

#include "actors/knowledge/knowledge_base.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace kevolve::testing {

// Returns a document with these keys besides the title and the day, whose sections have a heading, a text and one
// source.
inline std::string document_text(const std::string& keys,
                                 const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string out = "+++\ntitle = \"A subject\"\nchecked = 2026-11-30\n" + keys
                    + "\n[sources]\nbook = \"A book, 2nd edition\"\n+++\n";
  for (const auto& [heading, text] : sections)
    out += "## " + heading + "\n" + text + "\nSource: book\n\n";
  return out;
}

inline knowledge::document read(const std::string& id, const std::string& text) {
  auto d = knowledge::read_document(text, id + ".md", id);
  REQUIRE_MESSAGE(d, (d ? std::string{} : to_string(d.error())));
  return *d;
}

inline std::string errors_of(const std::string& text) {
  const auto d = knowledge::read_document(text, "a.md", "own/a");
  return d ? std::string{} : to_string(d.error());
}

} // namespace kevolve::testing
