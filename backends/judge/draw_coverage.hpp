// The account of what a candidate was tried on, and what it was not: one text for the report, the prompts, the bundle
// and the JSON.
#pragma once

#include "backends/judge/adversarial_draws.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

class draw_coverage {
public:
  explicit draw_coverage(const contract& task) : task_(task) {}
  explicit draw_coverage(contract&&) = delete; // it keeps a reference

  // Adds a draw; of a held-out shape the sizes are not told.
  void add(const size_map& sizes, const std::vector<value_choice>& chosen, bool of_held_out_shape = false);
  // Adds the number of an output's elements that count, of `capacity`.
  void add_count(const std::string& output, int64_t count, int64_t capacity);
  void add(const draw_counts& discarded);

  size_t draws() const { return draws_; }
  // Return paragraphs of full sentences.
  std::string tried() const;
  std::string not_tried() const;
  // Adds both, and the counts under names that begin with "draws.", to the evidence of an outcome.
  void note(std::map<std::string, std::string>& evidence) const;

private:
  void add_sizes(const size_map& sizes, bool chooses);
  std::string discarded() const;
  std::string sizes_text() const;
  std::string at_declared_text() const;

  const contract& task_;
  size_t draws_ = 0;
  std::set<std::vector<int64_t>> shapes_;
  std::map<std::string, std::set<int64_t>> sizes_;
  std::map<value_pattern, size_t> patterns_;  // draws that have one
  std::map<std::string, size_t> at_declared_; // draws with chosen values, by declared shape
  size_t at_held_out_ = 0;                    // such draws of held-out shapes
  std::map<std::string, std::set<std::string>> counts_;
  draw_counts discarded_;
};

// The keys of the two paragraphs.
inline constexpr const char* tried_key = "tried";
inline constexpr const char* not_tried_key = "not_tried";

// Returns both paragraphs from an outcome's evidence; empty if it has none.
std::string coverage_text(const std::map<std::string, std::string>& evidence);

// Returns "1-65 127-129 255".
std::string ranges_of(const std::set<int64_t>& numbers);

} // namespace kevolve
