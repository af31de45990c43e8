// The form of a target's candidates: the instructions for their author and the file name.
#pragma once

#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

struct candidate_form {
  std::string language;       // for example "c"
  std::string file;           // for example "candidate.c"
  std::string landmark;       // text that the source must contain: the function it defines, or words
  bool from_reference = true; // the reference has this form as well, so a first candidate may be made from it by edits
  // Parts of the prompt's task: lines of text, then sentences of the rules.
  std::string signature;
  std::string resources;
  std::string entry;
  std::string scratch;
};

// Returns the form of a C function with the reference's signature and language.
candidate_form c_form(const contract& task);

// Returns the file extension, ".c" for "c"; empty if the language is unknown.
std::string source_extension(const std::string& language);

} // namespace kevolve
