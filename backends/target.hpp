// A target: one kind of hardware, described by data and two helper programs that speak protocol.hpp. A new accelerator
// is a new folder that implements this interface; docs/architecture.md lists the lines that name it.
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

// One entry of a target's flag menu. A candidate names an entry; it never writes a flag.
struct flag_set {
  std::string name;
  std::string summary;
  bool baseline = false;   // the flags that the reference is built with
  int64_t vector_bits = 0; // the entry is offered on machines with vectors of at least this width
  bool fast_math = false;  // may change floating-point results, finite ones as well; see asks_for_exact_results()
};

struct device_description {
  std::string id;         // for example "cpu:1"
  std::vector<int> cores; // the timing core first
};

// The command that starts a helper. argv[0] is an absolute path. The helper gets exactly the environment listed.
struct helper_command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;
  std::vector<int> cores; // core affinity; empty: unchanged
};

// A row of `kevolve doctor`.
struct doctor_row {
  std::string item; // for example "clang-19", "sandbox", "core 1"
  enum class state { ok, weaker, missing } state = state::ok;
  std::string detail;
  std::string remedy; // the command that fixes it; empty if there is none
};

// The properties of a kernel that its build command depends on.
struct kernel_build {
  std::string language;
  std::string flags; // name of an entry of the flag menu
  bool threads = false;
  std::vector<std::string> libraries;
  std::string entry; // the function that alone is exported; empty: all are
};

class target {
public:
  virtual ~target() = default;

  virtual std::string name() const = 0;
  virtual trust_tier trust() const = 0;
  // Returns true if candidates are replayed with sanitizers before they may be called best.
  virtual bool replays_sanitised() const { return false; }
  // Returns true if the target only compiles candidates and launches nothing.
  virtual bool compiles_only() const { return false; }
  virtual std::vector<std::string> languages() const = 0;
  // Returns the languages that a task's reference may be written in.
  virtual std::vector<std::string> reference_languages() const { return languages(); }
  // Returns the form of candidates for that task.
  virtual candidate_form form(const contract& task) const = 0;
  // Checks a candidate's text without a compiler or a device. Returns errors in a compiler's format; empty if there are
  // none.
  virtual std::string lint_candidate(const contract&, const std::string&) const { return {}; }
  virtual std::vector<flag_set> flag_menu() const = 0;
  virtual std::vector<device_description> devices() const = 0;
  // Returns the target that owns the devices. If that target is served as well, a device does the jobs of both, one at
  // a time.
  virtual std::string devices_of() const { return name(); }
  // The node appends --keep DIR, the folder of builds that outlast it.
  virtual helper_command compile_server() const = 0;
  virtual helper_command judge(const device_description& device) const = 0;
  // Returns a hash of compilers, flag menu, precompiled headers, compile server and the task's libraries. It is part of
  // every evaluation key.
  virtual std::string toolchain_fingerprint(const std::vector<std::string>& libraries) const = 0;
  virtual std::string device_fingerprint(const device_description& device) const = 0;
  // Returns a hash of the judge's and zygote's executables and options. It is computed once in the target's lifetime.
  virtual std::string harness_fingerprint() const = 0;
  // Returns facts about the hardware for generators: "cache.l1d", "vector_bits", "cores", … (bytes, bits, counts).
  virtual std::map<std::string, int64_t> hardware() const = 0;
  virtual std::vector<doctor_row> doctor() const = 0;
  // Returns the requirements that this machine lacks for a campaign on this target, with remedies; empty if there are
  // none.
  virtual std::string missing_requirements() const { return {}; }
  // Names and versions of the machine and its tools, for a report.
  virtual std::vector<std::pair<std::string, std::string>> about() const = 0;
  // Returns a shell script that builds the kernel.c (or other extension) in its folder as the compile server does,
  // without kevolve. Empty if there is none.
  virtual std::string build_script(const kernel_build& kernel) const = 0;
};

// An operator's settings for a target's helpers.
struct target_options {
  std::vector<std::string> allow_weak_sandbox; // names of sandbox layers that may be missing: "landlock"
  int64_t candidate_memory_mib = 0;            // besides its arguments; 0: the default
};

// Creates a target. `bin_dir` holds the helper programs. `cores` are the processor's cores to use, the timing core
// first; empty: detected. errc::not_found lists the targets.
result<std::unique_ptr<target>> make_target(const std::string& name, const std::string& bin_dir,
                                            const std::vector<int>& cores = {}, const target_options& options = {});
std::vector<std::string> target_names();
// Returns true for targets whose candidates run on a device of its own, not on the processor; false for unknown names.
bool runs_on_device(const std::string& target);
// Returns the targets for which this machine has a device and all other requirements.
std::vector<std::string> targets_here();

} // namespace kevolve
