#include "backends/judge/native/zygote_client.hpp"

#include "runtime/base/control_group.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kevolve {

namespace {

constexpr int answer_limit_ms = 5000;

// Only async-signal-safe calls: the judge may have been forked with anything held.
[[noreturn]] void become_zygote(char* const* argv, int control, const cpu_set_t& cores) {
  sched_setaffinity(0, sizeof(cores), &cores);
  for (auto number : {SIGPIPE, SIGXFSZ}) // a candidate meets the usual ones
    ::signal(number, SIG_DFL);
  const auto null = open("/dev/null", O_RDWR);
  if (null < 0)
    _exit(126);
  dup2(null, 0);
  dup2(null, 1);
  // stderr stays: it is the node's log of this helper, and children get /dev/null.
  dup2(control, 3);
  if (control == 3)
    fcntl(3, F_SETFD, 0);
  close_range(4, ~0U, 0);
  std::array<char*, 1> environment{nullptr};
  execve(argv[0], argv, environment.data());
  _exit(127);
}

bool wait_readable(int fd, int limit_ms) {
  pollfd p{fd, POLLIN, 0};
  int rc = 0;
  do
    rc = poll(&p, 1, limit_ms);
  while (rc < 0 && errno == EINTR);
  return rc > 0;
}

} // namespace

zygote_client::zygote_client(std::string path, std::vector<int> cores)
    : path_(std::move(path)), cores_(std::move(cores)) {}

zygote_client::~zygote_client() {
  stop();
}

void zygote_client::stop() {
  if (control_ >= 0)
    close(control_);
  control_ = -1;
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_ = -1;
  sweep_groups();
}

result<void> zygote_client::start() {
  stop();
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return tl::unexpected<failure>(from_errno(errno, "a socket for the zygote"));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (auto core : cores_)
    CPU_SET(static_cast<size_t>(core), &cores);
  std::vector<char*> argv{path_.data()};
  for (auto& library : libraries_)
    argv.push_back(library.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0)
    become_zygote(argv.data(), pair[1], cores);
  close(pair[1]);
  control_ = pair[0];
  if (pid_ < 0) {
    auto error = errno;
    stop();
    return tl::unexpected<failure>(from_errno(error, "forking the zygote"));
  }
  wire::zygote_hello hello = {};
  if (!wait_readable(control_, answer_limit_ms)
      || recv(control_, &hello, sizeof(hello), 0) != static_cast<ssize_t>(sizeof(hello))) {
    stop();
    return fail(errc::unavailable, "the zygote " + path_ + " does not start");
  }
  hello.text[sizeof(hello.text) - 1] = '\0';
  if (hello.state != wire::zygote_state::ready) {
    stop();
    if (hello.state == wire::zygote_state::no_library)
      return fail(errc::not_found, hello.text);
    return fail(errc::unsupported, std::string{"the sandbox cannot be set up: "} + hello.text);
  }
  level_ = hello.text;
  return {};
}

result<void> zygote_client::provide(const std::vector<std::string>& libraries) {
  if (libraries == libraries_ && pid_ > 0)
    return {};
  libraries_ = libraries;
  return start();
}

result<pid_t> zygote_client::try_launch(const wire::launch_request& request, int object_fd, int arena_fd,
                                        int command_fd) {
  const std::array<int, 3> fds{object_fd, arena_fd, command_fd};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(fds))> control{};
  iovec body{const_cast<wire::launch_request*>(&request), sizeof(request)};
  msghdr message = {};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(fds));
  std::memcpy(CMSG_DATA(header), fds.data(), sizeof(fds));
  if (sendmsg(control_, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof(request)))
    return tl::unexpected<failure>(from_errno(errno, "asking the zygote"));
  wire::launch_reply reply = {};
  if (!wait_readable(control_, answer_limit_ms)
      || recv(control_, &reply, sizeof(reply), 0) != static_cast<ssize_t>(sizeof(reply)))
    return fail(errc::unavailable, "the zygote died");
  if (reply.error != 0)
    return tl::unexpected<failure>(from_errno(reply.error, "cloning a candidate process"));
  return reply.pid;
}

result<pid_t> zygote_client::launch(const wire::launch_request& request, int object_fd, int arena_fd, int command_fd) {
  if (control_ >= 0) {
    auto pid = try_launch(request, object_fd, arena_fd, command_fd);
    if (pid)
      return pid;
  }
  ++restarts_;
  if (auto started = start(); !started)
    return tl::unexpected<failure>(started.error());
  return try_launch(request, object_fd, arena_fd, command_fd);
}

} // namespace kevolve
