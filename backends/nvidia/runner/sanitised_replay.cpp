#include "backends/nvidia/runner/sanitised_replay.hpp"

#include "backends/nvidia/cubin.hpp"
#include "backends/nvidia/replay_result.hpp"
#include "backends/nvidia/runner/device_process.hpp"
#include "backends/nvidia/runner/replay.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"
#include "backends/nvidia/runner/scratch_folder.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds most_time{20'000};             // of each tool: no call begins later
constexpr milliseconds start_and_end{10'000};         // contexts under a tool, and its report
constexpr uint64_t most_bytes = uint64_t{512} << 20U; // of all arguments together, but for the first call
constexpr size_t most_log = size_t{1} << 20U;

using input_sets_pointer = std::shared_ptr<const input_sets>;

// The first sets of one shape, or of its edge values.
struct replayed_sets {
  input_sets_pointer inputs;
  size_t count = 1;
};

input_sets_pointer smallest_of(const std::vector<input_sets_pointer>& all_inputs, bool held_out) {
  input_sets_pointer found;
  for (const auto& inputs : all_inputs)
    if (inputs->shape.held_out == held_out && (!found || inputs->largest_layout() < found->largest_layout()))
      found = inputs;
  return found;
}

// Returns the smallest declared shape, edge values, and one held-out shape: a tool slows kernels down a hundredfold.
attempt<std::vector<replayed_sets>> sets_to_replay(test_set& tests, const judge_request& request) {
  constexpr size_t most_sets = 8;
  size_t adversarial = 64;
  std::vector<replayed_sets> out;
  if (auto declared = smallest_of(tests.compared(), false))
    out.push_back({std::move(declared), 2});
  for (const auto& inputs : tests.edges())
    if (why_skipped(*inputs, request).empty())
      out.push_back({inputs, most_sets});
  if (auto held_out = smallest_of(tests.screens(), true))
    out.push_back({std::move(held_out), 1});
  auto planned = tests.planned();
  if (!planned)
    return tl::unexpected<evaluation_error>(planned.error());
  for (auto& inputs : *planned)
    if (const auto count = std::min(inputs->sets.size(), adversarial); count > 0) {
      adversarial -= count;
      out.push_back({std::move(inputs), count});
    }
  // Small ones come first, for the time is limited.
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& c) { return a.inputs->largest_layout() < c.inputs->largest_layout(); });
  return out;
}

std::string start_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::string out(most_log, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<size_t>(in.gcount()));
  return out;
}

uint64_t bytes_of(const cuda_wire::replay_call& call) {
  uint64_t out = 0;
  for (const auto& a : call.arguments)
    out += a.bytes;
  for (const auto& s : call.plan.scratch)
    out += s.bytes;
  return out;
}

// Takes the modules with line information, where they are the same machine code: a finding then names file and line.
void take_lines(program& code, const judge_request& request) {
  if (request.sanitised.empty())
    return;
  auto with_lines = read_program(request.sanitised, request.task);
  if (with_lines
      && std::equal(code.modules.begin(), code.modules.end(), with_lines->modules.begin(), with_lines->modules.end(),
                    same_machine_code))
    code.modules = std::move(with_lines->modules);
}

// A plan that cannot be resolved has been refused by the calls before.
result<cuda_wire::replay_call> call_on(const program& code, const contract& task, const input_set& set) {
  auto plan = resolve_plan(code.plan, task, set.data);
  if (!plan)
    return fail(errc::bad_input, "the launch plan cannot be resolved");
  cuda_wire::replay_call out;
  out.plan = std::move(*plan);
  for (const auto& place : set.layout.places) {
    const auto& a = task.arguments[place.argument];
    cuda_wire::replay_argument argument{a.name, place.bytes, {}};
    if (is_read(a))
      argument.content.assign(set.data.inputs[place.argument].as<char>(), place.bytes);
    out.arguments.push_back(std::move(argument));
  }
  return out;
}

result<cuda_wire::replay> replay_order(examiner_client& examiner, const program& code, const contract& task,
                                       const std::vector<replayed_sets>& sets) {
  cuda_wire::replay out;
  out.modules = code.modules;
  for (const auto& k : code.plan.kernels)
    if (std::find(out.kernels.begin(), out.kernels.end(), k.name) == out.kernels.end())
      out.kernels.push_back(k.name);
  uint64_t bytes = 0;
  for (const auto& part : sets)
    for (size_t i = 0; i < std::min(part.count, part.inputs->sets.size()); ++i) {
      const auto& set = part.inputs->sets[i];
      auto fetched = set.remote ? examiner.fetch(set) : attempt<input_set>{input_set{}};
      if (!fetched)
        return fail(errc::unavailable, "its inputs cannot be read from the device");
      auto call = call_on(code, task, set.remote ? *fetched : set);
      if (!call)
        return tl::unexpected(call.error());
      bytes += bytes_of(*call);
      if (!out.calls.empty() && bytes > most_bytes)
        return out;
      out.calls.push_back(std::move(*call));
    }
  return out;
}

