// Tests the whole runner and its workers with the fake driver: rules of rejection, faults, and the winner of a
// screening. Needs no GPU.
#include "tests/cpu_judge/judge_driver.hpp"
#include "tests/cpu_judge/tasks.hpp"
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string& reference() {
  static const auto object = compile_c(iterate_reference, {"-O3", "-march=native"});
  return object;
}

// Returns the reference in double.
const std::string& oracle() {
  static const auto object = [] {
    std::string text{iterate_reference};
    for (auto at = text.find("float"); at != std::string::npos; at = text.find("float"))
      text.replace(at, 5, "double");
    return compile_c(text, {"-O3", "-march=native"});
  }();
  return object;
}

judge_request ask_for(const std::string& candidate, judge_mode mode) {
  auto r = request_for(iterate_task(20'000), reference(), candidate, mode);
  r.task.work_bytes.clear();
  r.baseline = fake_package("iterate");
  return r;
}

std::string told(const judge_outcome& o) {
  return to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
}

struct conduct {
  const char* kernel;
  const char* more; // further arguments of the plan
  verdict result;   // none: a fault
  const char* rule; // or the kind of the fault
};

const conduct conducts[]{
    {"iterate", "", verdict::pass, ""},
    {"iterate_does_nothing", "", verdict::nonfinite, "nonfinite"},
    {"iterate_once", "", verdict::wrong_result, "tolerance"},
    {"iterate_past_the_end", "", verdict::out_of_bounds, "guard_band"},
    {"iterate_far_away", "", verdict::out_of_bounds, "guard_band"},
    {"iterate_past_its_scratch", ",'s'", verdict::out_of_bounds, "scratch_guard"},
    {"iterate_wavers", "", verdict::nondeterministic, "rerun"},
    {"iterate_on_its_input", "", verdict::input_mutated, "input_changed"},
    {"iterate_faults", "", verdict::crashed, "illegal_address"},
    {"iterate_hangs", "", verdict::timeout, "call_limit"},
    {"iterate_meets_a_bad_cell", "", verdict::none, "device_sick"},
    {"iterate_dies", "", verdict::none, "worker_killed"},
    {"iterate", ",{null=true}", verdict::load_error, "launch_plan"}, // the kernel takes four
};

} // namespace

TEST_CASE("a kernel's errors become its verdict, other errors a fault") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.hello().kind == "judge");
  CHECK(runner.hello().facts.at("device") == "fake device");
  for (const auto& c : conducts) {
    CAPTURE(c.kernel);
    const auto o = runner.ask(ask_for(fake_package(c.kernel, c.more), judge_mode::check));
    INFO(told(o));
    CHECK(o.result == c.result);
    CHECK((c.result == verdict::none ? o.trouble.kind : o.rule) == c.rule);
  }
  // The runner has survived all these candidates.
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::check)).result == verdict::pass);
}

TEST_CASE("without shared or with little device memory, the verdicts and texts are the same") {
  std::map<std::string, std::string> on_device;
  for (const auto* device : {"0", "small", "without descriptors", "without export", "without import"}) {
    CAPTURE(device);
    const bool shares = std::string{device} == "0" || std::string{device} == "small";
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    for (const auto& c : conducts) {
      if (std::string{c.kernel} == "iterate_hangs")
        continue; // the time limit takes too long for this test
      CAPTURE(c.kernel);
      const auto o = runner.ask(ask_for(fake_package(c.kernel, c.more), judge_mode::check));
      CHECK(o.evidence.at("comparison") == (shares ? "device" : "host"));
      CHECK(o.evidence.count("comparison.why") == (shares ? 0 : 1));
      const auto said = to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind;
      if (std::string{device} == "0")
        on_device[std::string{c.kernel} + c.more] = said;
      else
        CHECK(said == on_device[std::string{c.kernel} + c.more]);
    }
    const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
    CHECK((o.evidence.at("calls.compared_on_host") == "0") == shares);
    CHECK((runner.child("--examiner") != 0) == shares);
    CHECK((runner.hello().facts.at("comparison") == "device") == (shares || std::string{device} == "without import"));
    if (std::string{device} == "without export")
      CHECK(o.evidence.at("comparison.why").find("cuMemExportToShareableHandle") != std::string::npos);
    if (std::string{device} == "without import")
      CHECK(o.evidence.at("comparison.why").find("cuMemImportFromShareableHandle") != std::string::npos);
  }
}

