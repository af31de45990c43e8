// A function made of the tree's statements: the reference as read, or a candidate on its way.
#pragma once

#include "backends/generators/transform/ir/ir.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

struct parameter {
  std::string name;
  ctype type;
  size_t name_offset = 0; // in the reference
  bool is_restrict = false;
  bool plain_pointer = false; // "T *name": a place for restrict before the name
};

struct source_note {
  size_t line = 0; // of the reference; 0: not known
  std::string what;

  bool operator==(const source_note&) const = default;
};

// The reference as read, or a candidate under construction.
struct program {
  std::string source;        // the reference file
  size_t function_begin = 0; // of the entry, in source
  size_t body_begin = 0;
  size_t function_end = 0;
  std::vector<parameter> parameters;
  shared_list<stmt> body;
  std::vector<std::string> taken; // every name in use
  bool add_restrict = false;
  uint32_t alignment = 0;         // bytes the pointers are promised to be aligned to; 0: say nothing
  std::string flags;              // menu entry; empty: the baseline
  std::vector<source_note> notes; // what stayed opaque and why
};

} // namespace kevolve::transform
