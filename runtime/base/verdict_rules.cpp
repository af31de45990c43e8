#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

// In the order of the verdicts. tests/check/test_kinds.py looks for every rule that the code names.
constexpr std::array<verdict_rule, 84> rules{{
    {"compiler", verdict::compile_error, "The compiler, the launch plan's reader or the linker refused the source."},
    {"oracle", verdict::compile_error, "The exact form of the reference does not compile."},
    {"reference", verdict::compile_error, "The reference does not compile."},
    {"object_format", verdict::load_error, "The compiled object cannot be read."},
    {"library", verdict::load_error,
     "The object asks for a library that the task does not allow, or tells the loader where to look."},
    {"load", verdict::load_error, "The dynamic loader or the driver could not load the object."},
    {"package", verdict::load_error,
     "The device package cannot be read, or two of its modules have a kernel of one name."},
    {"launch_plan", verdict::load_error, "The launch plan has an error, or gives no launch for a declared shape."},
    {"no_such_kernel", verdict::load_error, "The launch plan names a kernel that the compiled code does not have."},
    {"device_runtime", verdict::load_error,
     "The compiled code calls the device's run-time library, which is not there."},
    {"device_limit", verdict::load_error, "A launch asks for more than the device has."},
    {"machine_code", verdict::load_error, "The driver refused the machine code."},
    {"tensor_map", verdict::load_error, "The driver refused a tensor map of the launch plan."},
    {"launch_refused", verdict::load_error, "The driver refused a launch before it began."},
    {"no_entry", verdict::load_error, "The module has no function of the entry's name."},
    {"no_such_argument", verdict::load_error, "A parameter of the function is no argument of the task."},
    {"exited", verdict::crashed, "The process ended itself."},
    {"signal", verdict::crashed, "A signal ended the process."},
    {"died", verdict::crashed, "The process of the framework ended without an answer."},
    {"raised", verdict::crashed, "The reference raised an exception."},
    {"device_memory", verdict::crashed, "The framework's process could not map the device's memory."},
    {"protocol", verdict::crashed, "The framework's process sent what no answer looks like."},
    {"illegal_address", verdict::crashed, "A kernel read or wrote an address that is not mapped."},
    {"misaligned_address", verdict::crashed, "A kernel read or wrote an address that its type is not aligned to."},
    {"illegal_instruction", verdict::crashed, "A kernel ran an instruction that the device does not have."},
    {"illegal_jump", verdict::crashed, "A kernel jumped to an address that is no code."},
    {"assertion", verdict::crashed, "An assertion of a kernel failed."},
    {"stack", verdict::crashed, "A kernel ran out of stack."},
    {"launch_failed", verdict::crashed, "A kernel failed for a reason that the driver does not name."},
    {"undefined_behaviour", verdict::crashed,
     "In the sanitised replay the candidate did something that its language leaves undefined."},
    {"load_limit", verdict::timeout, "Loading the object took too long."},
    {"slow_load", verdict::timeout, "Loading the object took too long over all its launches."},
    {"call_limit", verdict::timeout, "A call took longer than it may."},
    {"cpu_limit", verdict::timeout, "The process used up its processor time."},
    {"timeout", verdict::timeout, "The reference took longer than a call of it may."},
    {"too_slow", verdict::timeout, "All the calls that judging needs took longer than judging may."},
    {"device_watchdog", verdict::timeout, "The device's watchdog ended a kernel."},
    {"memory_limit", verdict::out_of_memory, "The limit of the address space was reached."},
    {"memory", verdict::out_of_memory, "The framework ran out of memory."},
    {"scratch", verdict::out_of_memory, "The launch plan's scratch is larger than the device allows."},
    {"too_large", verdict::out_of_memory, "A declared shape has more data than this machine can judge."},
    {"launch", verdict::out_of_memory, "The device ran out of memory for a launch."},
    {"stage", verdict::out_of_memory, "The device ran out of memory while it ran a stage."},
    {"outputs", verdict::out_of_memory, "The device ran out of memory while its outputs were read."},
    {"inputs", verdict::wrong_shape, "No input of a declared shape can be drawn."},
    {"wrong_shape", verdict::wrong_shape,
     "The reference returned another number, type or shape of outputs than the task declares."},
    {"tolerance", verdict::wrong_result, "An output is farther from the exact result than the tolerance allows."},
    {"unwritten", verdict::wrong_result, "An element of an output was not written."},
    {"processor_state", verdict::wrong_result,
     "In the sanitised replay a call changed the rounding of numbers, or other state that belongs to its caller."},
    {"null_submission", verdict::wrong_result,
     "An answer that computes nothing would pass: the task cannot tell it from a right one."},
    {"ignores_input", verdict::wrong_result,
     "The result does not depend on an input: the task cannot tell whether it is read."},
    {"tolerance_of_reference", verdict::wrong_result,
     "The reference itself is farther from the exact result than the tolerance allows."},
    {"false_assertion", verdict::wrong_result, "An assertion of the task does not hold on a draw of its inputs."},
    {"nonfinite", verdict::nonfinite, "An output has an infinity or a NaN where the exact result is finite."},
    {"nonfinite_reference", verdict::nonfinite, "The exact result of a declared shape has an infinity or a NaN."},
    {"nonfinite_edge", verdict::nonfinite, "The exact result of an edge case has an infinity or a NaN."},
    {"rerun", verdict::nondeterministic, "An output differs between calls on the same input."},
    {"race", verdict::nondeterministic, "In the sanitised replay threads raced for shared memory."},
    {"uninitialised_read", verdict::nondeterministic,
     "In the sanitised replay the candidate read memory that nobody had written."},
    {"nondeterministic_reference", verdict::nondeterministic, "The reference disagrees with itself on the same input."},
    {"input_changed", verdict::input_mutated, "An input was changed."},
    {"guard_band", verdict::out_of_bounds, "The bytes around an argument were written."},
    {"fence", verdict::out_of_bounds, "An address right behind or before an argument was read or written."},
    {"tail", verdict::out_of_bounds, "An output was written past the elements that count."},
    {"scratch_guard", verdict::out_of_bounds, "The bytes around the scratch memory were written."},
    {"sanitizer", verdict::out_of_bounds,
     "In the sanitised replay the candidate read, wrote or freed memory that is not its own."},
    {"system_call", verdict::sandbox_violation, "The process made a system call that is not allowed."},
    {"early_done", verdict::cheating, "The call was reported done before its work was."},
    {"late_write", verdict::cheating, "An output was still being written after the call had returned."},
    {"early_report", verdict::cheating, "The object wrote to the judge's socket while it was loaded."},
    {"socket_closed", verdict::cheating, "The process closed the judge's socket."},
    {"wrong_token", verdict::cheating, "An answer without the call's own token came back."},
    {"extra_token", verdict::cheating, "More than one answer came back from one call."},
    {"too_many_threads", verdict::cheating, "The process has more threads than the task permits."},
    {"foreign_kernels", verdict::cheating, "The device ran more or other kernels than the launch plan launches."},
    {"hidden_time", verdict::cheating, "The device worked longer than the timed interval."},
    {"time_witness", verdict::cheating, "The runner's own clock saw more time than the device reported."},
    {"sanitizer_evasion", verdict::cheating,
     "The candidate names the sanitizers' run time, or looks for functions by name, to escape the sanitised replay."},
    {"physics_floor", verdict::faster_than_physics, "A call took less time than the least work needs on this machine."},
    {"same_object", verdict::pass, "The compiler made the very code of the baseline: no measurement was needed."},
    {"exhausted", verdict::none, "The generator had nothing more to propose from this candidate."},
    {"no_candidate", verdict::none, "The reply of the generator held no candidate that can be read."},
    {"withdrawn", verdict::none, "The step was taken back before it had a candidate."},
    {"not_judged", verdict::none, "The machine failed again and again: nothing is said about the candidate."},
}};

} // namespace

std::span<const verdict_rule> verdict_rules() {
  return rules;
}

const verdict_rule* find_verdict_rule(std::string_view name) {
  name = name.substr(name.rfind('.') + 1);
  const auto* found = std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return r.name == name; });
  return found == rules.end() ? nullptr : found;
}

std::string verdict_rules_reference() {
  std::string out =
      "# Verdicts and their rules\n\nGenerated from `runtime/base/verdict_rules.cpp`; `tests/base` keeps it "
      "in step.\n\nA result names the rule it follows from. A rule that begins with `reference.`, "
      "`oracle.` or `baseline.` is about that\nprogram and not about the candidate. The verdict `none` "
      "says nothing about a candidate.\n\n| verdict | rule | meaning |\n|---|---|---|\n";
  for (const auto& r : rules)
    out += "| " + to_string(r.result) + " | `" + std::string{r.name} + "` | " + std::string{r.sentence} + " |\n";
  return out;
}

} // namespace kevolve