namespace {

class with_management {
public:
  explicit with_management(const char* kind) { setenv("KEVOLVE_FAKE_NVML", kind, 1); }
  with_management(const with_management&) = delete;
  with_management& operator=(const with_management&) = delete;
  ~with_management() { unsetenv("KEVOLVE_FAKE_NVML"); }
};

judge_request probe_of_device() {
  judge_request out;
  out.job = random_id();
  out.mode = judge_mode::probe;
  return out;
}

} // namespace

TEST_CASE("device samples come with the probe, with each job, and while idle" * doctest::test_suite("long")) {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  REQUIRE(runner.ask(probe_of_device()).result == verdict::pass);
  REQUIRE(runner.samples().size() == 1);
  const auto first = runner.samples()[0];
  CHECK(first.time_ns > 0);
  CHECK(first.clocks_mhz == std::map<std::string, uint32_t>{{"memory", 2'600}, {"sm", 1'500}});
  CHECK(first.milliwatts == 123'456U);
  CHECK(first.celsius == 41);
  CHECK(first.throttled_by == std::vector<std::string>{"sw_power_cap"});
  CHECK(first.foreign_processes == 0U);
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(request);
  CHECK(o.evidence.at("celsius.after") == "41");
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::check)).result == verdict::pass);
  REQUIRE(runner.samples().size() == 3);
  CHECK(runner.samples()[2].time_ns > runner.samples()[1].time_ns);
  CHECK(runner.await_sample().time_ns > runner.samples()[2].time_ns);
}

TEST_CASE("a faulty device is sampled, too") {
  const with_fake_driver fake{"sick"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.ask(probe_of_device()).trouble.kind == "device_sick");
  REQUIRE(runner.samples().size() == 1);
  CHECK(runner.samples()[0].celsius == 41);
}

TEST_CASE("values that the management library does not report are unknown, not zero") {
  const with_management silent{"silent"};
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(request);
  CHECK_MESSAGE(o.decision == comparison_decision::faster, told(o));
  for (const auto* key : {"sm_mhz.after", "milliwatts.after", "celsius.after", "processes.after"})
    CHECK(o.evidence.count(key) == 0);
  REQUIRE(runner.samples().size() == 1);
  const auto& s = runner.samples()[0];
  CHECK(s.time_ns > 0);
  CHECK(s.clocks_mhz.empty());
  CHECK_FALSE(s.milliwatts);
  CHECK_FALSE(s.celsius);
  CHECK_FALSE(s.throttled_by);
  CHECK_FALSE(s.foreign_processes);
}

TEST_CASE("other users of the device are counted, whatever their number, and a disturbed screening decides nothing") {
  const with_management crowded{"crowded"};
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(request);
  CHECK_MESSAGE(o.decision == comparison_decision::undecided, told(o));
  CHECK(o.evidence.at("disturbed") == "other processes use the device");
  REQUIRE(runner.samples().size() == 1);
  CHECK(runner.samples()[0].foreign_processes > 50U);
}

TEST_CASE("a device that sees changes which the host does not see is faulty") {
  const with_fake_driver fake{"miscounting"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
  CHECK_MESSAGE(o.trouble.kind == "device_sick", told(o));
  CHECK(o.result == verdict::none);
}

TEST_CASE("late writes of a lost worker's kernels affect no later candidate") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.ask(ask_for(fake_package("iterate_haunts"), judge_mode::check)).trouble.kind == "worker_killed");
  const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
}