// Starts the program in a process group of its own, with no descriptor but 0 to 2.
result<pid_t> start_group(std::vector<std::string> words, std::vector<std::string> environment) {
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<char*> variables;
  for (auto& v : environment)
    variables.push_back(v.data());
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  const auto error = posix_spawn(&pid, argv.front(), &actions, &attributes, argv.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return tl::unexpected(from_errno(error, words.front() + " does not start"));
  return pid;
}

// Waits for it; ends its whole group when the time is over or the request is cancelled. Returns its exit status.
int wait_for_group(pid_t pid, milliseconds limit, const request_hooks& hooks, bool& timed_out) {
  constexpr milliseconds look_every{200};
  const auto until = steady_clock::now() + limit;
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd ended{fd, POLLIN, 0};
  while (fd >= 0 && poll(&ended, 1, static_cast<int>(look_every.count())) <= 0)
    if (timed_out = steady_clock::now() >= until || hooks.cancelled(); timed_out)
      break;
  if (fd >= 0)
    ::close(fd);
  ::kill(-pid, SIGKILL); // whoever is left of the group, too
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class replays {
public:
  replays(gpu_judge_context& b, const request_hooks& hooks, const std::string& folder, size_t calls)
      : judge_(b), hooks_(hooks), folder_(folder), calls_(calls) {}

  replay_run run(sanitizer_tool tool, milliseconds time) const {
    replay_run out;
    out.tool = tool;
    out.calls = calls_;
    hooks_.progress("sanitised replay: " + to_string(tool));
    const auto log = folder_ + "/" + to_string(tool) + ".log";
    const auto order = folder_ + "/order";
    auto words = sanitizer_command(judge_.settings.sanitizer, tool, log);
    std::error_code ignored;
    words.insert(words.end(), {std::filesystem::read_symlink("/proc/self/exe", ignored).string(), "--replay", order});
    auto environment = judge_.settings.worker.environment;
    environment.push_back("HOME=" + folder_);
    environment.push_back("TMPDIR=" + folder_);
    environment.emplace_back("PATH=/usr/bin:/bin");
    // Ten million by default, which takes minutes to sort out.
    environment.emplace_back("NV_COMPUTE_SANITIZER_MAX_RACECHECK_HAZARDS=100000");
    const auto pid = start_group(std::move(words), std::move(environment));
    if (!pid) {
      out.not_run = pid.error().detail;
      return out;
    }
    out.status = wait_for_group(*pid, time + start_and_end, hooks_, out.timed_out);
    out.log = start_of(log);
    out.progress = start_of(order + replay_progress_suffix);
    std::filesystem::remove(order + replay_progress_suffix, ignored);
    return out;
  }

private:
  gpu_judge_context& judge_;
  const request_hooks& hooks_;
  const std::string& folder_;
  size_t calls_;
};

replay_result replay_all(gpu_judge_context& b, const judge_request& request, const std::vector<replayed_sets>& sets,
                         const request_hooks& hooks) {
  if (request.sanitised_ms == 0)
    return unsanitised("the campaign gives it no time (judge.sanitised_limit)");
  if (b.settings.sanitizer.empty())
    return unsanitised("there is no compute-sanitizer");
  auto code = read_program(request.candidate, request.task);
  if (!code)
    return unsanitised("the code cannot be read");
  take_lines(*code, request);
  auto order = replay_order(b.examiner, *code, request.task, sets);
  if (!order || order->calls.empty())
    return unsanitised(order ? "there is no input to replay" : order.error().detail);
  const auto left = std::chrono::duration_cast<milliseconds>(hooks.deadline - steady_clock::now());
  const auto given = std::min(left * 2 / 3, milliseconds{request.sanitised_ms});
  const auto share = given / static_cast<int>(all_sanitizer_tools.size()) - start_and_end;
  const auto time = std::min(most_time, share);
  if (time.count() <= 0)
    return unsanitised("no time was left");
  const scratch_folder folder{"kevolve-replay"};
  order->device = b.settings.worker.device;
  order->limit_ms = static_cast<uint32_t>(time.count());
  std::ofstream file{folder.path() + "/order", std::ios::binary};
  file << encode(*order);
  file.close();
  if (folder.path().empty() || !file)
    return unsanitised("there is no room for the replay's data");
  std::vector<replay_run> runs;
  const replays process{b, hooks, folder.path(), order->calls.size()};
  for (const auto tool : all_sanitizer_tools)
    if (!hooks.cancelled())
      runs.push_back(process.run(tool, time));
  return judge_replay(runs);
}

} // namespace

attempt<void> replay_sanitised(gpu_judge_context& b, const judge_request& request, test_set& tests,
                               const request_hooks& hooks, judge_outcome& out) {
  const auto start = steady_clock::now();
  const auto sets = sets_to_replay(tests, request);
  if (!sets)
    return tl::unexpected<evaluation_error>(sets.error());
  auto result = replay_all(b, request, *sets, hooks);
  if (hooks.cancelled())
    return infrastructure(fault_kind::cancelled, "the request was cancelled in the sanitised replay");
  out.evidence.merge(result.evidence);
  out.evidence["ms.sanitised"] =
      std::to_string(std::chrono::duration_cast<milliseconds>(steady_clock::now() - start).count());
  return result.refused ? attempt<void>{refusal(std::move(*result.refused))} : attempt<void>{};
}

} // namespace kevolve::cuda
