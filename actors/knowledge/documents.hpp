// Documents for a prompt: where they come from, and the first and simplest source: a target's own Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct document {
  std::string title; // "backends/cpu/README.md: Blocking"
  std::string text;
};

class document_source {
public:
  virtual ~document_source() = default;
  // The most fitting first, together at most `tokens` by estimate. Deterministic.
  virtual std::vector<document> find(const std::vector<std::string>& topics, int64_t tokens) const = 0;
};

// A Markdown file's sections: each heading with what stands below it, up to the next one. Headings in fences are none.
std::vector<document> split_sections(std::string_view name, std::string_view markdown);

// Ranks sections by the topics' words: one in the title counts as much as five in the text.
class section_source : public document_source {
public:
  explicit section_source(std::vector<document> sections);
  std::vector<document> find(const std::vector<std::string>& topics, int64_t tokens) const override;

private:
  std::vector<document> sections_;
};

} // namespace kevolve::synthesis
