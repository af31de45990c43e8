#include "backends/triton/candidate_format.hpp"

#include "backends/triton/triton_flags.hpp"

#include <string>

namespace kevolve::cuda {

namespace {

std::string as_passed(const argument& a) {
  if (a.role == argument_role::size)
    return a.name + ": i64";
  if (a.role == argument_role::scalar)
    return a.name + ": " + to_string(a.type);
  const bool written = a.role == argument_role::output || a.role == argument_role::inout;
  return a.name + ": pointer to " + to_string(a.type) + (written ? "" : ", not to be written");
}

} // namespace

candidate_form triton_form(const contract& task) {
  candidate_form out;
  out.language = "triton";
  out.file = "candidate.py";
  out.landmark = "launch plan";
  out.from_reference = false;
  out.signature = std::string{triton_format_text()};
  out.signature += "The task's arguments, as a kernel is passed them: ";
  for (const auto& a : task.arguments)
    out.signature += (&a == &task.arguments.front() ? "" : "; ") + as_passed(a);
  out.signature += ".\n";
  out.entry =
      "compute what '" + task.entry
      + "' of the reference computes, by functions that are @triton.jit; import triton and triton.language alone. "
        "No code of yours runs outside of the compile step. ";
  out.scratch =
      "Device memory beside the arguments is declared in the plan as scratch: it holds poison before each call, "
      "and clearing or filling it is part of the time. ";
  return out;
}

} // namespace kevolve::cuda

namespace kevolve {

candidate_language triton_language() {
  return {"triton", cuda::triton_form, cuda::triton_flag_menu};
}

} // namespace kevolve
