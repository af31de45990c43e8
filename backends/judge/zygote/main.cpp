// kevolve-zygote and kevolve-sanitised-replay: clone one sandboxed process per candidate, as a child of the judge that
// started them. They read launch requests from descriptor 3 and never run candidate code themselves.
#include "backends/judge/zygote/candidate.hpp"
#include "backends/judge/zygote/candidate_host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace kevolve {

namespace {

// Above every descriptor that a child uses.
constexpr int control_fd = 64;

struct locks_by_threads {
  std::optional<candidate_sandbox> single;
  std::optional<candidate_sandbox> threaded;
  std::string level;
};

result<candidate_sandbox> prepare_locks(bool allow_threads, int judge, bool judge_outside) {
  sandbox_policy policy;
  policy.allow_threads = allow_threads;
  policy.keep_fds = {0, 1, 2, child_object_fd};
  policy.command_fd = child_command_fd;
  policy.parent_pid = judge;
  policy.parent_outside = judge_outside;
  policy.profile = sandbox_profile::loading;
  auto loading = sandbox::prepare(policy);
  if (!loading)
    return tl::unexpected<failure>(loading.error());
  policy.profile = candidate_host::running_profile;
  auto running = sandbox::prepare(policy);
  if (!running)
    return tl::unexpected<failure>(running.error());
  return candidate_sandbox{*loading, *running};
}

// Loads and initialises the OpenMP run times for candidates that use them, since both read files at first use. Local
// scope keeps LLVM's and GNU's symbols apart.
void load_thread_runtimes() {
  for (const auto* name : {"libomp.so.5", "/usr/lib/llvm-19/lib/libomp.so.5", "libgomp.so.1"})
    if (auto* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      if (auto* symbol = dlsym(handle, "omp_get_max_threads"))
        reinterpret_cast<int (*)()>(symbol)();
  // LLVM's run time registers itself in a file that only an orderly exit would remove.
  shm_unlink(("/__KMP_REGISTERED_LIB_" + std::to_string(getpid()) + "_" + std::to_string(getuid())).c_str());
}

// Loads the libraries that the task allows, so that candidates need not open files for them. Returns an error text;
// empty on success.
std::string load_libraries(char** names) {
  // A thread started by a library here would not exist in the clones, which would wait for it.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  for (; *names != nullptr; ++names) {
    const std::string name = *names;
    const auto file = name.find(".so") == std::string::npos ? "lib" + name + ".so" : name;
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      return "permissions.libraries: '" + name + "': " + dlerror();
  }
  return {};
}

// Receives a request and its three descriptors. Returns false at the end of the stream.
bool receive(wire::launch_request& request, launch_fds& fds) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  iovec body{&request, sizeof(request)};
  msghdr message = {};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do
    got = recvmsg(control_fd, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  auto* header = CMSG_FIRSTHDR(&message);
  if (got != static_cast<ssize_t>(sizeof(request)) || header == nullptr
      || header->cmsg_len != CMSG_LEN(3 * sizeof(int)))
    return false;
  std::array<int, 3> numbers{};
  std::memcpy(numbers.data(), CMSG_DATA(header), sizeof(numbers));
  fds = {numbers[0], numbers[1], numbers[2]};
  return true;
}

// Preparing the locks leaves a fragmented heap. Every child would consolidate it anew and so copy each page with a free
// fragment. Allocating a block larger than all fragments consolidates it here.
void settle_heap() {
  malloc_trim(0);
  constexpr size_t larger_than_any = size_t{64} << 10U;
  void* volatile block = std::malloc(larger_than_any);
  std::free(block);
}

void serve(const locks_by_threads& locks, library_copies& libraries) {
  settle_heap();
  bool runtimes = false;
  for (;;) {
    wire::launch_request request = {};
    launch_fds fds;
    if (!receive(request, fds))
      return;
    if (request.allow_threads != 0 && !runtimes) {
      load_thread_runtimes();
      runtimes = true;
      if (candidate_host::copies_libraries && !libraries.make())
        return;
    }
    // CLONE_PARENT makes the child the judge's own, since only a parent may wait for a stop. The exit signal is the
    // zygote's own, SIGCHLD.
    const auto pid = syscall(SYS_clone, CLONE_PARENT, nullptr, nullptr, nullptr, nullptr);
    const auto error = errno;
    if (pid == 0)
      live_as_candidate(request, fds, request.allow_threads != 0 ? *locks.threaded : *locks.single, libraries);
    for (auto fd : {fds.object, fds.arena, fds.command})
      close(fd);
    const wire::launch_reply reply{static_cast<int32_t>(pid), pid < 0 ? error : 0};
    if (send(control_fd, &reply, sizeof(reply), MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof(reply)))
      return;
  }
}

// If memory runs out, the kernel must end a candidate and not the judge.
void go_first_when_memory_is_short() {
  const auto score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0)
    return;
  [[maybe_unused]] const auto written = write(score, "1000", 4);
  close(score);
}

int run(char** names) {
  const auto judge = getppid();
  if (fcntl(3, F_DUPFD_CLOEXEC, control_fd) != control_fd)
    return 2;
  // Descriptors 3 and 4 belong to the children and must not be taken here.
  const auto null = open("/dev/null", O_RDWR);
  if (null < 0)
    return 2;
  for (int fd = 0; fd <= child_object_fd; ++fd)
    if (fd != null)
      dup2(null, fd);
  if (null > child_object_fd)
    close(null);

  go_first_when_memory_is_short();
  wire::zygote_hello hello = {};
  locks_by_threads locks;
  const auto around = confine(candidate_confinement);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user or of user namespace clears this setting
  const auto unloaded = load_libraries(names);
  library_copies libraries;
  const auto copied = !candidate_host::copies_libraries || libraries.make()
                          ? std::string{}
                          : std::string{"copying the libraries: "} + std::strerror(errno);
  auto single = prepare_locks(false, judge, around.own_processes);
  auto threaded = prepare_locks(true, judge, around.own_processes);
  if (!unloaded.empty()) {
    locks.level = unloaded;
    hello.state = wire::zygote_state::no_library;
  } else if (!copied.empty()) {
    locks.level = copied;
  } else if (single && threaded) {
    locks.single = *single;
    locks.threaded = *threaded;
    locks.level = single->loading.level() + (around.level.empty() ? "" : "+" + around.level);
    hello.state = wire::zygote_state::ready;
  } else
    locks.level = to_string(single ? threaded.error() : single.error());
  std::strncpy(hello.text, locks.level.c_str(), sizeof(hello.text) - 1);
  if (send(control_fd, &hello, sizeof(hello), MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof(hello))
      || hello.state != wire::zygote_state::ready)
    return 1;
  serve(locks, libraries);
  return 0;
}

} // namespace

} // namespace kevolve

// The arguments are the libraries that a task allows.
int main(int, char** argv) {
  return kevolve::run(argv + 1);
}
