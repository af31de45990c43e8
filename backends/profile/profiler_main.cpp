// kevolve-profiler: runs the profile passes of one job for a node or a verb, which talks to it over descriptor 3. Not
// for direct use; use `kevolve profile`.
#include "backends/compile/workspace.hpp"
#include "backends/judge/core_turn.hpp"
#include "backends/profile/device_host.hpp"
#include "backends/profile/locked_sandbox.hpp"
#include "backends/profile/run_passes.hpp"
#include "runtime/base/channel.hpp"
#include "runtime/base/confinement.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/program_directory.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kevolve {

namespace {

constexpr auto turn_limit = std::chrono::seconds{60};
constexpr auto job_limit = std::chrono::seconds{60};

// Gives a step up when the node has gone.
class node_attention : public attention {
public:
  explicit node_attention(int fd) : fd_(fd) {}
  int descriptor() const override { return fd_; }
  bool attend() override {
    char byte = 0;
    const auto got = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
  }

private:
  int fd_;
};

// Calls `run` on the core, while no other process of this machine times there.
result<void> with_core(int core, const std::function<void()>& run) {
  auto turn = core_turn::take(core, turn_limit, [] {}, [] { return false; });
  if (!turn)
    return tl::unexpected(turn.error());
  cpu_set_t before;
  CPU_ZERO(&before);
  const auto known = ::sched_getaffinity(0, sizeof before, &before) == 0;
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(static_cast<size_t>(core), &there);
  if (::sched_setaffinity(0, sizeof there, &there) != 0)
    return tl::unexpected(from_errno(errno, "cannot run on core " + std::to_string(core)));
  run();
  if (known)
    ::sched_setaffinity(0, sizeof before, &before);
  return {};
}

int serve(channel& link, const std::string& scratch, const std::vector<std::string>& done_without) {
  // Where it does not start, passes that use a device start their program from here, and are skipped if that fails.
  static_cast<void>(start_device_host());
  const auto around = confine(compiler_confinement).level;
  const auto asked = link.receive(job_limit);
  const auto job = asked && asked->kind == static_cast<uint8_t>(profile_frame::job)
                       ? decode<profile_job>(asked->payload)
                       : result<profile_job>{fail(errc::protocol, "no job arrived")};
  if (!job)
    return 1;
  node_attention listener{link.fd()};
  locked_pass_sandbox sandbox_of{&listener};
  profile_end end;
  if (const auto whole = check_passes(profile_passes()); !whole)
    end.trouble = {fault_kind::internal, whole.error().detail, 0};
  const auto level = locked_pass_sandbox::level();
  const auto work = workspace::make(scratch);
  if (end.trouble)
    ;
  else if (!level || !work)
    end.trouble = {fault_kind::sandbox, (level ? work.error() : level.error()).detail, 0};
  else {
    end.sandbox_level = *level + (around.empty() ? "" : "+" + around);
    if (auto why = refusal_of_level(end.sandbox_level, done_without); !why.empty())
      end.trouble = {fault_kind::sandbox_weak, std::move(why), 0};
  }
  if (!end.trouble)
    run_passes(
        *job, profile_passes(), {&sandbox_of, work->path(), helper_directory(), with_core},
        [&](const std::string& pass) {
          static_cast<void>(link.send(static_cast<uint8_t>(profile_frame::progress), pass));
        },
        [&](const pass_outcome& x) { static_cast<void>(link.send_message(profile_frame::outcome, x)); });
  return link.send_message(profile_frame::end, end) ? 0 : 1;
}

} // namespace

} // namespace kevolve

int main(int argc, char** argv) {
  const char* temporary = std::getenv("TMPDIR");
  std::string scratch = temporary == nullptr ? "/tmp" : temporary;
  std::vector<std::string> done_without;
  bool known = argc % 2 == 1;
  for (int i = 1; known && i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--scratch")
      scratch = argv[i + 1];
    else if (option == "--allow-weak-sandbox")
      done_without.emplace_back(argv[i + 1]);
    else
      known = false;
  }
  if (!known || ::fcntl(kevolve::helper_socket_fd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("usage: kevolve-profiler [--scratch DIR] [--allow-weak-sandbox LAYER]\nA node or a verb starts it.\n",
               stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  kevolve::channel link{kevolve::helper_socket_fd};
  return kevolve::serve(link, scratch, done_without);
}
