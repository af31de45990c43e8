#include "tests/admin/daemon/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

extern char** environ;

namespace kevolve::test {

namespace {

std::string program(const std::string& name) {
  const auto* bin = std::getenv("KEVOLVE_BIN");
  REQUIRE_MESSAGE(bin != nullptr, "KEVOLVE_BIN names the folder of the programs");
  return std::string{bin} + "/" + name;
}

pid_t start(std::vector<std::string> words, const std::vector<std::string>& more_environment, const std::string& out,
            const std::string& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  auto copies = more_environment;
  std::vector<char*> environment;
  for (auto& e : copies)
    environment.push_back(e.data());
  for (auto** e = environ; *e != nullptr; ++e)
    environment.push_back(*e);
  environment.push_back(nullptr);
  pid_t pid = -1;
  auto failed = ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE_MESSAGE(failed == 0, words[0] << ": " << std::strerror(failed));
  return pid;
}

int end_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string content(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

finished run_program(const std::string& name, const std::vector<std::string>& words) {
  temporary_folder folder;
  std::vector<std::string> all{program(name)};
  all.insert(all.end(), words.begin(), words.end());
  auto out = folder.path() + "/out";
  auto err = folder.path() + "/err";
  finished f;
  f.code = end_of(start(all, {}, out, err));
  f.out = content(out);
  f.err = content(err);
  return f;
}

daemon_process::daemon_process(const std::string& settings) {
  write_settings(settings);
  auto path = folder.path() + "/notify";
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  timeval limit{60, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  begin();
}

void daemon_process::begin() {
  pid_ = start({program("kevolved"), settings_file()},
               {"NOTIFY_SOCKET=" + folder.path() + "/notify", "WATCHDOG_USEC=1500000"}, folder.path() + "/out",
               folder.path() + "/err");
}

void daemon_process::kill_and_restart() {
  signal(SIGKILL);
  wait();
  timeval at_once{0, 1};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &at_once, sizeof at_once);
  for (char said[4096]; ::recv(socket_, said, sizeof said, 0) > 0;) {
  }
  timeval limit{60, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  begin();
}

daemon_process::~daemon_process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(socket_);
}

void daemon_process::write_settings(const std::string& settings) const {
  std::ofstream{settings_file()} << "data_dir = \"data\"\nlisten = \"127.0.0.1:0\"\n" << settings;
}

std::string daemon_process::next() {
  char buffer[4096];
  auto n = ::recv(socket_, buffer, sizeof buffer, 0);
  REQUIRE_MESSAGE(n > 0, "kevolved said nothing; its stderr: " << content(folder.path() + "/err"));
  return {buffer, static_cast<size_t>(n)};
}

std::string daemon_process::until(const std::string& text) {
  for (;;)
    if (auto said = next(); said.find(text) != std::string::npos)
      return said;
}

void daemon_process::signal(int number) const {
  REQUIRE(::kill(pid_, number) == 0);
}

int daemon_process::wait() {
  auto code = end_of(pid_);
  pid_ = -1;
  return code;
}

} // namespace kevolve::test
