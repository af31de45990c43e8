// Tests references in PyTorch: their process, and the runner that judges device candidates against them with the fake
// driver. Needs a python3 with torch (KEVOLVE_PYTHON names another); reports if there is none.
#include "backends/framework/framework_client.hpp"
#include "backends/judge/shared_arena.hpp"
#include "backends/launch_plan/package.hpp"
#include "runtime/base/baseline_figure.hpp"
#include "tests/cpu_judge/judge_driver.hpp"
#include "tests/cpu_judge/tasks.hpp"
#include "tests/cuda/cubin_builder.hpp"
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

using namespace kevolve;
using namespace kevolve::cuda;
using namespace kevolve::testing;

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

std::string interpreter() {
  const auto* named = std::getenv("KEVOLVE_PYTHON");
  return named == nullptr ? "python3" : named;
}

bool skip() {
  static const auto why = [] {
    framework_client trial;
    const auto started = trial.start({interpreter(), 0, true, {}, {"landlock"}});
    return started ? std::string{} : to_string(started.error());
  }();
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return !why.empty();
}

constexpr const char* doubling = "import torch\n"
                                 "def iterate(x, w):\n"
                                 "    return x * 2 + w[0]\n";

constexpr const char* iterate_in_torch = "import torch\n"
                                         "def iterate(x, w):\n"
                                         "    y = x\n"
                                         "    for k in range(256):\n"
                                         "        y = y * 0.5 + w[k & 7]\n"
                                         "    return y\n";

// One call's data in an arena, and the process that runs it.
struct one_call {
  contract task = iterate_task(1000);
  shared_arena arena;
  call_data data;
  arena_layout layout;
  framework_client process;
  std::optional<call_memory> memory; // of the last call

  one_call() {
    data = draw_call(task, task.shapes.front(), {.seed = 7}).value();
    layout = lay_out(task, data.geometries);
    REQUIRE(arena.prepare(layout.total));
    REQUIRE(process.start({interpreter(), 0, true, {}, {"landlock"}}));
    REQUIRE_FALSE(process.map(framework_client::arena::pool, arena.fd(), arena.mapped_bytes()));
  }
  std::optional<rejection> load(const std::string& source) {
    return process.load(framework_client::program::reference, {"iterate", source});
  }
  std::optional<rejection> call(nanoseconds limit = seconds{60}, framework_mode mode = framework_mode::plain) {
    memory.emplace(task, data, layout, arena).set_up(nan_poison(1));
    nanoseconds took{0};
    auto refused = process.call(framework_client::program::reference, framework_client::arena::pool, mode, task, data,
                                layout, limit, took);
    if (!refused)
      CHECK(took.count() > 0);
    return refused;
  }
  std::string rule_of(const std::string& source) {
    if (auto refused = load(source))
      return refused->rule + ": " + refused->detail;
    auto refused = call();
    return refused ? refused->rule + ": " + refused->detail : "pass";
  }
};

std::string told(const judge_outcome& o) {
  return to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
}

float element(const std::byte* from, size_t i) {
  float out = 0.0F;
  std::memcpy(&out, from + i * sizeof(out), sizeof(out));
  return out;
}

} // namespace

TEST_CASE("a PyTorch reference gets its arguments by name and leaves its outputs in the arena") {
  if (skip())
    return;
  one_call c;
  CHECK(c.process.facts().count("torch") == 1);
  REQUIRE_FALSE(c.load(doubling));
  for (const auto mode : {framework_mode::plain, framework_mode::eager}) {
    REQUIRE_FALSE(c.call(seconds{60}, mode));
    const auto& memory = *c.memory;
    CHECK_FALSE(memory.mutated_input());
    CHECK_FALSE(memory.broken_guard());
    for (const size_t i : {size_t{0}, size_t{1}, size_t{999}})
      CHECK(element(memory.array(2), i) == element(memory.array(0), i) * 2 + element(memory.array(1), 0));
  }
}

