// kevolve-runner-cuda: owns inputs, expected values, clock and verdict for one NVIDIA device. Speaks
// backends/protocol.hpp on descriptor 3, as a judge does; the device itself is touched only by its workers, one process
// and context per candidate.
#include "backends/host_machine.hpp"
#include "backends/judge/request_queue.hpp"
#include "backends/nvidia/runner/examiner.hpp"
#include "backends/nvidia/runner/gpu_judge_context.hpp"
#include "backends/nvidia/runner/locked_jit.hpp"
#include "backends/nvidia/runner/replay.hpp"
#include "backends/nvidia/runner/timeline.hpp"
#include "backends/nvidia/runner/worker.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/sandbox.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t most_draw_threads = 16;
// The node stores what it hears at the same interval.
constexpr milliseconds idle_look_every{10'000};

// Returns the memory of the machine, or of the control group that this process is in.
uint64_t memory_bytes() {
  auto out =
      static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const auto* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t limit = 0;
    if (std::ifstream{path} >> limit)
      out = std::min(out, limit);
  }
  return out;
}

class server {
public:
  server(runner_settings settings, std::vector<std::string> done_without)
      : judge_(std::move(settings)), requests_("kevolve-runner-cuda", helper_socket_fd),
        done_without_(std::move(done_without)) {}

  int run() {
    if (auto ok = judge_.sandbox.zygote.start(); !ok)
      return give_up(to_string(ok.error()));
    if (auto ok = query_device(judge_); !ok)
      return give_up(to_string(ok.error()));
    say_hello();
    for (;;) {
      while (judge_.watch && !requests_.ready(idle_look_every))
        tell_sample();
      const auto request = requests_.next();
      if (!request)
        return 0;
      serve(*request);
    }
  }

private:
  static int give_up(const std::string& why) {
    std::fprintf(stderr, "kevolve-runner-cuda: %s\n", why.c_str());
    return 1;
  }

  void say_hello() {
    helper_hello hello;
    hello.kind = "judge";
    hello.facts = judge_.device.facts;
    auto& f = hello.facts;
    hello.fingerprint =
        to_string(derive_id("cuda-device", f["device"] + "/" + f["uuid"] + "/" + f["driver"] + "/" + f["cuda"]));
    f["sandbox"] = judge_.sandbox.zygote.sandbox_level();
    f["ready_ms"] = std::to_string(judge_.device.ready_ns / 1'000'000);
    requests_.send(frame_kind::hello, hello);
  }

  // Sends the last sample of the device if it has not been sent yet, else a new one. A new one costs the device
  // nothing: waiting workers keep its driver awake anyway.
  void tell_sample() {
    if (!judge_.seen)
      look(judge_, standing_processes(judge_));
    if (const auto sample = std::exchange(judge_.seen, std::nullopt))
      requests_.send(frame_kind::device_sample, *sample);
  }

  void serve(const judge_request& request) {
    request_hooks hooks;
    hooks.progress = [this](const std::string& stage) { requests_.report(stage, false); };
    hooks.cancelled = [this] { return requests_.cancelled(); };
    hooks.deadline = steady_clock::now() + milliseconds{request.limit_ms};
    judge_outcome out;
    // The reference is host code, and runs in the host's sandbox.
    if (const auto weak = refusal_of_level(judge_.sandbox.zygote.sandbox_level(), done_without_);
        !weak.empty() && request.mode != judge_mode::probe) {
      out.job = request.job;
      out.trouble = {fault_kind::sandbox_weak, weak, 0};
    } else
      out = evaluate_request(judge_, request, hooks);
    tell_sample();
    requests_.finish(out);
    if (requests_.connected())
      refill(judge_);
  }

  gpu_judge_context judge_;
  request_queue requests_;
  std::vector<std::string> done_without_;
};

bool parse_number(std::string_view text, int& out) {
  return std::from_chars(text.data(), text.data() + text.size(), out).ptr == text.data() + text.size() && out >= 0;
}

int usage() {
  std::fputs("usage: kevolve-runner-cuda [--device N] [--zygote PATH] [--python PATH] [--profiler PATH] "
             "[--sanitizer PATH] [--references-on host] [--allow-weak-sandbox LAYER]\n"
             "       kevolve-runner-cuda --replay FILE | --timeline FILE | --instrument FOLDER\n"
             "Speaks the helper protocol on descriptor 3; started by a kevolve node.\n",
             stderr);
  return 2;
}

int start(int argc, char** argv) {
  runner_settings settings;
  settings.references.zygote_path = program_directory() + "/kevolve-zygote";
  // All input sets of a task, or every candidate would wait for them to be made again; but a host has up to eight
  // runners.
  settings.common.cache_bytes = std::clamp(memory_bytes() / 8, uint64_t{4} << 30U, uint64_t{24} << 30U);
  // Enough sets for a long screening in one pair of workers, of 32 MiB each.
  settings.common.shape_bytes = std::max(size_t{1} << 30U, settings.common.cache_bytes / 8);
  std::vector<std::string> done_without;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    const std::string_view value = argv[i + 1];
    int number = 0;
    if (key == "--worker" && parse_number(value, number))
      return run_worker(number, false);
    if (key == "--profiled" && parse_number(value, number))
      return run_worker(number, true);
    if (key == "--examiner" && parse_number(value, number))
      return run_examiner(number);
    if (key == "--replay")
      return run_replay(std::string{value});
    if (key == "--timeline")
      return run_timeline(std::string{value});
    if (key == "--instrument")
      return run_locked_jit(std::string{value});
    if (key == "--device" && parse_number(value, number))
      settings.worker.device = number;
    else if (key == "--zygote")
      settings.references.zygote_path = value;
    else if (key == "--python")
      settings.framework.python = value;
    else if (key == "--profiler")
      settings.profiler = value;
    else if (key == "--sanitizer")
      settings.sanitizer = value;
    else if (key == "--references-on" && value == "host")
      settings.framework.on_host = true;
    else if (key == "--allow-weak-sandbox")
      done_without.emplace_back(value);
    else
      return usage();
  }
  if (argc % 2 == 0)
    return usage();
  std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  hide_memory();
  const auto cores = usable_cores();
  settings.references.core = cores.front();
  settings.references.thread_cores = cores;
  settings.common.draw_threads = std::min(cores.size(), most_draw_threads);
  // Kernels are loaded with their module, not at their first launch inside a timed call.
  // A worker has one stream: with queues for eight, a context takes twice as long to make and to take down.
  settings.worker.environment = {"CUDA_MODULE_LOADING=EAGER", "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_CACHE_DISABLE=1",
                                 "CUDA_DEVICE_MAX_CONNECTIONS=1"};
  for (const auto* name : {"LD_LIBRARY_PATH", "KEVOLVE_CUPTI", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"})
    if (const auto* text = std::getenv(name); text != nullptr)
      settings.worker.environment.push_back(std::string{name} + "=" + text);
  settings.framework.device = settings.worker.device;
  settings.framework.done_without = done_without;
  for (const auto* name : {"LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES"})
    if (const auto* text = std::getenv(name); text != nullptr)
      settings.framework.environment.push_back(std::string{name} + "=" + text);
  settings.framework.environment.emplace_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  return server{std::move(settings), std::move(done_without)}.run();
}

} // namespace

} // namespace kevolve::cuda

int main(int argc, char** argv) {
  return kevolve::cuda::start(argc, argv);
}
