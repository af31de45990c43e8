#include "backends/capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace kevolve {

namespace {

constexpr size_t most_output = 1U << 20U;

std::string search_path() {
  const char* path = std::getenv("PATH");
  return std::string{path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path};
}

// Reads to the end of the pipe. Returns false if the deadline comes first.
bool read_all(int fd, std::chrono::steady_clock::time_point deadline, std::string& out) {
  std::array<char, 16384> buffer{};
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return false;
    pollfd p{fd, POLLIN, 0};
    auto ready = ::poll(&p, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR)
      return false;
    if (ready <= 0)
      continue;
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0)
      return true;
    if (n > 0 && out.size() < most_output)
      out.append(buffer.data(), static_cast<size_t>(n));
  }
}

} // namespace

result<captured> capture(const std::vector<std::string>& argv, std::chrono::milliseconds limit) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return tl::unexpected(from_errno(errno, "pipe"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 2);
  std::vector<char*> words;
  for (const auto& a : argv)
    words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  auto path = "PATH=" + search_path();
  std::string locale = "LC_ALL=C";
  std::array<char*, 3> environment{path.data(), locale.data(), nullptr};
  pid_t pid = -1;
  auto rc = ::posix_spawn(&pid, argv.at(0).c_str(), &actions, nullptr, words.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (rc != 0) {
    ::close(pipe[0]);
    return tl::unexpected(from_errno(rc, "cannot start " + argv[0]));
  }
  captured out;
  auto finished = read_all(pipe[0], std::chrono::steady_clock::now() + limit, out.output);
  ::close(pipe[0]);
  if (!finished)
    ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!finished)
    return fail(errc::timed_out, argv[0] + " did not answer in " + std::to_string(limit.count()) + " ms");
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

std::string find_program(std::string_view name) {
  auto path = search_path();
  size_t begin = 0;
  while (begin <= path.size()) {
    auto end = std::min(path.find(':', begin), path.size());
    auto candidate = path.substr(begin, end - begin) + "/" + std::string{name};
    if (candidate.front() == '/' && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    begin = end + 1;
  }
  return {};
}

} // namespace kevolve
