#include "tools/kevolve/client/own_compile_server.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace kevolve {

namespace {

constexpr auto start_limit = std::chrono::seconds{60}; // the first start makes the precompiled headers

} // namespace

own_compile_server::~own_compile_server() {
  link_.close();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

result<void> own_compile_server::start(const helper_command& how) {
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  auto words = how.argv;
  std::vector<std::string> settings;
  for (const auto& [name, value] : how.environment)
    settings.push_back(name + "=" + value);
  auto pointers = [](std::vector<std::string>& from) {
    std::vector<char*> out;
    for (auto& x : from)
      out.push_back(x.data());
    out.push_back(nullptr);
    return out;
  };
  auto argv = pointers(words);
  auto environment = pointers(settings);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair->second.fd(), 3); // where a helper has its socket
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  auto failed = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    if (failed == ENOENT)
      return fail(errc::not_found,
                  words[0] + " is not there: build all of kevolve (cmake --preset release && cmake --build build)");
    return tl::unexpected(from_errno(failed, words[0]));
  }
  link_ = std::move(pair->first);
  return {};
}

result<compile_outcome> own_compile_server::compile(const compile_request& q) {
  if (auto sent = link_.send_message(frame_kind::compile_request, q); !sent)
    return tl::unexpected(sent.error());
  for (;;) {
    auto got = link_.receive(start_limit + std::chrono::milliseconds{q.limit_ms});
    if (!got)
      return tl::unexpected(got.error());
    if (got->kind == static_cast<uint8_t>(frame_kind::compile_outcome))
      return decode<compile_outcome>(got->payload);
  }
}

} // namespace kevolve
