// A reply taken apart: fenced blocks as CommonMark has them, edits in search/replace form, and what remains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct code_block {
  std::string language; // lower case; of the info string
  std::string path;     // as labelled: in the info string or on the line before; empty: not labelled
  std::string content;
  bool closed = false;
};

struct edit_block {
  std::string path;
  std::string search;
  std::string replace;
  bool closed = false;
};

struct reply_parts {
  std::vector<code_block> blocks;
  std::vector<edit_block> edits; // in fences or not
  std::string prose;             // lines outside of both
  bool stray_marks = false;      // marks of an edit out of their order
};

reply_parts take_apart(std::string_view reply);

} // namespace kevolve::synthesis
