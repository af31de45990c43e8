#include "tests/admin/killed_node.hpp"

#include "runtime/node/admin/token.hpp"
#include "runtime/node/node.hpp"

#include <doctest/doctest.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fcntl.h>

extern char** environ;

namespace kevolve::test {

killed_node::killed_node(const std::string& data_dir) {
  int out[2];
  REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::string self = "/proc/self/exe";
  std::string flag = "--serve";
  auto dir = data_dir;
  char* const argv[] = {self.data(), flag.data(), dir.data(), nullptr};
  REQUIRE(::posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  std::string line;
  for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';)
    line += c;
  ::close(out[0]);
  REQUIRE_FALSE(line.empty());
  port_ = static_cast<uint16_t>(std::stoul(line));
  token_ = read_token(data_dir + "/token").value();
}

void killed_node::kill() {
  if (pid_ <= 0)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

raw_answer killed_node::post(const std::string& target, const std::string& key, const std::string& body) {
  return parse_answer(send_raw(port_, "POST " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_)
                                          + "\r\nAuthorization: Bearer " + token_ + "\r\nConnection: close\r\n"
                                          + "Content-Type: application/json\r\nIdempotency-Key: " + key
                                          + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
}

raw_answer killed_node::get(const std::string& target) {
  return parse_answer(send_raw(port_, "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_)
                                          + "\r\nAuthorization: Bearer " + token_ + "\r\nConnection: close\r\n\r\n"));
}

int serve_until_killed(const std::string& data_dir) {
  node_options options;
  options.data_dir = data_dir;
  options.targets.clear();
  auto n = node::start(std::move(options));
  if (!n) {
    std::fprintf(stderr, "%s\n", to_string(n.error()).c_str());
    return 1;
  }
  auto url = (*n)->admin_url();
  std::printf("%s\n", url.substr(url.rfind(':') + 1).c_str());
  std::fflush(stdout);
  for (;;)
    ::pause();
}

} // namespace kevolve::test
