// Turns the end of a compiler step into a verdict or a fault, and its messages into a log that can be read and stored.
#pragma once

#include "backends/compile/locked_command.hpp"
#include "runtime/base/verdict.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

inline constexpr size_t most_log = 16U << 10U;

struct step_diagnosis {
  verdict result = verdict::none; // none: the step passed, or there is a fault
  fault trouble;
  std::string log; // one line to put above the diagnostics if these do not state the cause
};

// Returns a message if the final check of the entry failed because the source does not define it; else empty.
std::string missing_entry(std::string_view diagnostics, const std::string& entry);

// Returns a message if the link failed for lack of a definition, with the libraries that may be used; else empty.
std::string missing_library(std::string_view diagnostics, const std::vector<std::string>& allowed);

// Diagnoses an unsuccessful step. `diagnostics` is the compiler's output.
step_diagnosis diagnose(const step_result& step, std::string_view diagnostics);

// Makes a fault from an operating-system error.
fault fault_from(const failure& why);

// Returns the diagnostics without the folders' names and without the compiler's request for bug reports. Caps the
// length with a note.
std::string clean_log(std::string_view diagnostics, const std::vector<std::string>& folders);

} // namespace kevolve
