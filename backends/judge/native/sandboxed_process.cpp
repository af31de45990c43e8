#include "backends/judge/native/sandboxed_process.hpp"

#include "backends/judge/native/message_parser.hpp"
#include "backends/judge/native/procfs.hpp"
#include "backends/judge/random_stream.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr auto load_limit = std::chrono::seconds{5};

// Threads of one process, for each of its cores and at least: more are a burden on the machine, not on a core.
constexpr int threads_per_core = 4;
constexpr int least_thread_limit = 64;
// The interval at which they are counted while a call runs.
constexpr auto thread_watch = std::chrono::milliseconds{10};

std::string milliseconds_text(nanoseconds t) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(t).count());
}

wire::parameter parameter_of(const argument& a) {
  if (a.role == argument_role::size)
    return wire::parameter::i64;
  if (is_array(a))
    return wire::parameter::pointer;
  switch (a.type) {
    case dtype::f32:
      return wire::parameter::f32;
    case dtype::f64:
      return wire::parameter::f64;
    case dtype::i32:
      return wire::parameter::i32;
    case dtype::i8:
      return wire::parameter::i8;
    case dtype::u8:
    case dtype::boolean:
      return wire::parameter::u8;
    case dtype::f16:
    case dtype::bf16:
      return wire::parameter::u16;
    case dtype::i64:
      break;
  }
  return wire::parameter::i64;
}

int poll_readable(int fd, nanoseconds limit) {
  const auto end = steady_clock::now() + limit;
  for (;;) {
    auto left = std::max(end - steady_clock::now(), nanoseconds{0});
    timespec t{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    pollfd p{fd, POLLIN, 0};
    auto rc = ppoll(&p, 1, &t, nullptr);
    if (rc >= 0 || errno != EINTR)
      return rc;
  }
}

// Returns the number of seccomp filters that a process is under (since Linux 5.9).
int filters_of(const std::string& process) {
  return status_number(process, "Seccomp_filters:");
}

// Returns true if both profiles hold, beside what we are under ourselves. The loading one lets nothing be installed but
// the running one.
bool fully_locked(pid_t pid) {
  static const int ours = filters_of("self");
  return ours < 0 || filters_of(std::to_string(pid)) == ours + 2;
}

std::string signal_name(int signal) {
  auto* name = sigabbrev_np(signal);
  return name != nullptr ? std::string{"SIG"} + name : std::to_string(signal);
}

} // namespace

object_file::~object_file() {
  if (fd_ >= 0)
    close(fd_);
}

