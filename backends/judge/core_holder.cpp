// Finds the process that holds a core. The kernel's list of locks names the owners; the lock's position contains the
// time at which the turn began (core_turn.cpp).
#include "backends/judge/core_turn.hpp"
#include "runtime/base/printable.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kevolve {

namespace {

constexpr size_t command_shown = 80;

std::string file_of(int pid, const char* name) {
  std::ifstream in{fmt::format("/proc/{}/{}", pid, name)};
  return {std::istreambuf_iterator<char>{in}, {}};
}

int parent_of(int pid) {
  std::istringstream in{file_of(pid, "status")};
  for (std::string line; std::getline(in, line);)
    if (line.rfind("PPid:", 0) == 0)
      return std::atoi(line.c_str() + 5);
  return 0;
}

// Returns the command line without the program's folder.
std::string command_of(int pid) {
  auto words = file_of(pid, "cmdline");
  if (words.empty())
    return {};
  words.pop_back();
  words.erase(0, words.substr(0, words.find('\0')).rfind('/') + 1);
  std::replace(words.begin(), words.end(), '\0', ' ');
  if (words.size() > command_shown)
    words = words.substr(0, command_shown) + "...";
  return printable(words);
}

} // namespace

std::optional<core_holder> holder_of(int core) {
  struct stat place{};
  if (::stat(("/sys/devices/system/cpu/cpu" + std::to_string(core)).c_str(), &place) != 0)
    return std::nullopt;
  const auto file = fmt::format("{:02x}:{:02x}:{}", major(place.st_dev), minor(place.st_dev), place.st_ino);
  core_holder out;
  std::ifstream locks{"/proc/locks"};
  for (std::string line; std::getline(locks, line);) {
    // Format: "3: FLOCK ADVISORY WRITE 4711 00:16:3591 0 EOF". A waiting process has "->" before the kind.
    std::istringstream in{line};
    std::string number, kind, advisory, how, where;
    int pid = 0;
    int64_t from = 0;
    if (!(in >> number >> kind >> advisory >> how >> pid >> where >> from) || where != file)
      continue;
    if (kind == "FLOCK")
      out.pid = pid;
    else if (kind == "POSIX")
      out.since_ms = from;
  }
  if (out.pid <= 0)
    return std::nullopt;
  if (file_of(out.pid, "comm").rfind("kevolve-judge", 0) == 0)
    if (auto node = parent_of(out.pid); node > 1)
      out.pid = node;
  out.command = command_of(out.pid);
  return out;
}

std::string describe(const std::optional<core_holder>& holder) {
  if (!holder)
    return "held by a process that cannot be seen from here";
  auto out = fmt::format("held by {}", holder->pid);
  if (!holder->command.empty())
    out += " (" + holder->command + ")";
  if (holder->since_ms >= 0) {
    using namespace std::chrono;
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    out += fmt::format(" for {} s", std::max<int64_t>(0, now - holder->since_ms) / 1000);
  }
  return out;
}

} // namespace kevolve
