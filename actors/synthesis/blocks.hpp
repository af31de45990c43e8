// Splits a reply into fenced blocks as in CommonMark, edits in search/replace form, and the remaining text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct code_block {
  std::string language; // in lower case; from the info string
  std::string path;     // from the info string or the line before; empty: no label
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
  std::string prose;             // lines outside blocks and edits
  bool stray_marks = false;      // marks of an edit in the wrong order
};

reply_parts take_apart(std::string_view reply);

} // namespace kevolve::synthesis
