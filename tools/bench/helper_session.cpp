#include "tools/bench/helper_session.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/helper_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kevolve::bench {

namespace {

constexpr auto hello_limit = std::chrono::seconds{60};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& w : words)
    out.push_back(const_cast<char*>(w.c_str()));
  out.push_back(nullptr);
  return out;
}

} // namespace

result<helper_session> helper_session::start(const helper_command& command) {
  auto pair = make_channel_pair();
  if (!pair)
    return tl::unexpected(pair.error());
  std::vector<std::string> environment;
  for (const auto& [k, v] : command.environment)
    environment.push_back(k + "=" + v);
  auto argv = pointers(command.argv);
  auto envp = pointers(environment);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (auto c : command.cores)
    CPU_SET(static_cast<size_t>(c), &cores);
  auto theirs = pair->second.fd();
  auto pid = ::fork();
  if (pid < 0)
    return tl::unexpected(from_errno(errno, "fork"));
  if (pid == 0) {
    if (!command.cores.empty())
      ::sched_setaffinity(0, sizeof cores, &cores);
    if (theirs == helper_socket_fd)
      ::fcntl(theirs, F_SETFD, 0);
    else
      ::dup2(theirs, helper_socket_fd);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  pair->second.close();
  helper_session out{pid, std::move(pair->first)};
  auto hello = out.await(frame_kind::hello, hello_limit);
  if (!hello)
    return fail(errc::unavailable, command.argv[0] + " does not start: " + to_string(hello.error()));
  auto decoded = decode<helper_hello>(*hello);
  if (!decoded)
    return tl::unexpected(decoded.error());
  out.hello_ = std::move(*decoded);
  return out;
}

helper_session::helper_session(helper_session&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)), hello_(std::move(other.hello_)) {}

helper_session::~helper_session() {
  if (pid_ < 0)
    return;
  socket_.close();
  int status = 0;
  ::waitpid(pid_, &status, 0);
}

result<std::string> helper_session::await(frame_kind wanted, std::chrono::milliseconds limit) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    auto f = socket_.receive(std::max(left, std::chrono::milliseconds{1}));
    if (!f)
      return tl::unexpected(f.error());
    if (static_cast<frame_kind>(f->kind) == wanted)
      return std::move(f->payload);
    // Its work has not begun while another process has the core.
    if (static_cast<frame_kind>(f->kind) == frame_kind::progress)
      if (const auto p = decode<helper_progress>(f->payload); p && p->waiting)
        deadline = std::chrono::steady_clock::now() + limit;
  }
}

result<workbench> open_compiler(const std::string& bin_dir, const std::string& target, const target_options& options) {
  workbench out;
  auto hardware = make_target(target, bin_dir, {}, options);
  if (!hardware)
    return tl::unexpected(hardware.error());
  out.hardware = std::move(*hardware);
  auto compiler = helper_session::start(out.hardware->compile_server());
  if (!compiler)
    return tl::unexpected(compiler.error());
  out.compiler.emplace(std::move(*compiler));
  return out;
}

result<workbench> open_workbench(const std::string& bin_dir, const std::string& target, const target_options& options) {
  auto out = open_compiler(bin_dir, target, options);
  if (!out)
    return out;
  auto devices = out->hardware->devices();
  if (devices.empty())
    return fail(errc::unsupported, target == "cpu" ? "no timing core here" : "no device");
  out->device = devices.front();
  auto judge = helper_session::start(out->hardware->judge(out->device));
  if (!judge)
    return tl::unexpected(judge.error());
  out->judge.emplace(std::move(*judge));
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0) {
    for (auto c : out->device.cores)
      if (CPU_COUNT(&mine) > 1)
        CPU_CLR(static_cast<size_t>(c), &mine);
    ::sched_setaffinity(0, sizeof mine, &mine);
  }
  return out;
}

result<std::string> compile(workbench& bench, const contract& task, const std::string& language,
                            const std::string& source, const std::string& flags, compile_role role) {
  compile_request q;
  q.job = random_id();
  q.role = role;
  q.language = language;
  q.source = source;
  q.entry = task.entry;
  q.flags = flags;
  q.threads = task.threads;
  q.libraries = task.libraries;
  q.task = task;
  q.limit_ms = 300'000; // ends what hangs; a busy machine is many times slower
  auto out = bench.compiler->ask(q);
  if (!out)
    return tl::unexpected(out.error());
  if (out->result != verdict::pass)
    return fail(errc::bad_input, to_string(out->result) + ": " + out->log);
  return std::move(out->artifact);
}

std::string baseline_flags(const workbench& bench) {
  for (const auto& f : bench.hardware->flag_menu())
    if (f.baseline)
      return f.name;
  return {};
}

} // namespace kevolve::bench
