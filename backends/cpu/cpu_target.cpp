#include "backends/cpu/cpu_target.hpp"

#include "backends/cpu/doctor.hpp"
#include "backends/helper_words.hpp"
#include "runtime/base/ids.hpp"

#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace kevolve {

namespace {

// Returns whether the folder could be made: the nearest existing ancestor must be writable.
bool writable_place(std::filesystem::path folder) {
  std::error_code ec;
  while (!std::filesystem::exists(folder, ec) && folder.has_relative_path())
    folder = folder.parent_path();
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

} // namespace

cpu_target::cpu_target(std::string bin_dir, std::vector<int> cores, target_options options)
    : bin_dir_(std::move(bin_dir)), cores_(cores.empty() ? usable_cores() : cores),
      plan_(cores.empty() ? plan_cores(cores_) : plan_as_given(std::move(cores))), options_(std::move(options)) {}

const toolchain& cpu_target::tools() const {
  std::lock_guard guard{lock_};
  if (!tools_)
    tools_ = find_toolchain();
  return *tools_;
}

std::string cpu_target::name() const {
  return "cpu";
}

trust_tier cpu_target::trust() const {
  return trust_tier::native;
}

std::vector<std::string> cpu_target::languages() const {
  return {"c", "cpp"};
}

candidate_form cpu_target::form(const contract& task) const {
  return c_form(task);
}

std::vector<flag_set> cpu_target::flag_menu() const {
  std::vector<flag_set> out;
  const auto bits = hardware()["vector_bits"];
  for (const auto* entry : tools().menu())
    if (entry->about.vector_bits <= bits)
      out.push_back(entry->about);
  return out;
}

std::vector<device_description> cpu_target::devices() const {
  return {{"cpu:" + std::to_string(plan_.timing), {plan_.timing}}};
}

helper_command cpu_target::compile_server() const {
  helper_command out{
      {bin_dir_ + "/kevolve-compile-server", "--cache", header_cache_folder()}, helper_environment(), plan_.compiling};
  accept_weakness(out.argv, options_);
  return out;
}

helper_command cpu_target::judge(const device_description& device) const {
  helper_command out{{bin_dir_ + "/kevolve-judge", "--zygote", bin_dir_ + "/kevolve-zygote", "--core",
                      std::to_string(device.cores.empty() ? plan_.timing : device.cores.front()), "--thread-cores",
                      core_list(cores_)},
                     helper_environment(),
                     device.cores};
  if (options_.candidate_memory_mib > 0) {
    out.argv.emplace_back("--memory-mib");
    out.argv.push_back(std::to_string(options_.candidate_memory_mib));
  }
  if (const auto python = named_python(); !python.empty()) {
    out.argv.emplace_back("--python");
    out.argv.push_back(python);
  }
  accept_weakness(out.argv, options_);
  return out;
}

std::string cpu_target::toolchain_fingerprint(const std::vector<std::string>& libraries) const {
  const auto& found = tools();
  std::lock_guard guard{lock_};
  if (toolchain_fingerprint_.empty())
    toolchain_fingerprint_ = sha256_hex("cpu-toolchain 1\n" + kevolve::toolchain_fingerprint(found) + "\n"
                                        + sha256_hex(file_bytes(bin_dir_ + "/kevolve-compile-server")) + "\n");
  if (libraries.empty())
    return toolchain_fingerprint_;
  // The compile server reports missing libraries.
  auto text = toolchain_fingerprint_ + "\n";
  for (const auto& name : libraries)
    text += name + " " + sha256_hex(file_bytes(find_library(found, name).value_or(""))) + "\n";
  return sha256_hex(text);
}

std::string cpu_target::device_fingerprint(const device_description& device) const {
  return sha256_hex("cpu-device 1\n" + device_facts(device.cores.empty() ? plan_.timing : device.cores.front()));
}

std::string cpu_target::harness_fingerprint() const {
  std::lock_guard guard{lock_};
  if (harness_fingerprint_.empty()) {
    // The hash covers the programs, including the sandbox profile, their options, and the C library that every
    // candidate runs on.
    std::string text = "cpu-harness 2\n";
    for (const auto* program : {"kevolve-judge", "kevolve-zygote", "kevolve-sanitised-replay"})
      text += sha256_hex(file_bytes(bin_dir_ + "/" + program)) + "\n";
    text += "memory_mib " + std::to_string(options_.candidate_memory_mib) + "\n";
    text += "cores " + core_list(cores_) + "\n";
    for (const auto& layer : options_.allow_weak_sandbox)
      text += "without " + layer + "\n";
    text += std::string{"libc "} + ::gnu_get_libc_version() + "\n";
    harness_fingerprint_ = sha256_hex(text);
  }
  return harness_fingerprint_;
}

std::map<std::string, int64_t> cpu_target::hardware() const {
  return hardware_facts(plan_.timing, cores_.size());
}

std::vector<doctor_row> cpu_target::doctor() const {
  return examine_cpu({&tools(), bin_dir_, cores_, plan_, header_cache_folder()});
}

std::string header_cache_folder() {
  auto base = environment("XDG_CACHE_HOME");
  if (base.empty() && !environment("HOME").empty())
    base = environment("HOME") + "/.cache";
  if (!base.empty() && base.front() == '/' && writable_place(base))
    return base + "/kevolve/headers";
  auto temporary = environment("TMPDIR");
  return (temporary.empty() ? "/tmp" : temporary) + "/kevolve-headers-" + std::to_string(::geteuid());
}

} // namespace kevolve
