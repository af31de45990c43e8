#include "backends/nvidia/runner/worker_client.hpp"

#include "runtime/base/helper_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kevolve::cuda_wire {

namespace {

constexpr int many_cores = 8;
constexpr std::chrono::microseconds long_enough{2'000}; // what a call's other parts take

} // namespace

std::chrono::microseconds time_awake() {
  cpu_set_t own;
  CPU_ZERO(&own);
  const bool many = sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) >= many_cores;
  return many ? long_enough : std::chrono::microseconds{0};
}

} // namespace kevolve::cuda_wire

namespace kevolve::cuda {

namespace {

// For another program that is to start it: to that, /proc/self/exe is something else.
std::string own_path() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

} // namespace

worker_client& worker_client::operator=(worker_client&& other) noexcept {
  end();
  pid_ = std::exchange(other.pid_, -1);
  link_ = std::move(other.link_);
  opened_ = std::exchange(other.opened_, false);
  hello_ = std::exchange(other.hello_, std::nullopt);
  return *this;
}

result<worker_client> worker_client::start(const worker_options& options, const char* mode) {
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  const auto device = std::to_string(options.device);
  auto words = options.under;
  words.insert(words.end(), {options.under.empty() ? "/proc/self/exe" : own_path(), mode, device});
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> environment = options.environment;
  std::vector<char*> variables;
  for (auto& v : environment)
    variables.push_back(v.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  // A kernel's printed output is discarded.
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pair->second.fd(), helper_socket_fd);
  worker_client out;
  const auto error = posix_spawn(&out.pid_, words.front().c_str(), &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    out.pid_ = -1;
    return tl::unexpected(from_errno(error, "a worker does not start"));
  }
  out.link_ = std::move(pair->first);
  out.link_.stay_awake(cuda_wire::time_awake());
  return out;
}

void worker_client::open() {
  // One that cannot be told is found out by whoever waits for its answer.
  if (!std::exchange(opened_, true))
    (void)link_.send_message(cuda_wire::word::open, cuda_wire::open{});
}

result<cuda_wire::hello> worker_client::greet(std::chrono::milliseconds limit) {
  open();
  if (hello_)
    return *hello_;
  auto said = hear(cuda_wire::word::hello, limit);
  if (!said)
    return tl::unexpected(said.error());
  auto hello = decode<cuda_wire::hello>(*said);
  if (hello)
    hello_ = *hello;
  return hello;
}

result<int> worker_client::receive_fd(std::chrono::milliseconds limit) {
  auto fds = link_.receive_fds(1, limit);
  if (!fds)
    return tl::unexpected(lost(fds.error()));
  return fds->front();
}

result<std::string> worker_client::hear(cuda_wire::word answer, std::chrono::milliseconds limit) {
  auto reply = link_.receive(limit);
  if (!reply)
    return tl::unexpected(lost(reply.error()));
  if (reply->kind != static_cast<uint8_t>(answer))
    return tl::unexpected(lost({errc::protocol, "the worker answered out of turn"}));
  return std::move(reply->payload);
}

failure worker_client::lost(failure why) {
  end();
  return why;
}

bool worker_client::runs() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = -1;
    link_.close();
  }
  return pid_ > 0;
}

void worker_client::leave(std::chrono::milliseconds limit) {
  link_.close();
  if (pid_ <= 0)
    return;
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd >= 0) {
    pollfd ended{fd, POLLIN, 0};
    poll(&ended, 1, static_cast<int>(limit.count()));
    close(fd);
  }
  end();
}

void worker_client::end() {
  link_.close();
  if (pid_ <= 0)
    return;
  // It holds nothing worth saving, and a device that hangs lets nobody end in peace.
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

pid_t worker_client::terminate() {
  link_.close();
  if (pid_ > 0)
    ::kill(pid_, SIGKILL);
  return std::exchange(pid_, -1);
}

} // namespace kevolve::cuda