TEST_CASE("traces of uploads in the host's memory are not reported as out of bounds") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto feedback_evaluations = [&](int n, const char* kernel) {
    auto r = request_for(iterate_task(n), reference(), fake_package(kernel), judge_mode::check);
    r.task.work_bytes.clear();
    const auto o = runner.ask(r);
    return o.result == verdict::pass ? "pass" : o.rule + " " + o.detail;
  };
  CHECK(feedback_evaluations(2'000, "iterate_once").find("tolerance") == 0);
  CHECK(feedback_evaluations(40'000, "iterate") == "pass"); // uploaded after the other layout, and not checked
  CHECK(feedback_evaluations(2'000, "iterate_once").find("tolerance") == 0);
}

TEST_CASE("the report is the same whether host or device compares") {
  std::vector<judge_outcome> reports;
  for (const auto* device : {"0", "without descriptors"}) {
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    auto request = ask_for(fake_package("iterate"), judge_mode::check);
    request.seed = 5; // the same data
    request.oracle = oracle();
    reports.push_back(runner.ask(request));
    CHECK_MESSAGE(reports.back().result == verdict::pass, told(reports.back()));
  }
  CHECK(reports[0].correctness.max_abs == reports[1].correctness.max_abs);
  CHECK(reports[0].correctness.max_rel == doctest::Approx(reports[1].correctness.max_rel).epsilon(1e-12));
  CHECK(reports[0].correctness.max_ulp == reports[1].correctness.max_ulp);
  CHECK(reports[0].correctness.bit_equal == reports[1].correctness.bit_equal);
  CHECK(reports[0].correctness.cases == reports[1].correctness.cases);
  CHECK(reports[0].correctness.max_abs > 0.0);
}

TEST_CASE("sets on the device serve all candidates of a task, as far as memory allows") {
  for (const auto* device : {"0", "small"}) {
    CAPTURE(device);
    const bool small = std::string{device} == "small";
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK(o.evidence.at("sets_uploaded") != "0");
    o = runner.ask(ask_for(fake_package("iterate_slowly"), judge_mode::check));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK((o.evidence.at("sets_uploaded") == "0") == !small);
    CHECK(o.evidence.count("ms.beyond") == 1); // of any sign: the fake device's clock is not ours
  }
}

TEST_CASE("an examiner that dies is a fault or is replaced, never a verdict") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto ask = [&] { return runner.ask(ask_for(fake_package("iterate"), judge_mode::check)); };
  REQUIRE(ask().result == verdict::pass);
  const auto first = runner.child("--examiner");
  REQUIRE(first != 0);
  // Killed between requests, the process is replaced.
  REQUIRE(kill(first, SIGKILL) == 0);
  for (std::string state; state.find(") Z ") == std::string::npos; std::this_thread::yield()) {
    std::ifstream file{"/proc/" + std::to_string(first) + "/stat"};
    std::getline(file, state);
  }
  auto o = ask();
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK(o.evidence.at("sets_uploaded") != "0");
  const auto second = runner.child("--examiner");
  CHECK(second != 0);
  CHECK(second != first);
  // Killed within a request, the process does not count against the candidate.
  std::atomic<bool> over{false};
  std::thread killer{[&] {
    for (pid_t last = 0; !over; std::this_thread::sleep_for(std::chrono::milliseconds{5}))
      if (const auto pid = runner.child("--examiner"); pid != 0 && pid != last) {
        std::this_thread::sleep_for(std::chrono::milliseconds{30});
        kill(last = pid, SIGKILL);
      }
  }};
  int faults = 0;
  for (int i = 0; i < 10; ++i) {
    auto request = ask_for(fake_package("iterate"), judge_mode::screening);
    request.screening_ms = 300;
    o = runner.ask(request);
    CHECK_MESSAGE((o.result == verdict::pass || (o.result == verdict::none && o.trouble.kind == "worker_killed")),
                  told(o));
    faults += o.result == verdict::none ? 1 : 0;
  }
  over = true;
  killer.join();
  CHECK(faults > 0);
  CHECK(ask().result == verdict::pass);
}

TEST_CASE("work that a concurrent context creation disturbs is timed when none is created") {
  const with_fake_driver fake{"crowded"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate_slowly"), judge_mode::screening);
  request.baseline = request.candidate;
  const auto o = runner.ask(request);
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
  const auto faster = runner.ask(request);
  CHECK_MESSAGE(faster.decision == comparison_decision::faster, told(faster));
  CHECK(faster.speedup == doctest::Approx(2.0).epsilon(0.01));
  REQUIRE_MESSAGE(faster.evidence.count("bound") == 1, told(faster));
  CHECK(faster.evidence.at("bound.why").find("blocks a multiprocessor") != std::string::npos);
  const auto slower = runner.ask(ask_for(fake_package("iterate_slowly"), judge_mode::screening));
  CHECK_MESSAGE(slower.decision == comparison_decision::screened, told(slower));
  CHECK(slower.speedup > 0.0);
  CHECK(slower.ci_high == 0.0); // an estimate has no interval
  CHECK(slower.evidence.at("machine").starts_with("fake device, driver "));
  auto again = ask_for(fake_package("iterate"), judge_mode::screening);
  again.screening_ms = 60'000;
  const auto same = runner.ask(again);
  CHECK_MESSAGE(same.decision == comparison_decision::undecided, told(same));
  CHECK(same.evidence.at("pairs") == "60");
  auto confirmed = ask_for(fake_package("iterate"), judge_mode::confirm);
  confirmed.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(confirmed);
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
    const auto o = runner.ask(request);
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
    const auto o = runner.ask(request);
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
  CHECK(runner.ask(request).evidence.at("launches.rival") == "1");
  request.mode = judge_mode::confirm;
  CHECK(runner.ask(request).evidence.at("launches.rival") == "1");
  // The next request has another task, so no earlier result applies.
  request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.task = iterate_task(10'000);
  request.task.work_bytes.clear();
  CHECK(runner.ask(request).evidence.at("launches.rival") == "1");
}

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
  return runner.ask(request);
}

} // namespace

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

TEST_CASE("a champion that fails as baseline is reported, and its challenger is not blamed") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const std::set<std::string> at_once{"iterate_does_nothing", "iterate_past_the_end",     "iterate_far_away",
                                      "iterate_on_its_input", "iterate_past_its_scratch", "iterate_faults"};
  for (const auto& c : conducts) {
    if (at_once.count(c.kernel) == 0)
      continue;
    CAPTURE(c.kernel);
    auto request = ask_for(fake_package("iterate"), judge_mode::screening);
    request.baseline = fake_package(c.kernel, c.more);
    const auto o = runner.ask(request);
    INFO(told(o));
    CHECK(o.trouble.kind == baseline_failed);
    CHECK(o.result == c.result);
    CHECK(o.rule == c.rule);
  }
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::screening)).result == verdict::pass);
}

