// The instruction groups of each kernel's machine code (SASS): accesses by memory and width, tensor cores, fused
// multiply-adds, special functions, barriers, and spills to local memory. Needs no device. Counts are static.
#include "backends/framework/python.hpp"
#include "backends/nvidia/profile/device_code.hpp"
#include "backends/nvidia/profile/passes.hpp"
#include "backends/nvidia/sass.hpp"
#include "backends/nvidia/toolchain.hpp"
#include "backends/profile/tool_output.hpp"

#include <filesystem>

namespace kevolve {

namespace {

constexpr size_t most_listing = 16U << 20U;

// Returns nvdisasm of the toolkit, else that of the Python package triton.
const std::string& disassembler() {
  static const auto path = [] {
    const auto root = cuda::find_cuda_toolchain().root;
    auto found = cuda::find_disassembler(root, "");
    return found.empty() ? cuda::find_disassembler(root, cuda::find_framework_python().triton_path) : found;
  }();
  return path;
}

availability available(const pass_request&) {
  if (disassembler().empty())
    return {false, "nvdisasm is missing",
            "install the toolkit's cuda-nvdisasm; the Python package triton carries one too"};
  return {};
}

result<pass_result> run(const pass_request& q) {
  const auto code = read_device_code(q);
  if (!code)
    return tl::unexpected(code.error());
  const auto facts = kernels_of(code->facts);
  std::vector<sass_kernel> kernels;
  for (const auto& module : code->modules) {
    if (auto ok = write_pass_file(q, "module.cubin", module); !ok)
      return tl::unexpected(ok.error());
    const auto folder = std::filesystem::path{disassembler()}.parent_path().string();
    const auto listing = tool_output(q, {disassembler(), "-c", "-ndf", "module.cubin"}, {folder});
    if (!listing)
      return tl::unexpected(listing.error());
    for (auto& k : read_sass(std::string_view{*listing}.substr(0, most_listing))) {
      if (const auto f = facts.find(k.name); f != facts.end()) {
        k.registers = f->second.registers;
        k.static_shared = f->second.static_shared;
      }
      kernels.push_back(std::move(k));
    }
  }
  pass_result out;
  if (kernels.empty())
    out.skipped = "the disassembler lists no kernel";
  else
    out.made[artefact_kind::assembly] = sass_groups_json(kernels);
  return out;
}

} // namespace

profile_pass gpu_code_pass() {
  profile_pass p;
  p.name = "gpu.code";
  p.summary = "instruction groups of the machine code, by disassembly";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::object};
  p.makes = {artefact_kind::assembly};
  p.use = pass_use::compiler; // it runs a tool
  p.available = available;
  p.estimate_s = [](const pass_request&) { return 0.5; };
  p.run = run;
  return p;
}

} // namespace kevolve
