// Tests the timing of screenings and confirmations with the fake driver: winners, ties, profiles. Needs no GPU.
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

// A fake Nsight Compute, since the fake device has no counters. It runs the program after the options and writes a
// table with that many kernels.
class fake_profiler {
public:
  explicit fake_profiler(int kernels) {
    REQUIRE(mkdtemp(folder_.data()) != nullptr);
    std::ofstream out{path()};
    out << "#!/bin/bash\nwhile [[ $1 == --* ]]; do\n  case $1 in\n    --csv) shift ;;\n    --log-file) log=$2; shift 2 "
           ";;\n"
           "    *) shift 2 ;;\n  esac\ndone\n\"$@\" || exit\n{\n"
           "  echo '\"ID\",\"Kernel Name\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\"'\n  echo "
           "'\"\",\"\",\"%\"'\n"
           "  for ((i = 0; i < "
        << kernels << "; ++i)); do echo '\"0\",\"iterate\",\"42.5\"'; done\n} >\"$log\"\n";
    out.close();
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  fake_profiler(const fake_profiler&) = delete;
  fake_profiler& operator=(const fake_profiler&) = delete;
  ~fake_profiler() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/ncu"; }

private:
  std::string folder_ = "/tmp/kevolve-fake-ncu-XXXXXX";
};

judge_outcome profiled_by(const std::string& profiler) {
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--profiler", profiler}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::confirm);
  request.baseline = fake_package("iterate_slowly");
  request.min_interval_pairs = 12;
  return runner.ask_timed(request);
}

} // namespace

TEST_CASE("work that a concurrent context creation disturbs is timed when none is created") {
  const with_fake_driver fake{"crowded"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate_slowly"), judge_mode::screening);
  request.baseline = request.candidate;
  const auto o = runner.ask_timed(request);
  REQUIRE_MESSAGE(!o.timings.empty(), told(o));
  for (const auto& shape : o.timings) {
    REQUIRE(!shape.candidate_ns.empty());
    for (const auto ns : shape.candidate_ns)
      CHECK(ns == doctest::Approx(2e6).epsilon(0.01));
    for (const auto ns : shape.baseline_ns)
      CHECK(ns == doctest::Approx(2e6).epsilon(0.01));
  }
}

TEST_CASE("a screening finds the faster kernel, and none if both are equal") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  request.task.work_bytes = "4"; // gives a roof to compare with
  const auto faster = runner.ask_timed(request);
  CHECK_MESSAGE(faster.decision == comparison_decision::faster, told(faster));
  CHECK(faster.speedup == doctest::Approx(2.0).epsilon(0.01));
  REQUIRE_MESSAGE(faster.evidence.count("bound") == 1, told(faster));
  CHECK(faster.evidence.at("bound.why").find("blocks a multiprocessor") != std::string::npos);
  const auto slower = runner.ask_timed(ask_for(fake_package("iterate_slowly"), judge_mode::screening));
  CHECK_MESSAGE(slower.decision == comparison_decision::screened, told(slower));
  CHECK(slower.speedup > 0.0);
  CHECK(slower.ci_high == 0.0); // an estimate has no interval
  CHECK(slower.evidence.at("machine").starts_with("fake device, driver "));
  auto again = ask_for(fake_package("iterate"), judge_mode::screening);
  again.screening_ms = 60'000;
  const auto same = runner.ask_timed(again);
  CHECK_MESSAGE(same.decision == comparison_decision::undecided, told(same));
  CHECK(same.evidence.at("pairs") == "60");
  auto confirmed = ask_for(fake_package("iterate"), judge_mode::confirm);
  confirmed.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask_timed(confirmed);
  CHECK_MESSAGE(o.decision == comparison_decision::faster, told(o));
  CHECK(o.timings.size() == 2); // includes the held-out shape
}

TEST_CASE("a kernel fast by most calls and slow in total is not faster") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto mode : {judge_mode::screening, judge_mode::confirm}) {
    auto request = ask_for(fake_package("iterate_now_and_then"), mode);
    request.screening_ms = 60'000;
    request.min_interval_pairs = 12;
    const auto o = runner.ask_timed(request);
    CAPTURE(told(o));
    CHECK(o.result == verdict::pass);
    CHECK(o.decision == comparison_decision::undecided);
    REQUIRE(o.evidence.count("heavy_tail") == 1);
    CHECK(o.evidence.count("discarded.1") == 1);
    CHECK(o.speedup < 0.95);
    CHECK(o.estimate);
  }
}

TEST_CASE("a baseline's worker serves screenings while it has unused sets, and no confirmation"
          * doctest::test_suite("long")) {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  std::vector<int> started;
  size_t met = 0; // results returned by the caching baseline
  for (int i = 0; i < 12; ++i) {
    const auto o = runner.ask_timed(request);
    REQUIRE_MESSAGE(o.decision == comparison_decision::faster, told(o));
    CHECK(o.evidence.at("launches") == "1"); // counters do not carry over from other candidates
    started.push_back(std::stoi(o.evidence.at("launches.rival")));
    met = (started.back() == 0 ? met : 0) + std::stoul(o.evidence.at("pairs")) + 1;
    CHECK(met <= 64); // the number of input sets
  }
  CHECK(started[0] == 1);
  CHECK(started[1] == 0);
  CHECK(std::count(started.begin() + 1, started.end(), 1) > 0);
  request.baseline = fake_package("iterate");
  CHECK(runner.ask_timed(request).evidence.at("launches.rival") == "1");
  request.mode = judge_mode::confirm;
  CHECK(runner.ask_timed(request).evidence.at("launches.rival") == "1");
  // The next request has another task, so no earlier result applies.
  request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.task = iterate_task(10'000);
  request.task.work_bytes.clear();
  CHECK(runner.ask_timed(request).evidence.at("launches.rival") == "1");
}

TEST_CASE("a faster candidate is profiled and reported with its bottleneck; profilers change no verdict") {
  const with_fake_driver fake;
  {
    const fake_profiler one{1};
    const auto o = profiled_by(one.path());
    CHECK_MESSAGE(o.decision == comparison_decision::faster, told(o));
    REQUIRE_MESSAGE(o.evidence.count("profile.n=20000") == 1, o.evidence.at("profile"));
    CHECK(o.evidence.at("profile.n=20000") == R"([{"dram_percent":42.5,"kernel":"iterate"}])");
    CHECK(o.evidence.at("profile").find("42.5 % of the device memory's") != std::string::npos);
  }
  const fake_profiler three{3};
  const std::string missing = "/nonexistent/ncu";
  const std::string failing = "/bin/false";
  for (const auto& path : {three.path(), missing, failing}) {
    CAPTURE(path);
    const auto o = profiled_by(path);
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK(o.decision == comparison_decision::faster);
    CHECK(o.evidence.at("profile").starts_with("not measured: "));
  }
}

TEST_CASE("a kernel that claims a tenth of its real time is detected by the runner's clock") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto o = runner.ask(ask_for(fake_package("iterate_and_lies"), judge_mode::screening));
  CHECK_MESSAGE(o.result == verdict::cheating, told(o));
  CHECK(o.rule == "time_witness");
}