TEST_CASE("edge cases are checked on every shape before a candidate is called faster" * doctest::test_suite("long")) {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto mode : {judge_mode::check, judge_mode::screening, judge_mode::confirm}) {
    const auto asked = [&](const char* kernel) {
      auto request = ask_for(fake_package(kernel), mode);
      auto larger = request.task.shapes.front();
      larger.name = "n=40000";
      larger.sizes["n"] = 40'000;
      request.task.shapes.push_back(larger);
      request.task.arguments[0].edge = {"large"};
      request.baseline = fake_package("iterate_slowly");
      auto o = runner.ask(request);
      while (o.rule == "time_witness") // a busy machine delays the fake device, which is a thread of it
        o = runner.ask(request);
      return o;
    };
    const auto wrong = asked("iterate_of_small_values");
    CHECK_MESSAGE(wrong.result == verdict::wrong_result, told(wrong));
    CHECK_MESSAGE(wrong.detail.find("large") != std::string::npos, told(wrong));
    const auto right = asked("iterate");
    CHECK_MESSAGE(right.result == verdict::pass, told(right));
  }
}

TEST_CASE("a faulty device blames no candidate") {
  const with_fake_driver fake{"sick"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  judge_request probe;
  probe.job = random_id();
  probe.mode = judge_mode::probe;
  CHECK(runner.ask(probe).trouble.kind == "device_sick");
  const auto o = runner.ask(ask_for(fake_package("iterate_faults"), judge_mode::check));
  CHECK_MESSAGE(o.trouble.kind == "device_sick", told(o));
  CHECK(o.result == verdict::none);
}
