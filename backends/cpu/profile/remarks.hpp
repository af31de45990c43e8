// Optimisation remarks of clang (-fsave-optimization-record), joined to the candidate's lines. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct optimisation_remark {
  std::string kind; // "passed", "missed", "analysis"
  std::string pass; // "loop-vectorize"
  std::string name; // "CantReorderFPOps"
  std::string text;
  std::string function;
  uint32_t line = 0;
  uint32_t column = 0;
};

// Reads the record. Remarks of other files than the candidate are left out.
std::vector<optimisation_remark> parse_remarks(std::string_view record);

// The vectoriser's answer for the loop that begins at a line.
struct vectoriser_answer {
  bool known = false;
  bool vectorised = false;
  int width = 0;      // lanes
  std::string reason; // why not, or empty
};
vectoriser_answer vectoriser_answer_at(const std::vector<optimisation_remark>& all, uint32_t line);

} // namespace kevolve
