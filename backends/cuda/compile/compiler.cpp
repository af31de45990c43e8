#include "backends/cuda/compile/compiler.hpp"

#include "backends/cpu/compile_server/diagnosis.hpp"
#include "backends/cuda/cubin.hpp"
#include "backends/cuda/package.hpp"
#include "runtime/base/ids.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

struct menu_entry {
  const char* name;
  const char* summary;
  bool baseline;
  std::vector<std::string> words;
};

const std::vector<menu_entry>& menu() {
  static const std::vector<menu_entry> entries{
      {"O3", "as nvcc optimises by default", true, {}},
      {"fast-math", "flush denormals, approximate division, square root and functions", false, {"--use_fast_math"}},
      {"no-fma", "multiplications and additions keep their own rounding", false, {"--fmad=false"}},
      {"few-registers", "at most 64 registers a thread, for occupancy", false, {"--maxrregcount=64"}},
  };
  return entries;
}

// A folder's parent's parent, through links and the wrapper scripts that some installations put in PATH.
std::string root_of(const std::string& nvcc) {
  std::error_code ec;
  const auto real = fs::canonical(nvcc, ec);
  return ec ? "" : real.parent_path().parent_path().string();
}

bool is_toolkit(const std::string& root) {
  return !root.empty() && fs::exists(root + "/nvvm") && fs::exists(root + "/bin/ptxas");
}

// "V13.0.88" of version.json or the header; the program itself is asked by nobody who has not locked it.
std::string version_of(const std::string& root) {
  std::ifstream header{root + "/include/cuda.h"};
  for (std::string line; std::getline(header, line);)
    if (line.starts_with("#define CUDA_VERSION ")) {
      const auto n = std::atoi(line.c_str() + 21);
      return std::to_string(n / 1000) + "." + std::to_string(n % 1000 / 10);
    }
  return "unknown";
}

} // namespace

cuda_toolchain find_cuda_toolchain() {
  std::vector<std::string> places;
  const auto* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "" : path};
  for (std::string folder; std::getline(folders, folder, ':');)
    places.push_back(folder + "/nvcc");
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{"/usr/local", ec})
    if (entry.path().filename().string().starts_with("cuda-"))
      places.push_back(entry.path().string() + "/bin/nvcc");
  for (const auto& nvcc : places)
    if (const auto root = root_of(nvcc); is_toolkit(root))
      return {root + "/bin/nvcc", root, version_of(root)};
  return {};
}

std::vector<flag_set> cuda_flag_menu() {
  std::vector<flag_set> out;
  for (const auto& e : menu())
    out.push_back({e.name, e.summary, e.baseline});
  return out;
}

result<cuda_compiler> cuda_compiler::make(const cuda_compiler_options& options) {
  auto tools = find_cuda_toolchain();
  // The compiler reads the toolkit, the system's headers and the host compiler that preprocesses. No device.
  auto tool = locked_tool::make(options, {tools.root});
  if (!tool)
    return tl::unexpected(tool.error());
  return cuda_compiler{std::move(tools), std::move(*tool), options.architecture};
}

std::string cuda_compiler::fingerprint() const {
  std::string content = tools_.version + "/" + architecture_;
  for (const auto& e : menu()) {
    content += "/" + std::string{e.name};
    for (const auto& w : e.words)
      content += " " + w;
  }
  return to_string(derive_id("cuda-toolchain", content));
}

std::vector<std::string> cuda_compiler::command(const std::string& flags) const {
  const auto number = architecture_.substr(architecture_.find('_') + 1);
  // Temporary files go where alone it may write. No line information: it would hold the name of that folder, and the
  // same source must give the same bytes.
  std::vector<std::string> out{
      "/usr/bin/env",    "TMPDIR=.",    "PATH=" + tools_.root + "/bin:/usr/bin:/bin",
      tools_.nvcc,       "-std=c++17",  "-gencode=arch=compute_" + number + ",code=sm_" + number,
      "-cubin",          "-Xptxas=-v",  "-o",
      "candidate.cubin", "candidate.cu"};
  for (const auto& e : menu())
    if (e.name == flags)
      out.insert(out.begin() + 4, e.words.begin(), e.words.end());
  return out;
}

compile_outcome cuda_compiler::run(const compile_request& request, attention& listener) {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = tool_.level();
  const auto begin = steady::now();
  const auto known = std::any_of(menu().begin(), menu().end(), [&](const auto& e) { return e.name == request.flags; });
  if (!tool_.too_weak().empty())
    out.trouble = {"sandbox_weak", tool_.too_weak(), 0};
  else if (tools_.nvcc.empty())
    out.trouble = {"toolchain_missing", "nvcc is missing: install the CUDA toolkit, or put its bin folder in PATH", 0};
  else if (!known)
    refuse(out, "there is no flag set '" + request.flags + "'\n");
  else if (request.kind != compile_kind::object)
    refuse(out, "no syntax tree of " + request.language + "\n");
  else if (request.language != "cuda")
    refuse(out, "there is no language '" + request.language + "' here; there are: cuda, and pytorch of references\n");
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else
    build(request, listener, out);
  out.log = clean_log(out.log, {tool_.work().path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

void cuda_compiler::build(const compile_request& request, attention& listener, compile_outcome& out) {
  auto parts = split_candidate(request.source);
  if (!parts)
    return refuse(out, parts.error().detail + "\n");
  if (!tool_.run(command(request.flags), "candidate.cu", parts->source, request, listener, out))
    return;
  auto cubin = tool_.work().read("candidate.cubin", most_artifact);
  if (!cubin) {
    out.trouble = fault_from(cubin.error());
    return;
  }
  const auto facts = read_cubin(*cubin);
  if (!facts)
    return refuse(out, facts.error().detail + "\n" + out.log);
  if (auto why = refuse_cubin(*facts))
    return refuse(out, *why + "\n" + out.log);
  out.artifact = pack({std::move(*cubin), std::move(parts->plan)});
  out.result = verdict::pass;
}

} // namespace kevolve::cuda
