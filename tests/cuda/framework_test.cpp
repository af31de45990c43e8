// Tests the process of a reference in PyTorch. Needs a python3 with torch (KEVOLVE_PYTHON names another); reports if
// there is none.
#include "backends/framework/framework_client.hpp"
#include "backends/judge/shared_arena.hpp"
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/framework_programs.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

using namespace kevolve;
using namespace kevolve::cuda;
using namespace kevolve::testing;

namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

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
