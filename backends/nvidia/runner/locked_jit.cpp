#include "backends/nvidia/runner/locked_jit.hpp"

#include "backends/framework/framework_policy.hpp"
#include "runtime/base/redirect.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace kevolve::cuda {

namespace {

constexpr uint32_t processor_seconds = 600; // whoever started this program ends it earlier

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
  auto policy = framework_policy(python, folder);
  policy.keep_fds = {0, 1, 2};
  policy.parent_pid = ::getppid();
  policy.cpu_seconds = processor_seconds;
  const auto lock = sandbox::prepare(policy);
  if (!lock)
    return give_up(lock.error().detail);
  if (const auto weak = refusal_of_level(lock->level(), {}); !weak.empty())
    return give_up(weak);
  auto words = command_line(python, folder);
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) != 0 || !redirect("/dev/null", O_RDONLY, 0)
      || !redirect("jit.output", O_WRONLY | O_CREAT | O_TRUNC, 1))
    return give_up("cannot write in '" + folder + "'");
  // This process becomes the interpreter: a driver reads its own part of /proc, which is that of the process that
  // prepared the lock.
  if (const auto locked = lock->lock(); !locked)
    return give_up(locked.error().detail);
  if (redirect("jit.errors", O_WRONLY | O_CREAT | O_TRUNC, 2))
    ::execv(argv.front(), argv.data());
  return give_up("cannot start '" + python + "'");
}

} // namespace kevolve::cuda
