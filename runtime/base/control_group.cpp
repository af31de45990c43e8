#include "runtime/base/control_group.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kevolve-";
constexpr std::string_view leaf = "kevolve-node";

std::string contents(const std::string& path) {
  std::ifstream in{path};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> out;
  std::istringstream in{std::string{text}};
  for (std::string word; std::getline(in, word, separator);)
    out.push_back(std::move(word));
  return out;
}

bool holds(const std::vector<std::string>& list, std::string_view word) {
  for (const auto& x : list)
    if (x == word)
      return true;
  return false;
}

// Returns the directory of one membership below one mount, which may show only a part of the hierarchy.
std::string below(const std::string& mount_point, const std::string& root, const std::string& path) {
  auto rest = path;
  if (root != "/")
    rest = path.rfind(root, 0) == 0 ? path.substr(root.size()) : "";
  while (!rest.empty() && rest.back() == '/')
    rest.pop_back();
  return mount_point + rest;
}

// Writes the text in one write(): a control file accepts or rejects the whole of it.
bool put(const std::string& path, const std::string& text) {
  const auto fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  const auto written = ::write(fd, text.data(), text.size());
  const auto error = errno;
  ::close(fd);
  errno = error;
  return written == static_cast<ssize_t>(text.size());
}

std::string why(const std::string& doing) {
  return doing + ": " + std::strerror(errno);
}

group_places own_places() {
  return find_groups(contents("/proc/self/cgroup"), contents("/proc/self/mountinfo"));
}

// Returns the directory in which the groups of helpers are made.
std::string home_of(const std::string& directory) {
  const fs::path path{directory};
  return path.filename() == leaf ? path.parent_path().string() : directory;
}

// A limit with the name of its file in version 1 and in version 2.
struct limit {
  std::string directory;
  const char* first;
  const char* second;
  uint64_t value;
};

} // namespace

const char* const group_remedy =
    "systemctl edit kevolved: [Service] Delegate=memory pids and ProtectControlGroups=no; by hand: systemd-run --scope "
    "-p Delegate=yes kevolve …";

group_places find_groups(std::string_view memberships, std::string_view mounts) {
  group_places out;
  for (const auto& line : words(mounts, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos)
      continue;
    const auto where = words(line.substr(0, dash), ' ');
    const auto what = words(line.substr(dash + 3), ' ');
    if (where.size() < 5 || what.size() < 3 || what[0].rfind("cgroup", 0) != 0)
      continue;
    const bool unified = what[0] == "cgroup2";
    for (const auto& member : words(memberships, '\n')) {
      const auto first = member.find(':');
      const auto second = first == std::string::npos ? first : member.find(':', first + 1);
      if (second == std::string::npos)
        continue;
      const auto controllers = words(member.substr(first + 1, second - first - 1), ',');
      const auto directory = below(where[4], where[3], member.substr(second + 1));
      const auto mounted = words(what[2], ',');
      if (unified && controllers.empty() && out.memory.empty() && out.processes.empty()) {
        out = {directory, directory, true};
        continue;
      }
      // A controller that version 1 has mounted is not available in version 2.
      const auto is = [&](const char* name) { return !unified && holds(controllers, name) && holds(mounted, name); };
      for (auto [name, place] : {std::pair{"memory", &out.memory}, std::pair{"pids", &out.processes}})
        if (is(name)) {
          if (std::exchange(out.unified, false))
            out = {};
          *place = directory;
        }
    }
  }
  return out;
}

namespace {

std::string try_to_enter(const group_places& places, const group_limits& limits) {
  if (places.memory.empty() || places.processes.empty())
    return "no control groups for memory and processes are mounted";
  const auto name = "/" + std::string{prefix} + std::to_string(::getpid());
  const std::vector<limit> wanted{
      {home_of(places.memory) + name, "memory.limit_in_bytes", "memory.max", limits.memory_bytes},
      {home_of(places.processes) + name, "pids.max", "pids.max", limits.processes}};
  std::vector<std::string> made;
  const auto undo = [&](std::string reason) {
    for (const auto& directory : made)
      ::rmdir(directory.c_str());
    return reason;
  };
  for (const auto& w : wanted) {
    if (!holds(made, w.directory)) {
      if (::mkdir(w.directory.c_str(), 0755) != 0 && errno != EEXIST)
        return undo(why("mkdir " + w.directory));
      made.push_back(w.directory);
    }
    const auto file = w.directory + "/" + (places.unified ? w.second : w.first);
    if (!put(file, std::to_string(w.value)))
      return undo(why(file));
  }
  for (const auto& directory : made)
    if (!put(directory + "/cgroup.procs", "0"))
      return undo(why(directory + "/cgroup.procs"));
  return {};
}

} // namespace

std::string enter_own_group(const group_limits& limits) {
  const auto places = own_places();
  std::string reason;
  for (int tries = 0; tries < 3; ++tries) { // a sweep may remove the group before any process is in it
    reason = try_to_enter(places, limits);
    if (reason.empty())
      break;
  }
  return reason;
}

void sweep_groups() {
  const auto places = own_places();
  for (const auto* place : {&places.memory, &places.processes}) {
    if (place->empty())
      continue;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator{home_of(*place), ec}) {
      const auto name = entry.path().filename().string();
      if (name.rfind(prefix, 0) == 0 && name != leaf)
        ::rmdir(entry.path().c_str()); // fails while a process is in it
    }
  }
}

void settle_in_leaf_group() {
  const auto places = own_places();
  if (!places.unified || home_of(places.memory) != places.memory)
    return;
  const auto& home = places.memory;
  const auto given = words(contents(home + "/cgroup.subtree_control"), ' ');
  if (!given.empty() || contents(home + "/cgroup.controllers").find("memory") == std::string::npos)
    return;
  const auto below_home = home + "/" + std::string{leaf};
  if (::mkdir(below_home.c_str(), 0755) != 0 && errno != EEXIST)
    return;
  if (put(below_home + "/cgroup.procs", "0") && put(home + "/cgroup.subtree_control", "+memory +pids"))
    return;
  put(home + "/cgroup.procs", "0");
  ::rmdir(below_home.c_str());
}

} // namespace kevolve
