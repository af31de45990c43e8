#include "backends/candidate_form.hpp"
#include "runtime/base/kinds.hpp"

namespace kevolve {

candidate_form c_form(const contract& task) {
  candidate_form out;
  out.language = task.language;
  out.file = is_cpp(task.language) ? "candidate.cpp" : "candidate.c";
  out.landmark = task.entry;
  out.signature = "Signature:\n" + c_prototype(task) + ";\n";
  out.resources = task.threads ? "Threads may be used.\n" : "One thread; none may be started.\n";
  std::string libraries;
  for (const auto& name : task.libraries)
    libraries += (libraries.empty() ? "" : ", ") + name;
  if (!libraries.empty())
    out.resources += "Libraries that may be called: " + libraries + ".\n";
  out.entry =
      "define the entry with this name and these parameters; include what you use; libc and libm may be called. ";
  out.scratch =
      "Scratch memory on the stack, allocated, or static is allowed as long as every call writes it before it "
      "reads it; what the call builds in it is part of the time. ";
  return out;
}

std::string source_extension(const std::string& language) {
  return std::string{find_language(language).extension};
}

} // namespace kevolve
