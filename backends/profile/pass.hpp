// Profile passes: each reads artefacts of a candidate, makes others, and finds what bounds it. A pass is one file with
// a descriptor and one line in registry.cpp. Passes run in a helper process, never in a node; untrusted code runs
// through the sandbox that the request offers. No figure of a pass reaches a verdict or a speed-up.
#pragma once

#include "backends/compile/locked_command.hpp"
#include "backends/profile/artefact.hpp"
#include "backends/profile/finding.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <span>
#include <string>

namespace kevolve {

// Runs programs that read or are untrusted code, locked, with the work folder alone writable.
class pass_sandbox {
public:
  virtual ~pass_sandbox() = default;
  // Runs a tool of the machine on untrusted text: a compiler, llvm-mca, valgrind. `readable`: further paths to read.
  virtual step_result run_tool(const locked_command& command, const std::vector<std::string>& readable) = 0;
  // Runs a program made from the candidate, on the timing core. It may read the work folder and system libraries.
  virtual step_result run_candidate(const locked_command& command) = 0;
};

struct pass_request {
  contract task;
  size_t shape = 0;                               // index in task.shapes of the declared shape to profile
  std::string target;                             // "cpu", "cuda", …
  std::string source;                             // the candidate
  std::string language;                           // "c", "cpp", "cuda", "triton"
  std::string flags;                              // name of an entry of the target's flag menu
  std::string object;                             // bytes of the build that counts; empty: there is none here
  artefacts have;                                 // the artefacts made so far, all that the pass reads among them
  double budget_s = 2.0;                          // the pass should end within it
  std::chrono::steady_clock::time_point deadline; // the pass must have ended by then
  double step_s = 0.0;                            // processor time that a locked step of it may take; 0: no such limit
  std::string folder;                             // its own, empty and writable; removed afterwards
  std::string bin_dir;                            // our programs
  int core = 0;                                   // the timing core, which the caller holds for passes that use it
  pass_sandbox* sandbox = nullptr;                // lives as long as the run; null while a pass is only planned
  // Programs that the job's passes have built, by all that they were built from; null: none is kept.
  std::map<std::string, std::string>* built = nullptr;
};

// The answer of a precondition.
struct availability {
  bool available = true;
  std::string reason; // the thing that is missing: "this virtual machine has no hardware counters"
  std::string remedy; // what would enable it: "apt-get install valgrind"; empty: nothing here can
};

// The resource that a pass needs for itself alone.
enum class pass_use : uint8_t { nothing = 0, compiler, core, device };
inline constexpr std::array<std::string_view, 4> pass_use_texts{"nothing", "compiler", "core", "device"};
constexpr const auto& enum_texts(pass_use) {
  return pass_use_texts;
}

struct pass_result {
  artefacts made;
  std::vector<finding> findings;
  double seconds = 0.0;      // set by the caller
  double perturbation = 0.0; // instrumented time over plain time, less 1; 0: does not touch the call
  std::string skipped;       // the reason why it made nothing; it may be that the candidate fails under this pass
  std::string remedy;        // what would enable it
};

struct profile_pass {
  std::string_view name;      // "cpu.loops": target, dot, word
  std::string_view file = {}; // that describes it, for messages; set by the registry
  std::string_view summary = {};
  std::vector<std::string_view> targets; // empty: all
  std::vector<artefact_kind> reads;      // all must be there; source, object, evidence and timings may be given
  std::vector<artefact_kind> uses;       // read as well where another pass of the plan makes them
  std::vector<artefact_kind> makes;
  pass_use use = pass_use::nothing;
  bool instruments = false;                                   // runs another build than the one that counts
  uint32_t version = 1;                                       // part of the cache key: raise it when the result changes
  availability (*available)(const pass_request& q) = nullptr; // null: always
  double (*estimate_s)(const pass_request& q) = nullptr;      // null: below 10 ms
  result<pass_result> (*run)(const pass_request& q) = nullptr;
};

// Returns all passes, in the order of registry.cpp.
std::span<const profile_pass> profile_passes();
// Returns the pass of that name; null for an unknown name.
const profile_pass* find_pass(std::string_view name);
// Returns nothing if every artefact that a pass reads or uses is given, or made by another pass for one of its targets.
// No two passes may share a name. errc::bad_input: a message with file, key, artefact and those that there are.
result<void> check_passes(std::span<const profile_pass> passes);

} // namespace kevolve
