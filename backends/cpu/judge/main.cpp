// kevolve-judge: owns clock, inputs, expected values and verdict for one timing core. Speaks
// backends/protocol.hpp on descriptor 3; pins itself to its core.
#include "backends/cpu/judge/core_sensors.hpp"
#include "backends/cpu/judge/scheduling_priority.hpp"
#include "backends/host_machine.hpp"
#include "backends/judge/core_turn.hpp"
#include "backends/judge/native/native_judge_context.hpp"
#include "backends/judge/request_queue.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/sandbox.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

namespace kevolve {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds progress_period{500};

struct arguments {
  std::string zygote;                        // --zygote PATH; default: beside this program
  std::string replay;                        // --replay PATH; default: beside this program
  std::string python = "python3";            // --python PATH: with PyTorch
  std::vector<std::string> done_without;     // --allow-weak-sandbox LAYER
  uint64_t memory_bytes = 0;                 // --memory-mib N; 0: the usual
  uint64_t shape_bytes = 0;                  // --shape-mib N: for the input sets of a shape; 0: the usual
  int core = -1;                             // --core N; default: the first this process may use
  std::vector<int> thread_cores;             // --thread-cores 0,1; default: every core it may use
  double drift_limit = noise_limits{}.drift; // --drift-limit R: between the probes around a session
};

std::vector<int> parse_cores(std::string_view text) {
  std::vector<int> out;
  while (!text.empty()) {
    int n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{})
      return {};
    out.push_back(n);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() == ',')
      text.remove_prefix(1);
    else if (!text.empty())
      return {};
  }
  return out;
}

std::string processor_name() {
  std::ifstream in{"/proc/cpuinfo"};
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(std::min(line.find(':') + 2, line.size()));
  return "unknown processor";
}

// Another judge's confirmation may take minutes, and its node ends one that hangs: whoever waits says so all the while.
constexpr milliseconds turn_limit = std::chrono::hours{24};

class server {
public:
  server(const judge_settings& settings, native_settings native, std::vector<std::string> done_without,
         std::string python)
      : judge_(settings, std::move(native)), sensors_(judge_.sandbox.settings.core),
        requests_("kevolve-judge", helper_socket_fd), done_without_(std::move(done_without)) {
    auto& module = judge_.module.options;
    module.python = std::move(python);
    module.device = -1; // none: on the host
    module.on_host = true;
    module.done_without = done_without_;
    // One thread. Memory that a call has released is kept for the next one, as in a long run of a model.
    for (const auto* variable : {"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "MALLOC_MMAP_THRESHOLD_=4294967296",
                                 "MALLOC_TRIM_THRESHOLD_=4294967296"})
      module.environment.emplace_back(variable);
  }

  int run() {
    if (auto ok = judge_.sandbox.zygote.start(); !ok) {
      std::fprintf(stderr, "kevolve-judge: %s\n", to_string(ok.error()).c_str());
      return 1;
    }
    say_hello();
    while (const auto request = requests_.next())
      serve(*request);
    return 0;
  }

private:
  void say_hello() {
    helper_hello hello;
    hello.kind = "judge";
    utsname os = {};
    uname(&os);
    const auto processor = processor_name();
    hello.fingerprint = to_string(derive_id("cpu-device", processor + "/" + os.release + "/" + os.machine));
    hello.facts["sandbox"] = judge_.sandbox.zygote.sandbox_level();
    hello.facts["processor"] = processor;
    hello.facts["kernel"] = os.release;
    hello.facts["core"] = std::to_string(judge_.sandbox.settings.core);
    hello.facts["thread_cores"] = std::to_string(judge_.sandbox.settings.thread_cores.size());
    for (const auto& [layer, lack] : detect_sandbox().missing)
      hello.facts["sandbox.missing." + layer] = lack.why + ": " + lack.remedy;
    requests_.send(frame_kind::hello, hello);
  }

