#include "backends/cuda/compile/compiler.hpp"

#include "backends/cpu/compile_server/diagnosis.hpp"
#include "backends/cuda/cubin.hpp"
#include "backends/cuda/package.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/ids.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

constexpr size_t most_source = 4U << 20U;
constexpr size_t most_artifact = 64U << 20U;

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

// What the compiler reads: the toolkit, the system's headers and the host compiler that preprocesses. No device.
std::vector<std::string> readable(const cuda_toolchain& tools) {
  return {tools.root, "/usr/include", "/usr/lib", "/usr/lib64",       "/usr/libexec", "/usr/bin",
          "/lib",     "/lib64",       "/bin",     "/etc/ld.so.cache", "/dev/null"};
}

void refuse(compile_outcome& out, std::string why) {
  out.result = verdict::compile_error;
  out.log = std::move(why);
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
  // A locked command uses descriptor 3 for itself. Whoever has no channel there must not get the sandbox's own.
  if (::fcntl(helper_socket_fd, F_GETFD) < 0) {
    const auto held = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (held != helper_socket_fd) {
      ::dup3(held, helper_socket_fd, O_CLOEXEC);
      ::close(held);
    }
  }
  auto work = workspace::make(options.scratch);
  if (!work)
    return tl::unexpected(work.error());
  auto tools = find_cuda_toolchain();
  sandbox_policy policy;
  policy.profile = sandbox_profile::compiler;
  policy.readable = readable(tools);
  policy.writable = {work->path()};
  policy.memory_bytes = options.memory_bytes;
  policy.file_size_bytes = most_artifact;
  policy.cpu_seconds = 3600;
  policy.keep_fds = {0, 1, 2, 3};
  policy.parent_pid = ::getpid();
  auto lock = sandbox::prepare(policy);
  if (!lock)
    return tl::unexpected(lock.error());
  cuda_compiler out{std::move(tools), std::move(*work), std::move(*lock), options.architecture};
  out.too_weak_ = refusal_of_level(out.lock_.level(), options.done_without);
  return out;
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
  out.sandbox_level = lock_.level();
  const auto begin = steady::now();
  const auto known = std::any_of(menu().begin(), menu().end(), [&](const auto& e) { return e.name == request.flags; });
  if (!too_weak_.empty())
    out.trouble = {"sandbox_weak", too_weak_, 0};
  else if (tools_.nvcc.empty())
    out.trouble = {"toolchain_missing", "nvcc is missing: install the CUDA toolkit, or put its bin folder in PATH", 0};
  else if (!known)
    refuse(out, "there is no flag set '" + request.flags + "'\n");
  else if (request.language != "cuda" || request.kind != compile_kind::object)
    refuse(out, "there is no language '" + request.language + "' here; there is: cuda\n");
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else
    build(request, listener, out);
  out.log = clean_log(out.log, {work_.path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

void cuda_compiler::build(const compile_request& request, attention& listener, compile_outcome& out) {
  auto parts = split_candidate(request.source);
  if (!parts)
    return refuse(out, parts.error().detail + "\n");
  auto ready = work_.empty();
  if (ready)
    ready = work_.write("candidate.cu", parts->source);
  if (!ready) {
    out.trouble = fault_from(ready.error());
    return;
  }
  const auto deadline = steady::now() + std::chrono::milliseconds{request.limit_ms};
  const auto end =
      run_locked({command(request.flags), work_.path(), "output", "diagnostics", deadline}, lock_, listener);
  const auto said =
      work_.read("output", most_log, true).value_or("") + work_.read("diagnostics", 2 * most_log, true).value_or("");
  out.log = said;
  if (end.end != step_end::exited || end.value != 0) {
    auto diagnosis = diagnose(end, said);
    if (diagnosis.result != verdict::none && work_.full())
      diagnosis = {verdict::none, {"no_space", work_.path() + " is full", 0}, ""};
    out.result = diagnosis.result;
    out.trouble = diagnosis.trouble;
    if (!diagnosis.log.empty())
      out.log = diagnosis.log + "\n" + said;
    return;
  }
  auto cubin = work_.read("candidate.cubin", most_artifact);
  if (!cubin) {
    out.trouble = fault_from(cubin.error());
    return;
  }
  const auto facts = read_cubin(*cubin);
  if (!facts)
    return refuse(out, facts.error().detail + "\n" + said);
  if (auto why = refuse_cubin(*facts))
    return refuse(out, *why + "\n" + said);
  out.artifact = pack({std::move(*cubin), std::move(parts->plan)});
  out.result = verdict::pass;
}

} // namespace kevolve::cuda
