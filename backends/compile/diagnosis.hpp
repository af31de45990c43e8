// From how a compiler step ended to a verdict or a fault, and its messages to a log fit to be read and stored.
#pragma once

#include "backends/compile/locked_command.hpp"
#include "runtime/base/verdict.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

inline constexpr size_t most_log = 16U << 10U;

struct step_diagnosis {
  verdict result = verdict::none; // none: the step passed, or a fault
  fault trouble;
  std::string log; // one line on top of the diagnostics, where they do not say it
};

// What a source lacks that the check of its entry, at its end, could not find; empty if that is not what is wrong.
std::string missing_entry(std::string_view diagnostics, const std::string& entry);

// What a link that found no definition may use; empty if that is not what is wrong.
std::string missing_library(std::string_view diagnostics, const std::vector<std::string>& allowed);

// What an unsuccessful step says of the source. `diagnostics` is what the compiler printed.
step_diagnosis diagnose(const step_result& step, std::string_view diagnostics);

// A fault from an operating-system failure.
fault fault_from(const failure& why);

// Folders' names removed, the compiler's plea for bug reports cut, the length capped with a note.
std::string clean_log(std::string_view diagnostics, const std::vector<std::string>& folders);

} // namespace kevolve
