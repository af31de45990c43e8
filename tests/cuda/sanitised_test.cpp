// Tests long runs and the sanitised replay of the runner with the fake driver. The sanitizer is a script that runs the
// replay and writes a given log: what is tested is everything around the tool.
#include "backends/nvidia/replay_result.hpp"
#include "backends/nvidia/runner/replay.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string& reference() {
  static const auto object = compile_c(iterate_reference, {"-O3", "-march=native"});
  return object;
}

judge_request confirmation_of(const std::string& candidate) {
  auto r = request_for(iterate_task(20'000), reference(), candidate, judge_mode::confirm);
  r.task.work_bytes.clear();
  r.task.arguments[0].edge = {"zeros"};
  r.baseline = fake_package("iterate_slowly");
  r.min_interval_pairs = 12; // those of a promotion: the figures for people take several sessions, and say no more here
  return r;
}

std::string told(const judge_outcome& o) {
  auto out = to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
  for (const auto& [key, value] : o.evidence)
    out += "\n  " + key + " = " + value;
  return out;
}

// A folder with a script that serves as compute-sanitizer. It keeps the replay's progress and the log's name.
class fake_sanitizer {
public:
  // `log` is what memcheck writes; the other tools find nothing.
  fake_sanitizer(const std::string& log, int status) {
    REQUIRE(mkdtemp(folder_.data()) != nullptr);
    std::ofstream{folder_ + "/log"} << log;
    std::ofstream out{path()};
    out << "#!/bin/bash\nwhile [[ $1 == --* ]]; do\n  case $1 in\n    --tool) tool=$2 ;;\n    --log-file) log=$2 ;;\n"
           "  esac\n  shift 2\ndone\n\"$@\" || exit\ncp \"$3.progress\" "
        << folder_ << "/$tool.progress\nif [[ $tool == memcheck ]]; then\n  cp " << folder_ << "/log \"$log\"\n  exit "
        << status << "\nfi\necho '========= ERROR SUMMARY: 0 errors' >\"$log\"\n";
    out.close();
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  fake_sanitizer(const fake_sanitizer&) = delete;
  fake_sanitizer& operator=(const fake_sanitizer&) = delete;
  ~fake_sanitizer() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/compute-sanitizer"; }
  std::string progress(const std::string& tool) const { return read_text(folder_ + "/" + tool + ".progress"); }

private:
  std::string folder_ = "/tmp/kevolve-fake-sanitizer-XXXXXX";
};

judge_outcome sanitised_by(const std::string& sanitizer, judge_request request) {
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--sanitizer", sanitizer}};
  REQUIRE(runner.ready());
  request.limit_ms = 900'000; // ends what hangs; the replay gets what a busy machine leaves of it
  return runner.ask_timed(request);
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++out;
  return out;
}

constexpr size_t calls = 4 + 64; // the last of adversarial draws
constexpr const char* clean = "========= ERROR SUMMARY: 0 errors\n";

} // namespace

TEST_CASE("a candidate that is called faster is replayed under each tool, with an allocation for each argument") {
  const with_fake_driver fake;
  const fake_sanitizer tool{clean, 0};
  const auto passed = sanitised_by(tool.path(), confirmation_of(fake_package("iterate")));
  CHECK_MESSAGE(passed.evidence.at("sanitised") == "memcheck, racecheck, initcheck: 68 calls", told(passed));
  CHECK(passed.result == verdict::pass);
  for (const auto* name : {"memcheck", "racecheck", "initcheck"}) {
    const auto progress = tool.progress(name);
    CAPTURE(progress);
    // There are two sets of the declared shape, one of its edge values, one of the held-out shape, and adversarial
    // draws. One of these with mixed sizes keeps the declared one.
    CHECK(count_of(progress, "done\n") == calls);
    CHECK(count_of(progress, " 80000 x\n") == 4);
    CHECK(count_of(progress, " 32 w\n") == calls);
    CHECK(count_of(progress, " 80000 y\n") == 4);
    CHECK(count_of(progress, " 400012 y\n") == 1);
    CHECK(progress.ends_with("end\n"));
  }
}

TEST_CASE("a finding of the sanitizer refuses the candidate by its rule") {
  const with_fake_driver fake;
  const fake_sanitizer tool{"========= Invalid __global__ read of size 4 bytes\n=========     at iterate+0x70\n"
                            "========= ERROR SUMMARY: 1 error\n",
                            sanitizer_found_status};
  const auto o = sanitised_by(tool.path(), confirmation_of(fake_package("iterate")));
  CHECK_MESSAGE(o.result == verdict::out_of_bounds, told(o));
  CHECK(o.rule == "sanitizer");
  CHECK(o.detail == "memcheck: Invalid __global__ read of size 4 bytes in kernel 'iterate'");
  CHECK(o.evidence.at("kernel") == "iterate");
  CHECK(o.evidence.at("sanitised") == "racecheck, initcheck: 68 calls");
}

TEST_CASE("a missing or failing sanitizer leaves the verdict, and the result says why it is unsanitised") {
  const with_fake_driver fake;
  const fake_sanitizer refusing{"========= Error: Device not supported.\n", 255};
  struct expectation {
    std::string path;
    const char* says;
  };
  for (const auto& e : {expectation{"/nonexistent/tool", "/nonexistent/tool does not start"},
                        expectation{"/bin/false", "it ended with status 1 before the first call"},
                        expectation{refusing.path(), "memcheck: Error: Device not supported."}}) {
    const auto o = sanitised_by(e.path, confirmation_of(fake_package("iterate")));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK(o.decision == comparison_decision::faster);
    CHECK_MESSAGE(o.evidence.at("unsanitised").starts_with(e.says), o.evidence.at("unsanitised"));
  }
  runner_driver without{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(without.ready());
  const auto o = without.ask(confirmation_of(fake_package("iterate")));
  CHECK(o.evidence.at("unsanitised") == "there is no compute-sanitizer");
}

TEST_CASE("a candidate that is no faster is replayed only before it is handed out") {
  const with_fake_driver fake;
  const fake_sanitizer tool{clean, 0};
  auto request = confirmation_of(fake_package("iterate_slowly"));
  request.baseline = fake_package("iterate");
  request.min_interval_pairs = 4;
  request.max_pairs = 4;
  CHECK(sanitised_by(tool.path(), request).evidence.count("sanitised") == 0);
  request.long_run_ms = 1'000;
  CHECK(sanitised_by(tool.path(), request).evidence.at("sanitised") == "memcheck, racecheck, initcheck: 68 calls");
}

namespace {

// An order's file, and what became of it.
class replay_folder {
public:
  explicit replay_folder(const std::string& order) {
    REQUIRE(mkdtemp(folder_.data()) != nullptr);
    std::ofstream{folder_ + "/order", std::ios::binary} << order;
  }
  replay_folder(const replay_folder&) = delete;
  replay_folder& operator=(const replay_folder&) = delete;
  ~replay_folder() { std::filesystem::remove_all(folder_); }
  // Returns true if the replay's program ended well.
  bool run() const {
    const auto* bin = std::getenv("KEVOLVE_BIN");
    REQUIRE_MESSAGE(bin != nullptr, "run through ctest");
    const auto program = std::string{bin} + "/kevolve-runner-cuda";
    return std::system((program + " --replay " + folder_ + "/order 2>/dev/null").c_str()) == 0;
  }
  std::string progress() const { return read_text(folder_ + "/order" + cuda::replay_progress_suffix); }

private:
  std::string folder_ = "/tmp/kevolve-replay-test-XXXXXX";
};

// Returns an order of one call of a kernel of the fake driver.
cuda_wire::replay order_for(const std::string& kernel) {
  constexpr uint64_t n = 4'000;
  cuda_wire::replay out;
  out.limit_ms = 60'000;
  out.modules = {"code"};
  out.kernels = {kernel};
  auto& call = out.calls.emplace_back();
  call.arguments = {{"x", 4 * n, std::string(4 * n, '\0')}, {"w", 32, std::string(32, '\0')}, {"y", 4 * n, {}}};
  resolved_launch launch;
  launch.kernel = kernel;
  for (const auto* name : {"x", "w", "y"})
    launch.parameters.push_back({parameter_kind::buffer, name, 0, 8});
  launch.parameters.push_back({parameter_kind::number, "n", n, 8});
  call.plan.launches = {launch};
  return out;
}

} // namespace

TEST_CASE("in a replay nothing that a kernel may touch lies behind any argument") {
  const with_fake_driver fake{"fenced"};
  const replay_folder right{encode(order_for("iterate"))};
  CHECK(right.run());
  CHECK(right.progress().ends_with("done\nend\n"));
  const replay_folder wrong{encode(order_for("iterate_past_the_end"))};
  CHECK_FALSE(wrong.run());
  CHECK(count_of(wrong.progress(), "done\n") == 0);
}

TEST_CASE("a replay tells an error of the driver") {
  const with_fake_driver fake;
  const replay_folder faulty{encode(order_for("iterate_faults"))};
  CHECK(faulty.run());
  CHECK(faulty.progress().ends_with("failed call: run: CUDA_ERROR_ILLEGAL_ADDRESS\n"));
}

TEST_CASE("a replay makes no call after its time limit") {
  const with_fake_driver fake;
  auto order = order_for("iterate");
  order.limit_ms = 0;
  const replay_folder late{encode(order)};
  CHECK(late.run());
  CHECK(late.progress() == "ready\nstopped\n");
  CHECK_FALSE(replay_folder{"no order"}.run());
}