TEST_CASE("a PyTorch reference works in device memory that another process exports") {
  if (skip())
    return;
  const with_fake_driver fake;
  const auto python = interpreter();
  const auto check = cuda_path("device_memory_check.py");
  const auto process = cuda_path("../../backends/framework/reference_process.py");
  const auto pid = fork();
  if (pid == 0) {
    execlp(python.c_str(), python.c_str(), check.c_str(), process.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("errors of a PyTorch reference are reported with rule and line") {
  if (skip())
    return;
  one_call c;
  CHECK(c.rule_of("def other(x): return x\n") == "no_entry: the reference has no function 'iterate'");
  CHECK(c.rule_of("def iterate(x, z): return x\n").find("no_such_argument: its parameter 'z'") == 0);
  CHECK(c.rule_of("def iterate(x): return x[1:]\n").find("wrong_shape: output 'y' has shape [999]") == 0);
  CHECK(c.rule_of("def iterate(x): return x.double()\n").find("wrong_shape: output 'y' has dtype torch.float64") == 0);
  CHECK(c.rule_of("def iterate(x): return x, x\n").find("wrong_shape: it returned 2 values") == 0);
  CHECK(c.rule_of("def iterate(x):\n    y = x\n    return y / nothing\n").find("raised: line 3: NameError") == 0);
  CHECK(c.rule_of("import sys\ndef iterate(x): sys.exit(3)\n").find("raised: line 2: SystemExit") == 0);
  CHECK(c.rule_of(doubling) == "pass"); // the process has survived all these calls
  const auto died = c.rule_of("import os\ndef iterate(x): os._exit(3)\n");
  CHECK_MESSAGE(died.find("died: ") == 0, died);
  CHECK_FALSE(c.process.alive());
}

TEST_CASE("an endless PyTorch reference is ended") {
  if (skip())
    return;
  one_call c;
  REQUIRE_FALSE(c.load("def iterate(x):\n    while True: pass\n"));
  const auto refused = c.call(std::chrono::milliseconds{300});
  REQUIRE(refused);
  CHECK(refused->rule == "call_limit");
  CHECK(refused->result == verdict::timeout);
  CHECK_FALSE(c.process.alive());
}

TEST_CASE("a process whose call was ended within an import is replaced, since a module is half imported") {
  if (skip())
    return;
  one_call c;
  REQUIRE_FALSE(c.load("import sys\n"
                       "open('endless.py', 'w').write('while True: pass')\n"
                       "sys.path.insert(0, '.')\n"
                       "def iterate(x):\n    import endless\n"));
  const auto refused = c.call(seconds{2}, framework_mode::eager);
  REQUIRE(refused);
  CHECK(refused->rule == "call_limit");
  CHECK(refused->detail == "did not end within 2 s");
  CHECK_FALSE(c.process.alive());
}

TEST_CASE("a PyTorch reference cannot access files, networks or its parent") {
  if (skip())
    return;
  one_call c;
  if (c.process.sandbox_level().find("landlock") == std::string::npos) {
    MESSAGE("skipped: no Landlock here");
    return;
  }
  const auto tried = [&](const std::string& what) {
    return c.rule_of("import os, socket\ndef iterate(x):\n    " + what + "\n    return x\n");
  };
  CHECK(tried("open('/etc/shadow').read()").find("PermissionError") != std::string::npos);
  CHECK(tried("open('/tmp/kevolve-was-here', 'w')").find("PermissionError") != std::string::npos);
  CHECK(tried("open('/proc/" + std::to_string(getpid()) + "/environ').read()").find("PermissionError")
        != std::string::npos);
  CHECK(tried("socket.socket(socket.AF_INET)").find("PermissionError") != std::string::npos);
  CHECK(tried("socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)").find("PermissionError") != std::string::npos);
  CHECK(tried("socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect('/run/some')").find("ConnectionRefused")
        != std::string::npos);
  CHECK(tried("os.kill(" + std::to_string(getpid()) + ", 0)").find("PermissionError") != std::string::npos);
  CHECK(tried("assert 'SECRET' not in os.environ") == "pass");
  CHECK(tried("open('scratch', 'w').write('its own')") == "pass");
}

TEST_CASE("a device candidate is judged by a PyTorch reference and compared with it") {
  if (skip())
    return;
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--python", interpreter(), "--references-on", "host"}};
  REQUIRE(runner.ready());
  // Much slower than the fake driver's device, however fast this machine is.
  std::string slow{iterate_in_torch};
  slow.replace(slow.find("    y = x\n"), 10, "    import time\n    time.sleep(0.005)\n    y = x\n");
  const auto reference = pack_framework({"iterate", slow});
  auto request = request_for(iterate_task(2'000), reference, fake_package("iterate"), judge_mode::screening);
  request.task.work_bytes.clear();
  request.task.language = "pytorch";
  request.oracle = reference;
  request.limit_ms = 120'000;
  auto o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK(o.decision == comparison_decision::faster);
  CHECK(o.evidence.at("comparison") == "device"); // of the candidate
  CHECK(o.evidence.at("comparison.rival") == "host: its framework works on the host");
  CHECK(o.timings.front().baseline_ns.size() == o.timings.front().candidate_ns.size());
  CHECK(o.correctness.reference_max_abs > 0.0);
  CHECK(o.sandbox_level.find("reference ") != std::string::npos);
  request.candidate = fake_package("iterate_once");
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::wrong_result, told(o));
}

TEST_CASE("a baseline that takes too long or dies is named, and the candidate's verdict stands") {
  if (skip())
    return;
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--python", interpreter(), "--references-on", "host"}};
  REQUIRE(runner.ready());
  const auto beside = [&](const std::string& in_default_mode, uint32_t baselines_ms) {
    const std::string source = "import os, torch\n"
                               "def in_mode(f, mode, **how):\n"
                               "    def call(**arguments):\n"
                               "        "
                               + in_default_mode
                               + "\n"
                                 "    return call if mode == 'default' else f\n"
                                 "torch.compile = in_mode\n"
                                 "def iterate(x, w):\n"
                                 "    k = torch.arange(256)\n"
                                 "    return x * 0.5 ** 256 + (w[k & 7] * 0.5 ** (255.0 - k)).sum()\n";
    const auto reference = pack_framework({"iterate", source});
    auto request = request_for(iterate_task(2'000), reference, fake_package("iterate"), judge_mode::confirm);
    request.task.work_bytes.clear();
    request.task.language = "pytorch";
    request.oracle = reference;
    request.min_interval_pairs = 4;
    request.max_pairs = 0;
    request.long_run_ms = 1;
    request.limit_ms = 120'000;
    request.baselines_ms = baselines_ms;
    INFO(in_default_mode);
    auto o = runner.ask(request);
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    auto all = baselines_of(o.evidence);
    REQUIRE(all.size() == 5);
    CHECK_MESSAGE(all[0].speedup > 0.0, all[0].note);
    return all;
  };
  const auto ended = beside("while True: pass", 15'000);
  CHECK_MESSAGE(ended[2].note.find("call_limit: did not end within") == 0, ended[2].note);
  CHECK(ended[3].note == "no time left");
  // A process of their own times those after one that died.
  const auto died = beside("os._exit(3)", 300'000);
  CHECK_MESSAGE(died[2].note.find("died: its process died") == 0, died[2].note);
  CHECK_MESSAGE(died[3].speedup > 0.0, died[3].note);
}

TEST_CASE("large inputs are drawn on the device, and what is expected is computed there") {
  if (skip())
    return;
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--python", interpreter(), "--references-on", "host"}};
  REQUIRE(runner.ready());
  const auto reference = pack_framework({"iterate", iterate_in_torch});
  const auto task = iterate_task(140'000);
  auto request = request_for(task, reference, fake_package("iterate"), judge_mode::check);
  request.task.work_bytes.clear();
  request.task.language = "pytorch";
  request.oracle = reference;
  request.limit_ms = 200'000;
  auto o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK(o.evidence.at("sets_drawn") != "0");
  CHECK(o.correctness.max_abs > 0.0); // against the oracle, in double
  CHECK(o.correctness.max_abs < 1e-4);
  CHECK(o.correctness.reference_max_abs > 0.0);
  // The sets of the first candidate serve the next one.
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK(o.evidence.at("sets_drawn") == "0");
  // A wrong output is looked at on the host, with the arrays that lie on the device.
  request.candidate = fake_package("iterate_once");
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::wrong_result, told(o));
  CHECK_MESSAGE(o.detail.find("elements are outside the tolerance") != std::string::npos, told(o));
  request.candidate = fake_package("iterate_on_its_input");
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::input_mutated, told(o));
  request.candidate = fake_package("iterate_of_small_values"); // wrong for an edge of large shapes only
  request.task.arguments[0].edge = {"large"};
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::wrong_result, told(o));
  CHECK_MESSAGE(o.evidence["edge"] == "large", told(o));
  request.mode = judge_mode::admit;
  request.reference = request.oracle = pack_framework({"iterate", doubling});
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
}

TEST_CASE("a reference that does not use the device is no baseline") {
  if (skip())
    return;
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--python", interpreter()}};
  REQUIRE(runner.ready());
  const auto o =
      runner.ask(request_for(iterate_task(2'000), pack_framework({"iterate", doubling}), "", judge_mode::admit));
  CHECK(o.trouble.kind == "toolchain_missing");
  CHECK_MESSAGE(o.trouble.detail.find("PyTorch does not see this device") == 0, o.trouble.detail);
}

TEST_CASE("a task with a PyTorch reference is admitted, or refused with the reason") {
  if (skip())
    return;
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--python", interpreter(), "--references-on", "host"}};
  REQUIRE(runner.ready());
  const auto admit = [&](const std::string& source) {
    auto request = request_for(iterate_task(2'000), pack_framework({"iterate", source}), "", judge_mode::admit);
    request.oracle = request.reference;
    request.limit_ms = 120'000;
    return runner.ask(request);
  };
  auto o = admit(doubling);
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  o = admit(iterate_in_torch); // 256 halvings leave nothing of x
  CHECK_MESSAGE(o.result == verdict::wrong_result, told(o));
  o = admit("import torch\ndef iterate(x, w):\n    return x * 0 + torch.rand(1) + w[0]\n");
  CHECK_MESSAGE(o.result != verdict::pass, told(o));
  o = admit("def iterate(x, w):\n    return x.sqrt() + w[0]\n");
  CHECK_MESSAGE(o.rule == "nonfinite_reference", told(o));
  o = admit("def iterate(x, w):\n    return y\n");
  CHECK_MESSAGE(o.rule == "reference.raised", told(o));
  CHECK(o.detail.find("line 2: NameError") != std::string::npos);
}
