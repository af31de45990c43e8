// Tests the runner that judges device candidates against references in PyTorch, with the fake driver. Needs a python3
// with torch (KEVOLVE_PYTHON names another); reports if there is none.
#include "tests/cuda/framework_programs.hpp"
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::cuda;
using namespace kevolve::testing;

namespace {

// Returns the runner that the cases share whose references work on the host: each start imports PyTorch.
runner_driver& shared_runner() {
  static runner_driver out = [] {
    const with_fake_driver fake;
    return runner_driver{{"--allow-weak-sandbox", "landlock", "--python", interpreter(), "--references-on", "host"}};
  }();
  REQUIRE(out.ready());
  return out;
}

} // namespace

TEST_CASE("a device candidate is judged by a PyTorch reference and compared with it") {
  if (skip())
    return;
  auto& runner = shared_runner();
  // Much slower than the fake driver's device, however fast this machine is.
  std::string slow{iterate_at_once};
  slow.insert(slow.find("    k = "), "    import time\n    time.sleep(0.005)\n");
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

TEST_CASE("large inputs are drawn on the device, and what is expected is computed there") {
  if (skip())
    return;
  auto& runner = shared_runner();
  const auto reference = pack_framework({"iterate", iterate_at_once});
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
  CHECK(std::atof(o.evidence["eager_ns." + request.task.shapes[0].name].c_str()) > 0.0); // for prompts
  // The device finds that the reference in its own precision misses large values, and the host says where. Only the
  // last of the ten variants has a median of about 170. Edges are tried on the smallest shape: here one that is drawn
  // there.
  request.task.shapes.resize(1);
  request.reference = request.oracle =
      pack_framework({"iterate", "import torch\n"
                                 "def iterate(x, w):\n"
                                 "    y = x * 2 + w[0]\n"
                                 "    m = x.abs().median()\n"
                                 "    wrong = x.dtype != torch.float64 and m > 120 and m < 230\n"
                                 "    return y * 1.5 if wrong else y\n"});
  o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::wrong_result, told(o));
  CHECK_MESSAGE(o.rule == "tolerance_of_reference", told(o));
  CHECK_MESSAGE(o.detail.find("its edge 'large'") != std::string::npos, told(o));
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
  auto& runner = shared_runner();
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
