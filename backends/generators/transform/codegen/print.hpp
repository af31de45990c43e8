// From the tree back to C that a person can read.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

std::string print(const expr& e);
std::string print_type(const ctype& t); // "const float *", "f32x16"
std::string print_body(const std::vector<stmt>& body, int indent);

// Returns the name of the helper function that takes a scalar's bits as another type.
std::string bits_name(const expr& e);

// Returns the whole file: what stood around the entry, the vector helpers it needs, the entry. `header` is the comment
// at the top.
std::string print_program(const program& p, const std::string& header);

// The lines of a loop in the text of a program.
struct loop_lines {
  std::string label;
  size_t first = 0; // of its head
  size_t last = 0;  // of its end
};
// Returns the loops of `text`, which print_program() made of the program, an outer one before those inside it. Empty if
// the text is not the program's.
std::vector<loop_lines> lines_of_loops(const program& p, const std::string& text);

// Definitions of the vector types and helper functions used in the body; empty if none.
std::string vector_prologue(const program& p);

std::string vector_name(scalar_kind k, unsigned lanes); // "f32x16"
std::string scalar_name(scalar_kind k);                 // "float"

} // namespace kevolve::transform
