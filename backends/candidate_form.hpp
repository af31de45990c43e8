// How a candidate for a target is written: what whoever writes one is told, and what its file is called.
#pragma once

#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

struct candidate_form {
  std::string language;       // "c"
  std::string file;           // "candidate.c"
  std::string landmark;       // what the source must hold: the function it defines, or words
  bool from_reference = true; // the reference is written so as well: a first candidate may be made of it by edits
  // Parts of the prompt's task: lines, then sentences of the rules.
  std::string signature;
  std::string resources;
  std::string entry;
  std::string scratch;
};

// A C function of the reference's own signature, in the reference's language.
candidate_form c_form(const contract& task);

// ".c" of "c"; empty if the language is none that is known here.
std::string source_extension(const std::string& language);

} // namespace kevolve
