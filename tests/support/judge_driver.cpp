#include "tests/support/judge_driver.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/helper_process.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace kevolve {

namespace {

using std::chrono::seconds;

std::string from_environment(const char* name) {
  const auto* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run through ctest");
  return value;
}

int run(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const auto& a : argv)
    words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawnp(&pid, words[0], nullptr, nullptr, words.data(), environ) != 0)
    return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string temporary_folder() {
  const auto* base = std::getenv("TMPDIR");
  std::string path = std::string{base != nullptr ? base : "/tmp"} + "/kevolve-judge-XXXXXX";
  REQUIRE(mkdtemp(path.data()) != nullptr);
  return path;
}

} // namespace

judge_driver::judge_driver(const std::vector<std::string>& arguments, const std::function<void()>& before) {
  const auto program = from_environment("KEVOLVE_BIN") + "/kevolve-judge";
  std::array<int, 2> pair{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(pair[1], helper_socket_fd);
    if (pair[1] == helper_socket_fd)
      fcntl(helper_socket_fd, F_SETFD, 0);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const auto& a : arguments)
      argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    if (before)
      before();
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(pair[1]);
  channel_ = channel{pair[0]};
  auto f = channel_.receive(seconds{10});
  REQUIRE_MESSAGE(f.has_value(), "the judge does not start: " << program);
  REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::hello);
  hello_ = decode<helper_hello>(f->payload).value();
}

judge_driver::~judge_driver() {
  channel_.close();
  int status = 0;
  // The process ends when its socket closes.
  waitpid(pid_, &status, 0);
}

void judge_driver::send(const judge_request& request) {
  REQUIRE(channel_.send_message(frame_kind::judge_request, request).has_value());
}

judge_outcome judge_driver::await() {
  for (;;) {
    auto f = channel_.receive(seconds{120});
    REQUIRE(f.has_value());
    if (static_cast<frame_kind>(f->kind) == frame_kind::progress) {
      ++progress_;
      continue;
    }
    if (static_cast<frame_kind>(f->kind) == frame_kind::device_sample)
      continue; // on machines with such sensors
    REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::judge_outcome);
    return decode<judge_outcome>(f->payload).value();
  }
}

judge_outcome judge_driver::ask(const judge_request& request) {
  judge_outcome out;
  for (int attempt = 0; attempt < 20; ++attempt) {
    send(request);
    out = await();
    CHECK(out.job == request.job);
    if (out.trouble.detail.find("did not get the processor") == std::string::npos)
      break;
  }
  return out;
}

std::string compile_c(const std::string& source, const std::vector<std::string>& flags) {
  const auto folder = temporary_folder();
  const auto input = folder + "/k.c";
  const auto output = folder + "/k.so";
  std::ofstream{input} << source;
  std::vector<std::string> argv{"cc", "-shared", "-fPIC", "-o", output, input};
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.emplace_back("-lm");
  const auto rc = run(argv);
  REQUIRE_MESSAGE(rc == 0, "the compiler refuses the fixture");
  auto out = read_file(output);
  std::filesystem::remove_all(folder);
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  REQUIRE_MESSAGE(in.good(), path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string fixture(const std::string& name) {
  return from_environment("KEVOLVE_SOURCE") + "/tests/cpu_judge/fixtures/" + name;
}

} // namespace kevolve