  void serve(const judge_request& request) {
    request_hooks hooks;
    // A short trial is over before anybody could read where it stands, and each word costs the node a wake-up.
    hooks.progress = [this, told = steady_clock::now()](const std::string& stage) mutable {
      if (auto now = steady_clock::now(); now - told >= progress_period) {
        told = now;
        requests_.report(stage, false);
      }
    };
    hooks.cancelled = [this] { return requests_.cancelled(); };
    judge_outcome out;
    auto waited = false;
    // A candidate's threads have all the cores of the task's, and nobody compiles on them meanwhile.
    auto cores = request.task.threads ? judge_.sandbox.settings.thread_cores : std::vector<int>{};
    cores.push_back(judge_.sandbox.settings.core);
    const auto waiting = [&](int core) {
      waited = true;
      requests_.report("waiting for core " + std::to_string(core) + ", " + describe(holder_of(core)), true);
    };
    const auto too_weak = refusal_of_level(judge_.sandbox.zygote.sandbox_level(), done_without_);
    if (!too_weak.empty() && request.mode != judge_mode::probe) {
      out.job = request.job;
      out.trouble = {fault_kind::sandbox_weak, too_weak, 0};
    } else if (auto turns = take_cores(std::move(cores), turn_limit, waiting, hooks.cancelled)) {
      if (waited)
        requests_.report("core " + std::to_string(judge_.sandbox.settings.core) + " is free",
                         false); // whoever shows the wait may stop
      hooks.deadline = steady_clock::now() + milliseconds{request.limit_ms};
      out = evaluate_request(judge_, request, hooks);
      // While the core is ours: an idle judge does not look, for another one may be timing there.
      if (const auto sample = sensors_.read(); sample.time_ns != 0)
        requests_.send(frame_kind::device_sample, sample);
    } else {
      out.job = request.job;
      out.trouble = {turns.error().code == errc::cancelled ? fault_kind::cancelled : fault_kind::core_busy,
                     turns.error().detail, 0};
    }
    requests_.finish(out);
  }

  native_judge_context judge_;
  core_sensors sensors_;
  request_queue requests_;
  std::vector<std::string> done_without_;
};

int usage() {
  std::fputs("usage: kevolve-judge [--zygote PATH] [--replay PATH] [--core N] [--thread-cores N,N…] [--memory-mib N]\n"
             "                     [--shape-mib N] [--python PATH]\n"
             "                     [--allow-weak-sandbox LAYER] [--drift-limit R]\n"
             "Speaks the helper protocol on descriptor 3; started by a kevolve node.\n",
             stderr);
  return 2;
}

int start(int argc, char** argv) {
  arguments args;
  args.zygote = program_directory() + "/kevolve-zygote";
  args.replay = program_directory() + "/kevolve-sanitised-replay";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    const std::string_view value = argv[i + 1];
    if (key == "--zygote")
      args.zygote = value;
    else if (key == "--replay")
      args.replay = value;
    else if (key == "--python")
      args.python = value;
    else if (key == "--memory-mib" && parse_cores(value).size() == 1)
      args.memory_bytes = static_cast<uint64_t>(parse_cores(value).front()) << 20U;
    else if (key == "--shape-mib" && parse_cores(value).size() == 1)
      args.shape_bytes = static_cast<uint64_t>(parse_cores(value).front()) << 20U;
    else if (key == "--allow-weak-sandbox")
      args.done_without.emplace_back(value);
    else if (key == "--drift-limit")
      std::from_chars(value.data(), value.data() + value.size(), args.drift_limit);
    else if (key == "--core" && parse_cores(value).size() == 1)
      args.core = parse_cores(value).front();
    else if (key == "--thread-cores" && !parse_cores(value).empty())
      args.thread_cores = parse_cores(value);
    else
      return usage();
  }
  if (argc % 2 == 0)
    return usage();

  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a limit of ours on files is no space, not our end
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  go_ahead_of_others();
  hide_memory();
  const auto allowed = usable_cores();
  judge_settings settings;
  native_settings native;
  native.zygote_path = args.zygote;
  native.replay_path = args.replay;
  native.core = args.core >= 0 ? args.core : allowed.front();
  native.thread_cores = args.thread_cores.empty() ? allowed : args.thread_cores;
  settings.calm.drift = args.drift_limit;
  if (args.shape_bytes != 0)
    settings.shape_bytes = args.shape_bytes;
  if (args.memory_bytes != 0)
    native.memory_bytes = args.memory_bytes;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<size_t>(native.core), &own);
  if (sched_setaffinity(0, sizeof(own), &own) != 0)
    std::fprintf(stderr, "kevolve-judge: cannot pin to core %d: times will be noisy\n", native.core);
  return server{settings, std::move(native), std::move(args.done_without), std::move(args.python)}.run();
}

} // namespace

} // namespace kevolve

int main(int argc, char** argv) {
  return kevolve::start(argc, argv);
}
