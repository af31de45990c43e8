// A target: one kind of hardware, described by data and by two helper programs that speak protocol.hpp.
// A new accelerator is a new folder that implements this and is listed in targets.cpp.
#pragma once

#include "backends/candidate_form.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/verdict.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// One entry of a target's flag menu. A candidate names one; it never writes a flag.
struct flag_set {
  std::string name;
  std::string summary;
  bool baseline = false;   // the flags the reference is built with
  int64_t vector_bits = 0; // says nothing where vectors are narrower
  bool fast_math = false;  // floats may come out otherwise, also finite ones; see asks_for_exact_results()
};

struct device_description {
  std::string id;         // "cpu:1"
  std::vector<int> cores; // timing core first
};

// How to start a helper: argv[0] is an absolute path; the environment is exactly what is listed.
struct helper_command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::vector<int> cores; // affinity; empty: leave
};

// A row of `kevolve doctor`.
struct doctor_row {
  std::string item; // "clang-19", "sandbox", "core 1"
  enum class state { ok, weaker, missing } state = state::ok;
  std::string detail;
  std::string remedy; // the command that adds it; empty if none
};

// A kernel as it is shipped: what its build line depends on.
struct kernel_build {
  std::string language;
  std::string flags; // name of an entry of the flag menu
  bool threads = false;
  std::vector<std::string> libraries;
};

class target {
public:
  virtual ~target() = default;

  virtual std::string name() const = 0;
  virtual trust_tier trust() const = 0;
  // Nothing launches here: a candidate is compiled, and what its compiler says is all there is.
  virtual bool compiles_only() const { return false; }
  virtual std::vector<std::string> languages() const = 0;
  // What a task's reference may be written in.
  virtual std::vector<std::string> reference_languages() const { return languages(); }
  // Of candidates for that task.
  virtual candidate_form form(const contract& task) const = 0;
  // What is wrong with a candidate's text that neither a compiler nor a device need be asked for, as a compiler puts
  // it; empty: nothing.
  virtual std::string lint_candidate(const contract&, const std::string&) const { return {}; }
  virtual std::vector<flag_set> flag_menu() const = 0;
  virtual std::vector<device_description> devices() const = 0;
  // The target whose devices these are: where that one is served too, a device does the jobs of both, one at a time.
  virtual std::string devices_of() const { return name(); }
  // The node appends --keep DIR, the folder of the builds that outlast it.
  virtual helper_command compile_server() const = 0;
  virtual helper_command judge(const device_description& device) const = 0;
  // Hash of compilers, flag menu, precompiled headers, the compile server and these libraries of the task; part of
  // every evaluation key.
  virtual std::string toolchain_fingerprint(const std::vector<std::string>& libraries) const = 0;
  virtual std::string device_fingerprint(const device_description& device) const = 0;
  // Hash of the judge and zygote executables and what they are told; frozen for the life of the target.
  virtual std::string harness_fingerprint() const = 0;
  // Facts about the hardware for generators: "cache.l1d", "vector_bits", "cores", … (bytes, bits, counts).
  virtual std::map<std::string, int64_t> hardware() const = 0;
  // Markdown about writing kernels for this hardware, by file name: what prompts quote sections of.
  virtual std::vector<std::pair<std::string, std::string>> documents() const = 0;
  virtual std::vector<doctor_row> doctor() const = 0;
  // What this machine needs to run a campaign on this target at all, with the remedies; empty: it has it.
  virtual std::string missing_requirements() const { return {}; }
  // Machine and tools by name and version, for a report.
  virtual std::vector<std::pair<std::string, std::string>> about() const = 0;
  // A shell script that builds kernel.c (or what the language's files end in) in its own folder as the compile server
  // does, without kevolve; empty if there is none.
  virtual std::string build_script(const kernel_build& kernel) const = 0;
};

// What an operator decides about a target's helpers.
struct target_options {
  std::vector<std::string> allow_weak_sandbox; // layers whose lack is accepted, by name: "landlock"
  int64_t candidate_memory_mib = 0;            // beside its arguments; 0: the usual
};

// errc::not_found lists the targets there are. `bin_dir` holds the helper programs; `cores` are the processor's to use,
// the timing core first; empty: as detected.
result<std::unique_ptr<target>> make_target(const std::string& name, const std::string& bin_dir,
                                            const std::vector<int>& cores = {}, const target_options& options = {});
std::vector<std::string> target_names();
// Those that this machine has a device for, and all else that they need.
std::vector<std::string> targets_here();

} // namespace kevolve
