#include "backends/compile/locked_tool.hpp"

#include "backends/compile/diagnosis.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/helper_process.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace kevolve::cuda {

namespace {

constexpr uint64_t usual_memory = uint64_t{6} << 30U;

} // namespace

result<locked_tool> locked_tool::make(const compiler_options& options, std::vector<std::string> readable) {
  // A locked command uses descriptor 3 for itself. If no channel occupies it, /dev/null does, so that the sandbox's own
  // descriptors do not land there.
  if (::fcntl(helper_socket_fd, F_GETFD) < 0) {
    const auto held = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (held != helper_socket_fd) {
      ::dup3(held, helper_socket_fd, O_CLOEXEC);
      ::close(held);
    }
  }
  auto work = workspace::make(options.scratch);
  if (!work)
    return tl::unexpected(work.error());
  sandbox_policy policy;
  policy.profile = sandbox_profile::compiler;
  policy.readable = std::move(readable);
  for (const auto* place : {"/usr/include", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/bin", "/lib", "/lib64",
                            "/bin", "/etc/ld.so.cache", "/dev/null"})
    policy.readable.emplace_back(place);
  policy.writable = {work->path()};
  policy.memory_bytes = options.memory_bytes == 0 ? usual_memory : options.memory_bytes;
  policy.file_size_bytes = most_artifact;
  policy.cpu_seconds = 3600;
  policy.keep_fds = {0, 1, 2, 3};
  policy.parent_pid = ::getpid();
  auto lock = sandbox::prepare(policy);
  if (!lock)
    return tl::unexpected(lock.error());
  locked_tool out{std::move(*work), std::move(*lock)};
  out.level_ = out.lock_.level() + (options.around.empty() ? "" : "+" + options.around);
  out.too_weak_ = refusal_of_level(out.level_, options.done_without);
  return out;
}

bool locked_tool::run(std::vector<std::string> argv, const std::string& file, const std::string& text,
                      const compile_request& request, attention& listener, compile_outcome& out) const {
  auto ready = work_.empty();
  if (ready)
    ready = work_.write(file, text);
  if (!ready) {
    out.trouble = fault_from(ready.error());
    return false;
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{request.limit_ms};
  const auto end = run_locked({std::move(argv), work_.path(), "output", "diagnostics", deadline}, lock_, listener);
  out.log =
      work_.read("output", most_log, true).value_or("") + work_.read("diagnostics", 2 * most_log, true).value_or("");
  if (end.end == step_end::exited && end.value == 0)
    return true;
  auto diagnosis = diagnose(end, out.log);
  if (diagnosis.result != verdict::none && work_.full())
    diagnosis = {verdict::none, {fault_kind::no_space, work_.path() + " is full", 0}, ""};
  out.result = diagnosis.result;
  out.trouble = diagnosis.trouble;
  if (!diagnosis.log.empty())
    out.log = diagnosis.log + "\n" + out.log;
  return false;
}

result<std::string> locked_tool::printed(std::vector<std::string> argv, const std::string& file,
                                         const std::string& content, std::chrono::milliseconds limit, size_t most,
                                         attention& listener) const {
  auto ready = work_.empty();
  if (ready)
    ready = work_.write(file, content);
  if (!ready)
    return tl::unexpected(ready.error());
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto end = run_locked({std::move(argv), work_.path(), "output", "diagnostics", deadline}, lock_, listener);
  if (end.end == step_end::exited && end.value == 0)
    return work_.read("output", most);
  return fail(errc::unavailable, end.end == step_end::exited ? "it ended with " + std::to_string(end.value)
                                 : end.end == step_end::over_time
                                     ? "it took more than " + std::to_string(limit.count()) + " ms"
                                 : end.end == step_end::signalled ? "signal " + std::to_string(end.value)
                                 : end.end == step_end::given_up  ? "the job was given up"
                                                                  : end.trouble.detail);
}

void refuse(compile_outcome& out, std::string why) {
  out.result = verdict::compile_error;
  out.log = std::move(why);
}

} // namespace kevolve::cuda
