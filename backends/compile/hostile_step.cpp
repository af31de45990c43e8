#include "backends/compile/hostile_step.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = uintmax_t{512} << 20U;
constexpr size_t most_files = 10'000;
constexpr size_t most_depth = 100;
constexpr auto patience = std::chrono::seconds{5};

// The format is "pid (name) state parent …"; the name may contain any characters.
pid_t parent_of(const fs::path& process) {
  std::ifstream in{process / "stat"};
  std::string line;
  std::getline(in, line);
  std::istringstream rest{line.substr(std::min(line.rfind(')') + 1, line.size()))};
  char state = 0;
  pid_t out = 0;
  rest >> state >> out;
  return out;
}

std::vector<pid_t> children() {
  std::vector<pid_t> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{"/proc", ec}) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size() && parent_of(entry.path()) == ::getpid())
      out.push_back(pid);
  }
  return out;
}

// Returns the descendants of this process, except those in `known`.
std::vector<pid_t> descendants(const std::vector<pid_t>& known) {
  std::multimap<pid_t, pid_t> below;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{"/proc", ec}) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size())
      below.emplace(parent_of(entry.path()), pid);
  }
  std::vector<pid_t> out{::getpid()};
  for (size_t i = 0; i < out.size(); ++i)
    for (auto [at, end] = below.equal_range(out[i]); at != end; ++at)
      if (std::find(known.begin(), known.end(), at->second) == known.end())
        out.push_back(at->second);
  out.erase(out.begin());
  return out;
}

// Deleted files occupy disk or memory as long as they are open.
uintmax_t nameless_bytes(const std::vector<pid_t>& processes) {
  std::set<std::pair<dev_t, ino_t>> seen;
  uintmax_t bytes = 0;
  for (const auto p : processes) {
    std::error_code ec;
    for (auto at = fs::directory_iterator{"/proc/" + std::to_string(p) + "/fd", ec}; at != fs::directory_iterator{};
         at.increment(ec)) {
      struct stat is{};
      if (::stat(at->path().c_str(), &is) == 0 && S_ISREG(is.st_mode) && is.st_nlink == 0
          && seen.emplace(is.st_dev, is.st_ino).second)
        bytes += static_cast<uintmax_t>(is.st_blocks) * 512;
    }
  }
  return bytes;
}

// Folders deeper than the maximum path length cannot be counted, so they count as too much.
bool holds_too_much(const std::string& folder, uintmax_t bytes) {
  size_t files = 0;
  std::error_code ec;
  for (auto at = fs::recursive_directory_iterator{folder, ec}; at != fs::recursive_directory_iterator{};
       at.increment(ec)) {
    std::error_code gone;
    const auto size = at->is_regular_file(gone) && !at->is_symlink(gone) ? at->file_size(gone) : 0;
    bytes += gone ? 0 : size;
    if (++files > most_files || bytes > most_bytes || gone == std::errc::filename_too_long)
      return true;
  }
  return bytes > most_bytes || ec == std::errc::filename_too_long;
}

void open_folders(const fs::path& folder, size_t depth) {
  std::error_code ec;
  fs::permissions(folder, fs::perms::owner_all, ec);
  for (auto at = fs::directory_iterator{folder, ec}; depth < most_depth && at != fs::directory_iterator{};
       at.increment(ec))
    if (std::error_code gone; fs::is_directory(at->symlink_status(gone)))
      open_folders(at->path(), depth + 1);
}

} // namespace

hostile_step::hostile_step(std::string folder, attention& listener)
    : folder_(std::move(folder)), listener_(listener), known_(children()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1); // processes that leave their parent and group become our children
}

bool hostile_step::attend() {
  flooded_ = flooded_ || holds_too_much(folder_, nameless_bytes(descendants(known_)));
  return !flooded_ && listener_.attend();
}

bool hostile_step::clear() const {
  const auto ended = end_processes();
  open_folders(folder_, 0);
  return ended;
}

bool hostile_step::end_processes() const {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto left = children();
    std::erase_if(left, [&](pid_t p) { return std::find(known_.begin(), known_.end(), p) != known_.end(); });
    if (left.empty())
      return true;
    if (std::chrono::steady_clock::now() > until)
      return false;
    // Stops all of them first, since the children of a killed process become ours in turn.
    for (const auto signal : {SIGSTOP, SIGKILL})
      for (const auto p : left)
        ::kill(p, signal);
    for (const auto p : left)
      ::waitpid(p, nullptr, 0);
  }
}

} // namespace kevolve::cuda
