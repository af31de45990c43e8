#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace kevolve::test {

json outcome::document() const {
  auto text = out;
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  auto line = text.substr(text.rfind('\n') + 1);
  auto parsed = json::parse(line, nullptr, false);
  REQUIRE_MESSAGE(!parsed.is_discarded(), "no JSON: '" << line << "'; stderr: " << err);
  return parsed;
}

program::program(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder) {
  const auto* bin = std::getenv("KEVOLVE_BIN");
  REQUIRE_MESSAGE(bin != nullptr, "KEVOLVE_BIN names the folder of the programs");
  auto path = name.find('/') == std::string::npos ? std::string{bin} + "/" + name : name;
  std::vector<char*> argv{path.data()};
  auto words = arguments;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  int out[2];
  int err[2];
  REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(err, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  REQUIRE(::posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  ::close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
}

program::~program() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (auto fd : {out_fd_, err_fd_})
    if (fd >= 0)
      ::close(fd);
}

// Waits for output. Returns false when both pipes have ended.
bool program::read_more() {
  pollfd fds[2] = {{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}};
  if (out_fd_ < 0 && err_fd_ < 0)
    return false;
  ::poll(fds, 2, -1);
  for (auto& f : fds) {
    if (f.fd < 0 || f.revents == 0)
      continue;
    char buffer[65536];
    auto n = ::read(f.fd, buffer, sizeof buffer);
    auto& mine = f.fd == out_fd_ ? out_fd_ : err_fd_;
    if (n > 0)
      (f.fd == out_fd_ ? outcome_.out : outcome_.err).append(buffer, static_cast<size_t>(n));
    else {
      ::close(f.fd);
      mine = -1;
    }
  }
  return true;
}

bool program::wait_for(const std::string& text, int times) {
  for (size_t from = 0; times > 0;) {
    const auto found = outcome_.err.find(text, from);
    if (found != std::string::npos) {
      from = found + text.size();
      --times;
    } else if (!read_more())
      return false;
  }
  return true;
}

void program::signal(int number) const {
  ::kill(pid_, number);
}

outcome program::finish() {
  while (read_more()) {
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome_.dumped = WIFSIGNALED(status) && WCOREDUMP(status);
  outcome_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome_;
}

outcome run_kevolve(const std::vector<std::string>& arguments, const std::string& folder) {
  program p{"kevolve", arguments, folder};
  return p.finish();
}

outcome run_with_python(const std::string& python, const std::vector<std::string>& arguments) {
  ::setenv("KEVOLVE_PYTHON", python.c_str(), 1);
  auto out = run_kevolve(arguments);
  ::unsetenv("KEVOLVE_PYTHON");
  return out;
}

std::string torch_python() {
  const auto* named = std::getenv("KEVOLVE_TORCH_PYTHON");
  return named == nullptr ? "" : named;
}

temporary_folder::temporary_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-cli-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path = pattern;
}

temporary_folder::~temporary_folder() {
  std::error_code ec;
  std::filesystem::remove_all(path, ec);
}

std::string temporary_folder::write(const std::string& name, const std::string& text) const {
  std::ofstream{path + "/" + name} << text;
  return path + "/" + name;
}

std::string source_path(const std::string& relative) {
  const auto* root = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(root != nullptr, "KEVOLVE_SOURCE names the source tree");
  return std::string{root} + "/" + relative;
}

std::string read_file(const std::string& path) {
  std::ifstream in{path};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace kevolve::test
