#include "backends/nvidia/doctor.hpp"

#include "backends/nvidia/cupti.hpp"
#include "backends/nvidia/driver.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace kevolve::cuda {

namespace {

using state = enum doctor_row::state; // the member of the same name hides the type

constexpr const char* driver_remedy =
    "install NVIDIA's driver, 550 or newer: apt-get install nvidia-driver, from Debian's component non-free";
constexpr std::string_view tried_torch = "2.11";
constexpr uint32_t oldest_capability = 80; // limits and rates of older devices are not known here

// Returns the text without the loader's detail in brackets.
std::string brief(const std::string& why) {
  return why.substr(0, why.find(" ("));
}

void examine_devices(const result<gpu_list>& gpus, std::vector<doctor_row>& rows) {
  const auto driver = load_driver(); // loaded, but not initialised
  const auto version =
      gpus && !gpus->driver.empty() ? gpus->driver + ", runs CUDA up to " + gpus->cuda : "libcuda.so.1";
  rows.push_back({"NVIDIA driver", driver ? state::ok : state::missing, driver ? version : brief(driver.error().detail),
                  driver ? "" : driver_remedy});
  rows.push_back({"NVML", gpus ? state::ok : state::missing, gpus ? "libnvidia-ml.so.1" : brief(gpus.error().detail),
                  gpus ? "" : "it comes with the driver"});
  if (!gpus || gpus->all.empty()) {
    rows.push_back({"GPU", state::missing, "none is seen",
                    "a machine with an NVIDIA GPU; in a container, one that is given it (docker run --gpus all)"});
    return;
  }
  for (size_t i = 0; i < gpus->all.size(); ++i) {
    const auto& g = gpus->all[i];
    const auto fit = g.capability >= oldest_capability;
    rows.push_back({"cuda:" + std::to_string(i), fit ? state::ok : state::weaker,
                    fmt::format("{}, compute capability {}.{}, {} MiB", g.name, g.capability / 10, g.capability % 10,
                                g.memory_bytes >> 20U),
                    fit ? "" : "a GPU of compute capability 8.0 or newer: older ones are untried"});
  }
}

void examine_python(const framework_python& python, std::vector<doctor_row>& rows) {
  const auto found = !python.path.empty();
  rows.push_back({"python3", found ? state::ok : state::missing,
                  found ? python.path + ": " + python.version : python.why, found ? "" : "apt-get install python3"});
  const auto fit = !python.torch.empty() && !python.torch_cuda.empty();
  rows.push_back({"torch", fit ? state::ok : state::missing,
                  fit                    ? python.torch + ", for CUDA " + python.torch_cuda
                  : python.torch.empty() ? "this python3 has no PyTorch: references cannot run"
                                         : python.torch + " is built for processors alone: references need the GPU",
                  fit ? ""
                      : "python3 -m pip install " + std::string{python.torch.empty() ? "" : "--force-reinstall "}
                            + "'torch==" + std::string{tried_torch} + ".*', which goes with triton "
                            + std::string{tried_triton}
                            + ", for the python3 that is first in PATH or that KEVOLVE_PYTHON names"});
}

doctor_row examine_nvcc(const cuda_toolchain& tools) {
  const auto found = !tools.nvcc.empty();
  return {"nvcc", found ? state::ok : state::missing,
          found ? tools.nvcc + ": " + tools.version : "not in PATH nor below /usr/local",
          found ? "" : "install the CUDA toolkit (developer.nvidia.com/cuda-downloads), or put its bin in PATH"};
}

} // namespace

doctor_row examine_disassembler(const std::string& program) {
  const auto found = !program.empty();
  return {"disassembler", found ? state::ok : state::weaker,
          found ? program : "no nvdisasm: nobody says what the machine code of candidates is made of",
          found ? "" : "install the toolkit's cuda-nvdisasm; the Python package triton carries one too"};
}

doctor_row examine_ncu(const std::string& ncu, const std::string& forbidden) {
  if (ncu.empty())
    return {
        "Nsight Compute", state::weaker,
        "no ncu in PATH nor in /usr/local/cuda/bin: nobody says what warps wait for, and kevolve profile skips gpu.ncu",
        "install the toolkit's nsight-compute, or name its ncu in KEVOLVE_NCU"};
  if (!forbidden.empty())
    return {"Nsight Compute", state::weaker, ncu + ", but " + forbidden + ": kevolve profile skips gpu.ncu",
            counters_remedy};
  return {"Nsight Compute", state::ok, ncu, ""};
}

std::string missing_in(const std::vector<doctor_row>& rows) {
  std::string out;
  for (const auto& row : rows)
    if (row.state == state::missing)
      out += (out.empty() ? "" : "; ") + row.item + ": " + row.detail + " (" + row.remedy + ")";
  return out;
}

std::vector<doctor_row> examine_machine(const cuda_examination& subject, candidate_compiler by) {
  std::vector<doctor_row> rows;
  examine_devices(*subject.gpus, rows);
  rows.push_back(by == candidate_compiler::nvcc ? examine_nvcc(*subject.tools) : examine_triton(*subject.python));
  examine_python(*subject.python, rows);
  return rows;
}

std::vector<doctor_row> examine_cuda(const cuda_examination& subject, candidate_compiler by) {
  auto rows = examine_machine(subject, by);
  const auto cupti = find_cupti();
  rows.push_back({"CUPTI", cupti ? state::ok : state::weaker, cupti ? *cupti : cupti.error().detail,
                  cupti ? "" : "install the toolkit's CUPTI (cuda-cupti), or name libcupti.so in KEVOLVE_CUPTI"});
  rows.push_back(examine_ncu(find_ncu(), counters_forbidden()));
  const auto sanitizer = find_sanitizer(subject.tools->root);
  rows.push_back(
      {"compute-sanitizer", sanitizer.empty() ? state::weaker : state::ok,
       sanitizer.empty() ? "none: a result on a GPU says that it is unsanitised" : sanitizer,
       sanitizer.empty() ? "install the toolkit's cuda-sanitizer, or name it in KEVOLVE_COMPUTE_SANITIZER" : ""});
  rows.push_back(examine_disassembler(find_disassembler(subject.tools->root, subject.python->triton_path)));
  for (const auto* program :
       {"kevolve-compile-server-cuda", "kevolve-runner-cuda", "kevolve-cuda-facts", "kevolve-zygote"}) {
    const auto path = subject.bin_dir + "/" + program;
    const auto there = ::access(path.c_str(), X_OK) == 0;
    rows.push_back({program, there ? state::ok : state::missing, there ? path : path + " is not there",
                    there ? "" : "build all targets: cmake --build --preset release"});
  }
  return rows;
}

} // namespace kevolve::cuda
