#include "backends/nvidia/nvidia_target.hpp"

#include "backends/capture.hpp"
#include "backends/helper_words.hpp"
#include "backends/host_machine.hpp"
#include "backends/launch_plan/plan_resolution.hpp"
#include "backends/nvidia/toolchain.hpp"
#include "runtime/base/ids.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

namespace kevolve {

namespace {

constexpr auto facts_limit = std::chrono::seconds{60}; // without persistence mode, the driver takes seconds to start
constexpr const char* device_order = "PCI_BUS_ID";     // the numbering of the management library

size_t index_of(const device_description& device) {
  size_t out = 0;
  const auto at = device.id.find(':') + 1;
  std::from_chars(device.id.data() + at, device.id.data() + device.id.size(), out);
  return out;
}

// Returns 90 for "sm_90a"; 0 if the name has another form.
uint32_t capability_of(const std::string& architecture) {
  return architecture.rfind("sm_", 0) == 0 ? static_cast<uint32_t>(std::strtoul(architecture.c_str() + 3, nullptr, 10))
                                           : 0;
}

} // namespace

cuda_core_plan plan_cuda_cores(std::vector<int> cores, bool named, size_t devices) {
  cuda_core_plan out;
  if (!named) {
    std::reverse(cores.begin(), cores.end());
    std::rotate(cores.begin(), cores.begin() + (cores.empty() ? 0 : 1), cores.end());
  }
  // A runner needs several cores for layout, comparison and a framework's host side. Compilers need most cores.
  const auto each = std::max<size_t>(1, cores.size() / (4 * std::max<size_t>(1, devices)));
  size_t taken = 0;
  for (size_t d = 0; d < devices && !cores.empty(); ++d) {
    auto& mine = out.runners.emplace_back();
    for (size_t i = 0; i < each; ++i)
      mine.push_back(cores[taken++ % cores.size()]);
  }
  for (size_t i = taken; i < cores.size(); ++i)
    out.compiling.push_back(cores[i]);
  if (out.compiling.empty())
    out.compiling = cores;
  return out;
}

nvidia_target::nvidia_target(std::string bin_dir, std::vector<int> cores, target_options options)
    : bin_dir_(std::move(bin_dir)), cores_(cores.empty() ? usable_cores() : cores), named_(!cores.empty()),
      options_(std::move(options)) {}

const result<cuda::gpu_list>& nvidia_target::gpus() const {
  std::lock_guard guard{lock_};
  if (!gpus_)
    gpus_ = cuda::list_gpus();
  return *gpus_;
}

const cuda::cuda_toolchain& nvidia_target::tools() const {
  std::lock_guard guard{lock_};
  if (!tools_)
    tools_ = cuda::find_cuda_toolchain();
  return *tools_;
}

const cuda::framework_python& nvidia_target::python() const {
  std::lock_guard guard{lock_};
  if (!python_)
    python_ = cuda::find_framework_python();
  return *python_;
}

std::vector<cuda::gpu> nvidia_target::found() const {
  return gpus() ? gpus()->all : std::vector<cuda::gpu>{};
}

// The suffix "a" enables instructions of one generation only, such as asynchronous tensor-core products.
std::string nvidia_target::architecture() const {
  const auto all = found();
  const auto capability = all.empty() || all.front().capability == 0 ? 90 : all.front().capability;
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

uint32_t nvidia_target::capability() const {
  return capability_of(architecture());
}

cuda_core_plan nvidia_target::cores() const {
  return plan_cuda_cores(cores_, named_, found().size());
}

trust_tier nvidia_target::trust() const {
  return trust_tier::device_code;
}

std::vector<std::string> nvidia_target::reference_languages() const {
  return {"pytorch"};
}

std::vector<device_description> nvidia_target::devices() const {
  std::vector<device_description> out;
  const auto plan = cores();
  for (size_t i = 0; i < found().size(); ++i)
    out.push_back({"cuda:" + std::to_string(i), i < plan.runners.size() ? plan.runners[i] : std::vector<int>{}});
  return out;
}

helper_command nvidia_target::compile_server() const {
  helper_command out{{bin_dir_ + "/kevolve-compile-server-cuda", "--architecture", architecture()},
                     helper_environment(),
                     cores().compiling};
  if (!python().path.empty())
    out.argv.insert(out.argv.end(), {"--python", python().path});
  if (!python().triton_path.empty())
    out.argv.insert(out.argv.end(), {"--triton", python().triton_path});
  accept_weakness(out.argv, options_);
  return out;
}

helper_command nvidia_target::judge(const device_description& device) const {
  helper_command out{{bin_dir_ + "/kevolve-runner-cuda", "--device", std::to_string(index_of(device)), "--zygote",
                      bin_dir_ + "/kevolve-zygote"},
                     helper_environment(),
                     device.cores};
  if (!python().path.empty())
    out.argv.insert(out.argv.end(), {"--python", python().path});
  if (auto ncu = cuda::find_ncu(); !ncu.empty())
    out.argv.insert(out.argv.end(), {"--profiler", std::move(ncu)});
  if (auto sanitizer = cuda::find_sanitizer(tools().root); !sanitizer.empty())
    out.argv.insert(out.argv.end(), {"--sanitizer", std::move(sanitizer)});
  accept_weakness(out.argv, options_);
  // Paths of the driver's libraries, visible devices and their order.
  out.environment["CUDA_DEVICE_ORDER"] = device_order;
  for (const auto* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "KEVOLVE_CUPTI"})
    if (auto value = environment(name); !value.empty())
      out.environment[name] = value;
  return out;
}

std::string nvidia_target::toolchain_fingerprint(const std::vector<std::string>& /*none are linked*/) const {
  std::lock_guard guard{lock_};
  if (toolchain_fingerprint_.empty()) {
    std::string text = "cuda-toolchain 1\n" + tools().version + "\n" + architecture() + "\n";
    for (const auto* program : {"/bin/nvcc", "/bin/ptxas", "/nvvm/bin/cicc"})
      text += sha256_hex(file_bytes(tools().root + program)) + "\n";
    for (const auto& entry : cuda::cuda_menu()) {
      text += entry.about.name;
      for (const auto& word : entry.words)
        text += " " + word;
      text += "\n";
    }
    text += sha256_hex(file_bytes(bin_dir_ + "/kevolve-compile-server-cuda")) + "\n";
    toolchain_fingerprint_ = sha256_hex(text);
  }
  return toolchain_fingerprint_;
}

std::string nvidia_target::device_fingerprint(const device_description& device) const {
  const auto all = found();
  const auto index = index_of(device);
  const auto which = index < all.size() ? all[index].name + "\n" + all[index].uuid : device.id;
  return sha256_hex("cuda-device 1\n" + which + "\n" + (gpus() ? gpus()->driver : "") + "\n");
}

std::string nvidia_target::harness_fingerprint() const {
  std::lock_guard guard{lock_};
  if (harness_fingerprint_.empty()) {
    // The hash covers the programs, their options, and the framework that runs every reference.
    std::string text = "cuda-harness 1\n";
    for (const auto* program : {"kevolve-runner-cuda", "kevolve-zygote"})
      text += sha256_hex(file_bytes(bin_dir_ + "/" + program)) + "\n";
    for (const auto& layer : options_.allow_weak_sandbox)
      text += "without " + layer + "\n";
    // A result that no sanitizer has seen is not the same result.
    const auto sanitizer = cuda::find_sanitizer(tools().root);
    text += "sanitizer " + (sanitizer.empty() ? "none" : sha256_hex(file_bytes(sanitizer))) + "\n";
    text += "python " + python().version + " torch " + python().torch + "\n";
    harness_fingerprint_ = sha256_hex(text);
  }
  return harness_fingerprint_;
}

std::map<std::string, int64_t> nvidia_target::hardware() const {
  std::lock_guard guard{lock_};
  if (hardware_)
    return *hardware_;
  hardware_.emplace();
  const auto all = found();
  if (all.empty())
    return *hardware_;
  auto& out = *hardware_;
  out["memory"] = static_cast<int64_t>(all.front().memory_bytes);
  std::vector<std::string> words{"/usr/bin/env", std::string{"CUDA_DEVICE_ORDER="} + device_order};
  for (const auto* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"})
    if (auto value = environment(name); !value.empty())
      words.push_back(std::string{name} + "=" + value);
  words.insert(words.end(), {bin_dir_ + "/kevolve-cuda-facts", "0"});
  const auto said = capture(words, facts_limit);
  if (!said || said->status != 0)
    return out; // the runner will report the driver's error
  std::istringstream lines{said->output};
  int64_t value = 0;
  for (std::string key; lines >> key >> value;)
    if (value > 0)
      out[key] = value;
  return out;
}

cuda::cuda_examination nvidia_target::examination() const {
  return {&gpus(), &tools(), &python(), bin_dir_};
}

std::vector<doctor_row> nvidia_target::doctor() const {
  return cuda::examine_cuda(examination());
}

std::string nvidia_target::missing_requirements() const {
  return cuda::missing_in(cuda::examine_machine(examination()));
}

std::vector<std::pair<std::string, std::string>> nvidia_target::about() const {
  std::string machine;
  for (const auto& g : found())
    machine += (machine.empty() ? "" : "; ") + g.name;
  const auto known = published_limits(capability_of(architecture()));
  const auto shared = known.shared_opt_in == 0
                          ? std::string{}
                          : ", with " + std::to_string(known.shared_opt_in >> 10U) + " KiB of shared memory a block";
  return {{"machine",
           machine.empty() ? "not here: a GPU of " + architecture() + shared : machine + ", driver " + gpus()->driver},
          {"toolchain", tools().nvcc.empty() ? "no nvcc" : "nvcc " + tools().version + " for " + architecture()},
          {"framework", python().torch.empty() ? "PyTorch, of the machine that judges"
                                               : "torch " + python().torch + ", Python " + python().version}};
}

std::string nvidia_target::build_script(const kernel_build& /*kernel*/) const {
  return {};
}

} // namespace kevolve
