#include "backends/nvidia/runner/locked_jit.hpp"

#include "backends/compile/locked_command.hpp"
#include "backends/framework/framework_policy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kevolve::cuda {

namespace {

constexpr std::chrono::minutes limit{10}; // whoever started this program ends it earlier
constexpr uint32_t processor_seconds = 600;

class nobody final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

std::vector<std::string> command_line(const std::string& python, const std::string& folder) {
  std::vector<std::string> out{"/usr/bin/env", "-i", "LC_ALL=C.UTF-8",
                               "PATH=" + std::filesystem::path{python}.parent_path().string() + ":/usr/bin:/bin"};
  for (const auto* variable : {"HOME", "TMPDIR", "XDG_CACHE_HOME"})
    out.push_back(std::string{variable} + "=" + folder);
  out.push_back("TRITON_CACHE_DIR=" + folder + "/cache");
  for (const auto* name : {"LD_LIBRARY_PATH", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    if (const auto* text = std::getenv(name); text != nullptr)
      out.push_back(std::string{name} + "=" + text);
  for (const auto* word : {python.c_str(), "-I", "-B", "scopes.py"})
    out.emplace_back(word);
  return out;
}

int give_up(const std::string& why) {
  std::fprintf(stderr, "kevolve-runner-cuda --instrument: %s\n", why.c_str());
  return 2;
}

} // namespace

int run_locked_jit(const std::string& folder) {
  std::string python;
  if (!std::getline(std::ifstream{folder + "/python"}, python) || !python.starts_with('/'))
    return give_up("'" + folder + "/python' names no interpreter by its whole path");
  // run_locked() puts a descriptor of its own in place of 3, which must not be one of the sandbox's.
  const auto place = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  auto policy = framework_policy(python, folder);
  policy.parent_pid = ::getpid();
  policy.cpu_seconds = processor_seconds;
  const auto lock = sandbox::prepare(policy);
  if (!lock)
    return give_up(lock.error().detail);
  if (const auto weak = refusal_of_level(lock->level(), {}); !weak.empty())
    return give_up(weak);
  nobody none;
  const auto end = run_locked(
      {command_line(python, folder), folder, "jit.output", "jit.errors", std::chrono::steady_clock::now() + limit},
      *lock, none);
  if (place >= 0)
    ::close(place);
  if (end.end == step_end::not_started)
    return give_up(end.trouble.detail);
  return end.end == step_end::exited ? end.value : 128 + end.value;
}

} // namespace kevolve::cuda
