#include "backends/framework/framework_policy.hpp"

#include "runtime/base/helper_process.hpp"

#include <algorithm>
#include <filesystem>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t largest_file = uint64_t{1} << 30U;

// Returns the folders from which an interpreter imports: its own, and that of the one behind a virtual environment.
std::vector<std::string> homes_of(const std::string& python) {
  std::error_code ec;
  std::vector<std::string> out{fs::path{python}.parent_path().parent_path().string()};
  if (const auto real = fs::canonical(python, ec); !ec)
    out.push_back(real.parent_path().parent_path().string());
  // Excludes top-level folders, which would expose a whole machine or home.
  std::erase_if(out, [](const auto& p) { return p.empty() || std::count(p.begin(), p.end(), '/') < 2; });
  return out;
}

} // namespace

sandbox_policy framework_policy(const std::string& python, const std::string& scratch) {
  sandbox_policy out;
  out.profile = sandbox_profile::framework;
  out.readable = {"/usr",
                  "/lib",
                  "/lib64",
                  "/bin",
                  "/sbin",
                  "/opt",
                  "/etc/ld.so.cache",
                  "/etc/ld.so.conf",
                  "/etc/ld.so.conf.d",
                  "/etc/alternatives",
                  "/etc/localtime",
                  "/etc/nsswitch.conf",
                  "/etc/passwd",
                  "/sys",
                  "/proc/self",
                  "/proc/cpuinfo",
                  "/proc/meminfo",
                  "/proc/stat",
                  "/proc/devices",
                  "/proc/modules",
                  "/proc/version",
                  "/proc/driver",
                  "/proc/sys",
                  "/proc/filesystems",
                  "/dev/urandom",
                  "/dev/random",
                  "/dev/zero"};
  for (auto& home : homes_of(python))
    out.readable.push_back(std::move(home));
  out.writable = {scratch, "/proc/self/task"}; // a driver names its threads
  out.devices = {"/dev/null"};
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{"/dev", ec})
    if (entry.path().filename().string().starts_with("nvidia"))
      out.devices.push_back(entry.path().string());
  out.file_size_bytes = largest_file;
  out.open_files = 4096;
  out.keep_fds = {0, 1, 2, helper_socket_fd};
  return out;
}

} // namespace kevolve::cuda
