// The documents that come with kevolve, embedded by the build: backends/*/knowledge/*.md and
// actors/knowledge/documents/*.md.
#pragma once

#include <span>
#include <string_view>

namespace kevolve::knowledge {

struct shipped_document {
  std::string_view id;   // "cpu/float-sums"
  std::string_view file; // "backends/cpu/knowledge/float-sums.md"
  std::string_view text;
};
std::span<const shipped_document> shipped_documents();

} // namespace kevolve::knowledge