result<object_file> object_file::create(const std::string& bytes) {
  object_file out;
  out.fd_ = memfd_create("kevolve-object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (out.fd_ < 0)
    return tl::unexpected<failure>(from_errno(errno, "memory for an object"));
  size_t written = 0;
  while (written < bytes.size()) {
    auto rc = write(out.fd_, bytes.data() + written, bytes.size() - written);
    if (rc < 0)
      return tl::unexpected<failure>(from_errno(errno, "memory for an object"));
    written += static_cast<size_t>(rc);
  }
  if (fcntl(out.fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return tl::unexpected<failure>(from_errno(errno, "sealing an object"));
  return out;
}

sandboxed_process& sandboxed_process::operator=(sandboxed_process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(command_, other.command_);
  std::swap(arena_, other.arena_);
  std::swap(slot_, other.slot_);
  std::swap(cpu_seconds_, other.cpu_seconds_);
  std::swap(thread_limit_, other.thread_limit_);
  std::swap(resident_kib_, other.resident_kib_);
  std::swap(resident_limit_kib_, other.resident_limit_kib_);
  std::swap(cpu_used_, other.cpu_used_);
  std::swap(load_time_, other.load_time_);
  std::swap(worked_, other.worked_);
  std::swap(died_at_, other.died_at_);
  return *this;
}

void sandboxed_process::end() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  if (command_ >= 0)
    close(command_);
  command_ = -1;
}

result<sandboxed_process> sandboxed_process::launch(zygote_client& zygote, shared_arena& arena,
                                                    const object_file& object, const launch_options& options,
                                                    std::optional<rejection>& refused) {
  if (options.task->arguments.size() > wire::max_arguments || options.task->entry.size() >= wire::max_entry)
    return fail(errc::unsupported,
                "more than " + std::to_string(wire::max_arguments) + " arguments, or an entry name beyond the limit");
  wire::launch_request request = {};
  request.arena_bytes = arena.mapped_bytes();
  request.status_offset = arena.status_offset(options.slot);
  request.memory_bytes = options.memory_bytes;
  request.cpu_seconds = 600;
  request.slot = static_cast<uint8_t>(options.slot);
  request.allow_threads = options.task->threads ? 1 : 0;
  request.argument_count = static_cast<uint32_t>(options.task->arguments.size());
  for (size_t i = 0; i < options.task->arguments.size(); ++i) {
    const auto& a = options.task->arguments[i];
    if (a.role == argument_role::scalar && a.type == dtype::f16)
      return fail(errc::unsupported, "argument '" + a.name + "': f16 by value cannot be called");
    request.parameters[i] = parameter_of(a);
    request.alignments[i] = a.align;
  }
  request.report_offset = options.report_offset;
  if (options.excused.size() < sizeof(request.excused))
    std::copy(options.excused.begin(), options.excused.end(), request.excused);
  std::copy(options.task->entry.begin(), options.task->entry.end(), request.entry);
  CPU_ZERO(&request.cores);
  for (auto core : options.cores)
    CPU_SET(static_cast<size_t>(core), &request.cores);

  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return tl::unexpected<failure>(from_errno(errno, "a command socket"));
  sandboxed_process out;
  out.command_ = pair[0];
  out.arena_ = &arena;
  out.slot_ = options.slot;
  out.cpu_seconds_ = request.cpu_seconds;
  if (options.task->threads)
    out.thread_limit_ = std::max(least_thread_limit, threads_per_core * static_cast<int>(options.cores.size()));
  if (options.report_offset != 0)
    out.resident_limit_kib_ = static_cast<int>((options.memory_bytes + 4 * request.arena_bytes) >> 10U);
  auto pid = zygote.launch(request, object.fd(), arena.fd(), pair[1]);
  close(pair[1]);
  if (!pid)
    return tl::unexpected<failure>(pid.error());
  out.pid_ = *pid;
  refused = out.await_load();
  if (refused && refused->result == verdict::none)
    return fail(errc::unavailable, refused->detail);
  return out;
}

std::optional<rejection> sandboxed_process::hear_of_load(wire::load_report& report, std::chrono::nanoseconds limit) {
  std::optional<rejection> crowd;
  if (!await_word(limit, crowd))
    return crowd ? std::move(crowd)
                 : refuse(verdict::timeout, rule_name::load_limit, "loading the object took longer than 5 s",
                          {{"limit_ms", milliseconds_text(limit)}});
  const auto got = recv(command_, &report, sizeof(report), MSG_TRUNC);
  int status = 0;
  if (got <= 0) {
    const auto stopped = freeze(status);
    auto out = stopped ? refuse(verdict::cheating, rule_name::socket_closed, "the process closed the judge's socket",
                                {{"stage", "load"}})
                       : obituary(status);
    out.detail += " while the object was loaded";
    return out;
  }
  if (!accept_load_report(report, static_cast<size_t>(got)))
    return refuse(verdict::cheating, rule_name::early_report,
                  "the object spoke on the judge's socket while it was loaded", {{"bytes", std::to_string(got)}});
  return std::nullopt;
}

std::optional<rejection> sandboxed_process::await_load() {
  wire::load_report report = {};
  auto refused = hear_of_load(report, load_limit);
  // Nothing of the object has run yet: whatever went wrong is not its doing.
  if (refused)
    return rejection{verdict::none, "", "before the object was loaded, " + refused->detail, {}};
  if (report.state != wire::load_state::locked) {
    end();
    return rejection{verdict::none, "", std::string{"locking a candidate process: "} + report.text, {}};
  }
  const auto start = steady_clock::now();
  if (refused = hear_of_load(report, load_limit); refused)
    return refused;
  load_time_ = steady_clock::now() - start;
  int status = 0;
  if (!freeze(status))
    return obituary(status);
  const bool answer = report.state == wire::load_state::ready || report.state == wire::load_state::load_failed;
  if (!answer || !fully_locked(pid_))
    return refuse(verdict::cheating, rule_name::early_report,
                  "the object spoke on the judge's socket while it was loaded",
                  {{"state", std::to_string(static_cast<int>(report.state))},
                   {"system_call_filters", std::to_string(filters_of(std::to_string(pid_)))}});
  if (report.state == wire::load_state::load_failed)
    return refuse(verdict::load_error, rule_name::load, report.text, {{"loader", report.text}});
  return std::nullopt;
}

bool sandboxed_process::freeze(int& status) {
  kill(pid_, SIGSTOP);
  rusage usage = {};
  pid_t rc = 0;
  do
    rc = wait4(pid_, &status, WUNTRACED, &usage);
  while (rc < 0 && errno == EINTR);
  if (rc == pid_ && WIFSTOPPED(status))
    return true;
  // Reaped: the pid may belong to another process from now on.
  pid_ = -1;
  resident_kib_ = usage.ru_maxrss;
  cpu_used_ = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
  return false;
}

bool sandboxed_process::await_word(nanoseconds limit, std::optional<rejection>& crowd) {
  if (thread_limit_ == 0 && resident_limit_kib_ == 0)
    return poll_readable(command_, limit) > 0;
  for (const auto until = steady_clock::now() + limit; steady_clock::now() < until;) {
    const auto left = until - steady_clock::now();
    if (poll_readable(command_, std::clamp<nanoseconds>(left, nanoseconds{0}, thread_watch)) > 0)
      return true;
    if (crowd = too_many_threads(); crowd)
      return false;
    if (crowd = too_much_memory(); crowd)
      return false;
  }
  return false;
}

std::optional<rejection> sandboxed_process::too_many_threads() {
  const auto threads = thread_limit_ == 0 ? 0 : status_number(std::to_string(pid_), "Threads:");
  if (threads <= thread_limit_)
    return std::nullopt;
  return refuse(verdict::cheating, rule_name::too_many_threads,
                "the process has more than " + std::to_string(thread_limit_) + " threads",
                {{"threads", std::to_string(threads)}, {"limit", std::to_string(thread_limit_)}});
}

std::optional<rejection> sandboxed_process::too_much_memory() {
  if (resident_limit_kib_ == 0 || status_number(std::to_string(pid_), "VmRSS:") <= resident_limit_kib_)
    return std::nullopt;
  return refuse(verdict::out_of_memory, rule_name::memory_limit,
                "the process holds more than " + std::to_string(resident_limit_kib_ >> 10) + " MiB of memory",
                {{"limit_mib", std::to_string(resident_limit_kib_ >> 10)}});
}

rejection sandboxed_process::refuse(verdict v, std::string rule, std::string detail,
                                    std::map<std::string, std::string> evidence) {
  end();
  return {v, std::move(rule), std::move(detail), std::move(evidence)};
}

rejection sandboxed_process::obituary(int status) {
  const auto note = arena_->status(slot_);
  if (note.fault_in_arena != 0)
    died_at_ = note.fault_in_arena - 1;
  if (WIFEXITED(status)) {
    auto out = refuse(verdict::crashed, rule_name::exited, "the process ended itself");
    out.evidence["exit_status"] = std::to_string(WEXITSTATUS(status));
    return out;
  }
  const auto signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGSYS) {
    const auto name = note.system_call >= 0 ? system_call_name(note.system_call) : std::string{"unknown"};
    auto out =
        refuse(verdict::sandbox_violation, rule_name::system_call, "the system call '" + name + "' is not allowed");
    out.evidence["system_call"] = name;
    return out;
  }
  if (signal == SIGXCPU || (signal == SIGKILL && cpu_used_ + 1.0 >= static_cast<double>(cpu_seconds_)))
    return refuse(verdict::timeout, rule_name::cpu_limit, "the process used up its processor time",
                  {{"cpu_seconds", std::to_string(cpu_seconds_)}});
  // Its own limits tell themselves apart; what else kills, such as a host without memory, says nothing of it.
  if (signal == SIGKILL)
    return refuse(verdict::none, "",
                  "a candidate process was killed from outside, holding " + std::to_string(resident_kib_) + " KiB");
  if (note.memory_exhausted != 0) {
    auto out = refuse(verdict::out_of_memory, rule_name::memory_limit, "the address space limit was reached");
    out.evidence["signal"] = signal_name(signal);
    return out;
  }
  auto out = refuse(verdict::crashed, rule_name::signal, "ended by " + signal_name(signal));
  out.evidence["signal"] = signal_name(signal);
  if (signal == SIGSEGV || signal == SIGBUS)
    out.evidence["near_null"] = note.fault_address < 65536 ? "true" : "false";
  return out;
}

std::optional<rejection> sandboxed_process::call(const uint64_t* values, size_t count, nanoseconds limit,
                                                 nanoseconds& took) {
  wire::go message = {};
  message.go_token = secret_seed();
  message.done_token = secret_seed();
  std::copy_n(values, count, message.values);
  return exchange(&message, wire::go_header_bytes + count * sizeof(uint64_t), message.done_token, limit, took);
}

std::optional<rejection> sandboxed_process::fence(const byte_ranges& ranges, const byte_ranges& read_only,
                                                  nanoseconds limit) {
  wire::fences message = {};
  message.go_token = secret_seed();
  message.done_token = secret_seed();
  message.count = ranges.size();
  for (size_t i = 0; i < ranges.size(); ++i)
    message.ranges[i] = {ranges[i].first, ranges[i].second};
  message.read_only_count = read_only.size();
  for (size_t i = 0; i < read_only.size(); ++i)
    message.ranges[ranges.size() + i] = {read_only[i].first, read_only[i].second};
  nanoseconds took{0};
  return exchange(&message, sizeof(message), message.done_token, limit, took);
}

std::optional<rejection> sandboxed_process::exchange(const void* message, size_t bytes, uint64_t token,
                                                     nanoseconds limit, nanoseconds& took) {
  if (send(command_, message, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) {
    int status = 0;
    kill(pid_, SIGCONT);
    if (freeze(status))
      return refuse(verdict::cheating, rule_name::socket_closed, "the process closed the judge's socket",
                    {{"stage", "between calls"}});
    return obituary(status);
  }

  const auto used_before = processor_time(pid_);
  const auto may_sleep = thread_limit_ != 0;
  const auto waits_before = may_sleep ? waits_of(pid_) : std::map<std::string, nanoseconds>{};
  const auto start = steady_clock::now();
  kill(pid_, SIGCONT);
  std::optional<rejection> crowd;
  const auto ready = await_word(limit, crowd);
  int status = 0;
  if (crowd)
    return crowd;
  // The machine stood still, or somebody stopped the process: its call was not long, it was not let run. Who may sleep
  // does so of its own will, and threads that keep each other waiting use up more than half of the limit.
  const auto kept_from_running = [&] {
    if (processor_time(pid_) - used_before > limit / 2)
      return false;
    const auto state = state_of(pid_);
    if (state == 'T')
      return true;
    return may_sleep ? longest_wait(pid_, waits_before) >= limit / 2 : state == 'R' || state == 'D';
  };
  if (!ready && kept_from_running())
    return refuse(verdict::none, "", "a candidate process did not get the processor for its call");
  if (!ready)
    return refuse(verdict::timeout, rule_name::call_limit,
                  "the call took longer than " + milliseconds_text(limit) + " ms",
                  {{"limit_ms", milliseconds_text(limit)}});
  const auto stopped = freeze(status);
  took = steady_clock::now() - start;
  if (stopped)
    worked_ = std::min(took, processor_time(pid_) - used_before);

  std::array<std::byte, 64> answer{};
  const auto got = recv(command_, answer.data(), answer.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (got <= 0) // end of stream: it died, or closed its end; or an empty message
    return stopped ? refuse(verdict::cheating, rule_name::socket_closed,
                            "the process closed the judge's socket, or said nothing", {{"stage", "call"}})
                   : obituary(status);
  if (!answers_call(answer.data(), static_cast<size_t>(got), token))
    return refuse(verdict::cheating, rule_name::wrong_token, "something other than the call's own token came back",
                  {{"bytes", std::to_string(got)}});
  if (const auto more = recv(command_, answer.data(), answer.size(), MSG_DONTWAIT | MSG_TRUNC); more > 0)
    return refuse(verdict::cheating, rule_name::extra_token, "more than one answer came back from one call",
                  {{"bytes", std::to_string(more)}});
  if (!stopped)
    return obituary(status);
  return too_many_threads();
}

bool sandboxed_process::restless(std::chrono::milliseconds grace) {
  kill(pid_, SIGCONT);
  const auto spoke = poll_readable(command_, grace) > 0;
  int status = 0;
  freeze(status);
  return spoke;
}

} // namespace kevolve
