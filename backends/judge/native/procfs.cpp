#include "backends/judge/native/procfs.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace kevolve {

using std::chrono::nanoseconds;

int status_number(const std::string& process, std::string_view key) {
  std::ifstream in{"/proc/" + process + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.rfind(key, 0) == 0)
      return std::atoi(line.c_str() + key.size());
  return -1;
}

nanoseconds processor_time(pid_t pid) {
  clockid_t clock = 0;
  timespec t = {};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
    return nanoseconds{0};
  return std::chrono::seconds{t.tv_sec} + nanoseconds{t.tv_nsec};
}

std::map<std::string, nanoseconds> waits_of(pid_t pid) {
  std::map<std::string, nanoseconds> out;
  std::error_code ec;
  for (const auto& thread : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/task", ec}) {
    std::ifstream in{thread.path() / "schedstat"};
    int64_t ran = 0;
    int64_t waited = 0; // for a processor
    if (in >> ran >> waited)
      out[thread.path().filename()] = nanoseconds{waited};
  }
  return out;
}

nanoseconds longest_wait(pid_t pid, const std::map<std::string, nanoseconds>& before) {
  nanoseconds longest{0};
  for (const auto& [thread, waited] : waits_of(pid)) {
    const auto earlier = before.find(thread);
    longest = std::max(longest, earlier == before.end() ? waited : waited - earlier->second);
  }
  return longest;
}

// The process chooses its name, which may hold anything, line ends too; what follows the last ')' is the kernel's.
char state_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : '?';
}

} // namespace kevolve
