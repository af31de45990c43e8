// Tests the baselines of PyTorch beside a device candidate, with the fake driver. Needs a python3 with
// torch (KEVOLVE_PYTHON names another); reports if there is none.
#include "runtime/base/baseline_figure.hpp"
#include "tests/cuda/framework_programs.hpp"
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::cuda;
using namespace kevolve::testing;

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
                               + iterate_at_once;
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
