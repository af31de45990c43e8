// Documents for a prompt: the interface of a source, and its simplest form, a target's own Markdown.
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
  // Returns the best fitting documents first, together at most `tokens` by estimate. Deterministic.
  virtual std::vector<document> find(const std::vector<std::string>& topics, int64_t tokens) const = 0;
};

// Splits a Markdown file into sections: each heading with the text up to the next one. Headings inside fences do not
// count.
std::vector<document> split_sections(std::string_view name, std::string_view markdown);

// Ranks sections by the topics' words. One in the title counts as much as five in the text.
class section_source : public document_source {
public:
  explicit section_source(std::vector<document> sections);
  std::vector<document> find(const std::vector<std::string>& topics, int64_t tokens) const override;

private:
  std::vector<document> sections_;
};

} // namespace kevolve::synthesis
