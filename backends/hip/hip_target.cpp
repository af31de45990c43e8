#include "backends/hip/hip_target.hpp"

#include "backends/helper_words.hpp"
#include "backends/hip/hip_toolchain.hpp"
#include "backends/host_machine.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/log.hpp"

namespace kevolve {

namespace {

using state = enum doctor_row::state; // the member of the same name hides the type

constexpr const char* why_none = "compiles only: there is no runner for AMD's GPUs";

// Returns the architecture that candidates in Triton are compiled for.
std::string architecture_asked_for() {
  auto asked = environment("KEVOLVE_HIP_ARCHITECTURE");
  if (asked == "gfx950" || asked == "gfx942")
    return asked;
  if (!asked.empty())
    log::warn(
        "hip",
        "KEVOLVE_HIP_ARCHITECTURE is '{}': Triton compiles for gfx942, which is taken, or gfx950; HIP C++ for {} alone",
        asked, hip::hip_architecture);
  return "gfx942";
}

doctor_row examine_hip(const hip::hip_toolchain& tools) {
  const auto found = !tools.clang.empty();
  return {"hipcc", found ? state::ok : state::missing,
          found ? "clang " + tools.version + " for " + hip::hip_architecture + ": candidates in HIP C++ compile"
                : tools.missing + " is not there: candidates in HIP C++ do not compile",
          found ? "" : "apt-get install hipcc"};
}

} // namespace

hip_target::hip_target(candidate_language triton, std::string bin_dir, std::vector<int> cores, target_options options)
    : triton_(triton), bin_dir_(std::move(bin_dir)), cores_(cores.empty() ? usable_cores() : std::move(cores)),
      options_(std::move(options)), architecture_(architecture_asked_for()) {}

const cuda::framework_python& hip_target::python() const {
  std::lock_guard guard{lock_};
  if (!python_)
    python_ = cuda::find_framework_python();
  return *python_;
}

std::string hip_target::name() const {
  return "hip";
}

trust_tier hip_target::trust() const {
  return trust_tier::device_code;
}

bool hip_target::compiles_only() const {
  return true;
}

std::vector<std::string> hip_target::languages() const {
  return {triton_.name, "hip"};
}

std::vector<std::string> hip_target::reference_languages() const {
  return {};
}

candidate_form hip_target::form(const contract& task) const {
  return triton_.form(task);
}

std::vector<flag_set> hip_target::flag_menu() const {
  return triton_.flag_menu();
}

std::vector<device_description> hip_target::devices() const {
  return {};
}

helper_command hip_target::compile_server() const {
  helper_command out{{bin_dir_ + "/kevolve-compile-server-cuda", "--architecture", architecture_, "--python",
                      python().path, "--triton", python().triton_path},
                     helper_environment(),
                     cores_};
  accept_weakness(out.argv, options_);
  return out;
}

helper_command hip_target::judge(const device_description& /*there is none*/) const {
  return {};
}

std::string hip_target::toolchain_fingerprint(const std::vector<std::string>& /*none are linked*/) const {
  return sha256_hex("hip-toolchain 1\n" + architecture_ + "\n" + python().triton + "\n" + python().version + "\nclang "
                    + hip::find_hip_toolchain().version + "\n"
                    + sha256_hex(file_bytes(bin_dir_ + "/kevolve-compile-server-cuda")) + "\n");
}

std::string hip_target::device_fingerprint(const device_description& device) const {
  return sha256_hex("hip-device 1\n" + device.id + "\n");
}

std::string hip_target::harness_fingerprint() const {
  return sha256_hex("hip-harness 1\n");
}

std::map<std::string, int64_t> hip_target::hardware() const {
  return {};
}

std::vector<doctor_row> hip_target::doctor() const {
  return {{"AMD GPU", doctor_row::state::weaker, std::string{"for "} + architecture_ + ", " + why_none,
           "kevolve eval --target hip TASK CANDIDATE.py (or .hip) says what a code object says; "
           "KEVOLVE_HIP_ARCHITECTURE=gfx950 "
           "for that one"},
          cuda::examine_triton(python()),
          examine_hip(hip::find_hip_toolchain())};
}

std::string hip_target::missing_requirements() const {
  return why_none;
}

std::vector<std::pair<std::string, std::string>> hip_target::about() const {
  return {{"machine", why_none},
          {"toolchain", python().triton.empty() ? "no Triton" : "Triton " + python().triton + " for " + architecture_}};
}

std::string hip_target::build_script(const kernel_build& /*kernel*/) const {
  return {};
}

} // namespace kevolve
