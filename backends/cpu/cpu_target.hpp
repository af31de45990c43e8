// The target `cpu`: this machine's processor with one timing core. Candidates are native shared objects compiled by
// clang-19 (or g++).
#pragma once

#include "backends/cpu/toolchain.hpp"
#include "backends/host_machine.hpp"
#include "backends/target.hpp"

#include <mutex>
#include <optional>

namespace kevolve {

// It must be constructed before the node leaves the timing core, since it takes the cores that this process may use
// then.
class cpu_target final : public target {
public:
  // `cores` are the cores to use; empty: all that this process may use.
  explicit cpu_target(std::string bin_dir, std::vector<int> cores = {}, target_options options = {});

  std::string name() const override;
  bool replays_sanitised() const override { return true; }
  trust_tier trust() const override;
  std::vector<std::string> languages() const override;
  candidate_form form(const contract& task) const override;
  std::vector<flag_set> flag_menu() const override;
  std::vector<device_description> devices() const override;
  helper_command compile_server() const override;
  helper_command judge(const device_description& device) const override;
  std::string toolchain_fingerprint(const std::vector<std::string>& libraries) const override;
  std::string device_fingerprint(const device_description& device) const override;
  std::string harness_fingerprint() const override;
  std::map<std::string, int64_t> hardware() const override;
  std::vector<doctor_row> doctor() const override;
  std::vector<std::pair<std::string, std::string>> about() const override;
  std::string build_script(const kernel_build& kernel) const override;

private:
  const toolchain& tools() const;

  std::string bin_dir_;
  std::vector<int> cores_;
  core_plan plan_;
  target_options options_;
  // Computed at first use from any thread, since it starts the compilers.
  mutable std::mutex lock_;
  mutable std::optional<toolchain> tools_;
  mutable std::string toolchain_fingerprint_;
  mutable std::string harness_fingerprint_; // computed once and then fixed
};

// Returns the folder of this user's precompiled headers: below $XDG_CACHE_HOME or ~/.cache, else below $TMPDIR.
std::string header_cache_folder();

} // namespace kevolve
