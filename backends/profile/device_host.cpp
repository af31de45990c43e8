#include "backends/profile/device_host.hpp"

#include "runtime/base/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto forever = std::chrono::hours{24 * 365};
constexpr auto margin = milliseconds{10'000};

enum class word : uint8_t { run = 1, ended, not_started };

channel& the_host() {
  static channel link;
  return link;
}

std::vector<char*> pointers(std::vector<std::string>& from) {
  std::vector<char*> out;
  for (auto& x : from)
    out.push_back(x.data());
  out.push_back(nullptr);
  return out;
}

// Returns the variables by which the driver and the toolkit are found; nothing else of ours reaches the program.
std::vector<std::string> variables_of(const device_command& command) {
  std::vector<std::string> out{"LC_ALL=C",
                               "PATH=/usr/bin:/bin",
                               "HOME=" + command.directory,
                               "TMPDIR=" + command.directory,
                               "CUDA_MODULE_LOADING=EAGER",
                               "CUDA_CACHE_DISABLE=1"};
  for (const auto* name :
       {"LD_LIBRARY_PATH", "KEVOLVE_CUPTI", "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    if (const auto* text = std::getenv(name); text != nullptr)
      out.push_back(std::string{name} + "=" + text);
  for (const auto& [name, value] : command.environment)
    out.push_back(name + "=" + value);
  return out;
}

result<pid_t> start(const device_command& command) {
  if (command.argv.empty())
    return fail(errc::bad_input, "no program");
  auto words = command.argv;
  auto variables = variables_of(command);
  const auto output = command.directory + "/output";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const auto error = ::posix_spawn(&pid, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return tl::unexpected(from_errno(error, words.front() + " does not start"));
  return pid;
}

result<device_end> run_here(const device_command& command) {
  const auto pid = start(command);
  if (!pid)
    return tl::unexpected(pid.error());
  device_end out;
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
  pollfd ended{fd, POLLIN, 0};
  const auto until = steady_clock::now() + milliseconds{command.limit_ms};
  for (auto left = milliseconds{command.limit_ms}; fd >= 0;
       left = std::chrono::ceil<milliseconds>(until - steady_clock::now())) {
    if (left.count() <= 0) {
      out.timed_out = true;
      break;
    }
    if (::poll(&ended, 1, static_cast<int>(left.count())) > 0)
      break;
  }
  if (fd >= 0)
    ::close(fd);
  ::kill(-*pid, SIGKILL); // those that are left of the group, too
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

[[noreturn]] void serve(channel link) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    const auto order = link.receive(forever);
    const auto command =
        order ? decode<device_command>(order->payload) : result<device_command>{tl::unexpected(order.error())};
    if (!command)
      ::_exit(0); // the profiler has ended
    const auto ended = run_here(*command);
    const auto told = ended ? link.send_message(word::ended, *ended)
                            : link.send(static_cast<uint8_t>(word::not_started), ended.error().detail);
    if (!told)
      ::_exit(0);
  }
}

} // namespace

result<void> start_device_host() {
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  const auto pid = ::fork();
  if (pid < 0)
    return tl::unexpected(from_errno(errno, "cannot start the device's process"));
  if (pid == 0) {
    pair->first.close();
    serve(std::move(pair->second));
  }
  the_host() = std::move(pair->first);
  return {};
}

result<device_end> run_on_device(const device_command& command) {
  auto& host = the_host();
  if (host.fd() < 0)
    return run_here(command);
  if (auto ok = host.send_message(word::run, command); !ok)
    return tl::unexpected(ok.error());
  const auto answer = host.receive(milliseconds{command.limit_ms} + margin);
  if (!answer)
    return tl::unexpected(answer.error());
  if (answer->kind == static_cast<uint8_t>(word::not_started))
    return fail(errc::unavailable, answer->payload);
  return decode<device_end>(answer->payload);
}

} // namespace kevolve
