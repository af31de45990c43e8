// Tests honest kernels: their reports and the decision about the faster one.
#include "runtime/base/control_group.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

using namespace kevolve;

namespace {

const std::string& reference() {
  static const auto out = compile_c(read_file(fixture("reference.c")), {"-O1"});
  return out;
}
const std::string& slow() {
  static const auto out = compile_c(read_file(fixture("slow_reference.c")), {"-O1"});
  return out;
}

std::string describe(const judge_outcome& o) {
  auto disturbed = o.evidence.find("disturbed");
  return fmt::format("{} ({}) {}; fault {} {}; {}; speedup {} [{}, {}], pairs {}", to_string(o.result), o.rule,
                     o.detail, o.trouble.kind, o.trouble.detail,
                     disturbed == o.evidence.end() ? "calm" : disturbed->second, o.speedup, o.ci_low, o.ci_high,
                     o.timings.empty() ? 0 : o.timings[0].baseline_ns.size());
}

// Returns the last child of a process, from the kernel's list.
pid_t child_of(pid_t parent) {
  std::ifstream in{fmt::format("/proc/{}/task/{}/children", parent, parent)};
  pid_t out = 0;
  in >> out;
  return out;
}

// Returns the descendant of `top` that has used at least that many clock ticks of processor time; 0 if none has.
pid_t busy_below(pid_t top, long ticks) {
  std::ifstream in{fmt::format("/proc/{}/task/{}/children", top, top)};
  for (pid_t child = 0; in >> child;) {
    std::ifstream about{fmt::format("/proc/{}/stat", child)};
    std::string line;
    std::getline(about, line);
    std::istringstream fields{line.substr(std::min(line.size(), line.rfind(')') + 1))};
    std::string skipped;
    for (int i = 3; i < 14; ++i)
      fields >> skipped;
    long used = 0;
    if (fields >> used && used >= ticks)
      return child;
    if (auto below = busy_below(child, ticks); below != 0)
      return below;
  }
  return 0;
}

} // namespace

TEST_CASE("sets with large values outside the operator's domain are skipped and counted") {
  const auto source = compile_c("#include <math.h>\n#include <stdint.h>\n"
                                "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                "  for (int64_t i = 0; i < n; ++i)\n"
                                "    y[i] = x[i] * w[i % 8];\n"
                                "  if (fabsf(x[0]) > 10 && fabsf(x[0]) < 3000) y[0] = INFINITY;\n}\n");
  judge_driver judge;
  auto request = request_for(poly_task(), source, source, judge_mode::check);
  request.seed = 3;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  REQUIRE(o.evidence.count("edge.large") == 1);
  CHECK(o.evidence.at("edge.large").find(" of 10 sets left out on 'n=1001': values larger than are drawn")
        != std::string::npos);
}

TEST_CASE("an honest kernel passes, with its errors and its times") {
  judge_driver judge;
  auto o = judge.ask(request_for(poly_task(), reference(), compile_c(read_file(fixture("reference.c")), {"-O3"})));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(!o.trouble);
  CHECK(o.correctness.cases > 8);
  CHECK(o.correctness.seeds > 3);
  CHECK(o.correctness.max_abs < 1e-5);
  REQUIRE(o.timings.size() == 1);
  CHECK(o.timings[0].shape == "n=60000");
  CHECK(o.timings[0].baseline_ns.size() == o.timings[0].candidate_ns.size());
  CHECK(o.timings[0].baseline_ns.size() >= 3);
  CHECK(o.sandbox_level.find("seccomp") != std::string::npos);
}

TEST_CASE("a kernel twice as fast is faster, its mirror image is slower") {
  judge_driver judge;
  auto faster = judge.ask(request_for(poly_task(), slow(), reference()));
  INFO(describe(faster));
  CHECK(faster.result == verdict::pass);
  CHECK(faster.decision == comparison_decision::faster);
  CHECK(faster.speedup > 1.2);
  CHECK(faster.ci_low > 1.0);
  CHECK(faster.timings.at(0).log_e_faster >= std::log(2.0 / 0.05));

  auto request = request_for(poly_task(), reference(), slow());
  request.screen_out = 100.0;
  auto slower = judge.ask(request);
  INFO(describe(slower));
  CHECK(slower.result == verdict::pass);
  CHECK(slower.decision == comparison_decision::slower);
  CHECK(slower.speedup < 1.0);

  request.screen_out = 1.2;
  auto screened = judge.ask(request);
  CHECK(screened.decision == comparison_decision::screened);
  CHECK(screened.estimate);
  CHECK(screened.timings.at(0).baseline_ns.size() <= 5);
}

TEST_CASE("a kernel screened against itself is not faster, and comes first as often as second") {
  judge_driver judge;
  int faster = 0;
  std::map<std::string, std::pair<unsigned long, unsigned long>> drawn; // for each placement: occurrences and total
  for (int i = 0; i < 12; ++i) {
    auto o = judge.ask(request_for(poly_task(), reference(), reference()));
    INFO(describe(o));
    CHECK(o.result == verdict::pass);
    CHECK(o.correctness.bit_equal);
    faster += o.decision == comparison_decision::faster ? 1 : 0;
    for (const auto* what : {"called_first", "launched_first", "in_second_slot"}) {
      const auto& share = o.evidence.at(what);
      drawn[what].first += std::stoul(share);
      drawn[what].second += std::stoul(share.substr(share.rfind(' ')));
    }
  }
  // The level is 1 %: three of twelve would occur once in 5,000 runs.
  CHECK(faster <= 2);
  for (const auto& [what, share] : drawn) {
    CAPTURE(what);
    CAPTURE(share.first);
    CHECK(share.second >= 12);              // at least one pair of processes in each screening
    CHECK(share.first >= share.second / 8); // a fair coin fails this once in 100,000 series of 23
    CHECK(share.first <= share.second - share.second / 8);
  }
}

TEST_CASE("a session that stays disturbed is repeated, and then decides nothing") {
  judge_driver judge{{"--drift-limit", "0"}}; // no two probes agree exactly
  for (auto mode : {judge_mode::screening, judge_mode::confirm}) {
    auto request = request_for(poly_task(), reference(), reference(), mode);
    request.min_interval_pairs = 4;
    auto o = judge.ask(request);
    // A disturbance of one of the two processes all session may show as a certain difference.
    for (int i = 0; i < 4 && o.decision != comparison_decision::undecided; ++i)
      o = judge.ask(request);
    INFO(describe(o));
    CHECK(o.result == verdict::pass); // noise affects no verdict
    CHECK(o.decision == comparison_decision::undecided);
    CHECK(o.estimate);
    CHECK(o.evidence["repeated_sessions"] == "2");
    CHECK(o.evidence["disturbed"].find("drifted") != std::string::npos);
    const auto& lost = o.evidence["discarded.1.samples." + o.timings.at(0).shape];
    CHECK(std::count(lost.begin(), lost.end(), '/') >= 1);
    CHECK(o.evidence["pairs"] == std::to_string(o.timings.at(0).baseline_ns.size())); // of the last session only
  }
  const auto confirmed = [&](uint32_t pairs) {
    auto request = request_for(poly_task(), slow(), reference(), judge_mode::confirm);
    request.min_interval_pairs = pairs;
    request.max_pairs = 40;
    return judge.ask(request);
  };
  auto stands = confirmed(4);
  // A stolen tick may be longer than a session.
  for (int i = 0; i < 4 && stands.evidence["repeated_sessions"] != "0"; ++i)
    stands = confirmed(4);
  INFO(describe(stands));
  CHECK(stands.decision == comparison_decision::faster);
  CHECK(stands.estimate); // the decision is certain, but the speed-up is an estimate
  CHECK(stands.evidence.contains("weathered"));
  CHECK_FALSE(stands.evidence.contains("disturbed"));
  CHECK(stands.evidence["repeated_sessions"] == "0");
  auto told = confirmed(30); // the reported figure
  INFO(describe(told));
  CHECK(told.decision == comparison_decision::undecided);
  CHECK(told.estimate);
  CHECK_FALSE(told.evidence.contains("weathered"));
  CHECK(told.evidence.contains("disturbed"));
  CHECK(told.evidence["repeated_sessions"] == "2");
  judge_driver calm{{"--drift-limit", "1000000"}};
  CHECK(calm.ask(request_for(poly_task(), slow(), reference())).evidence.contains("drift"));
}

TEST_CASE("with threads, other processes on the cores disturb a session") {
  judge_driver judge;
  auto task = poly_task();
  task.threads = true;
  auto request = request_for(task, reference(), reference(), judge_mode::confirm);
  const auto others = ::fork();
  if (others == 0)
    for (std::atomic<uint64_t> spins{0};;)
      ++spins;
  const auto o = judge.ask(request);
  ::kill(others, SIGKILL);
  ::waitpid(others, nullptr, 0);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.estimate);
  REQUIRE(o.evidence.contains("disturbed"));
  CHECK(o.evidence.at("disturbed").find("other processes ran for") != std::string::npos);
}

TEST_CASE("values cached from a weight are right only if the task declares it static") {
  judge_driver judge;
  const auto keeps =
      compile_c("#include <stdint.h>\n#include <string.h>\nstatic float kept[8];\nstatic int filled;\n"
                "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                "  if (!filled) { memcpy(kept, w, sizeof kept); filled = 1; }\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + kept[i % 8] * x[i] + 1.0f;\n}\n");
  auto task = poly_task();
  task.arguments[1].role = argument_role::weight;
  const auto anew = judge.ask(request_for(task, reference(), keeps));
  INFO(describe(anew));
  CHECK(anew.result == verdict::wrong_result);
  task.arguments[1].is_static = true;
  const auto same = judge.ask(request_for(task, reference(), keeps, judge_mode::confirm));
  INFO(describe(same));
  CHECK(same.result == verdict::pass);
}

TEST_CASE("a given baseline is compared instead of the reference") {
  judge_driver judge;
  auto request = request_for(poly_task(), slow(), reference());
  request.baseline = reference();
  auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.speedup < 1.2); // several times as fast as the reference; equal kernels may differ by a noisy machine's 3 %
}

TEST_CASE("confirm gives an interval from fresh pairs and times held-out shapes") {
  judge_driver judge;
  const auto deep = compile_c("#include <stdint.h>\n"
                              "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                              "  volatile char scratch[1 << 20];\n  scratch[0] = 1;\n"
                              "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n}\n");
  auto o = judge.ask(request_for(poly_task(), slow(), deep, judge_mode::confirm));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.decision == comparison_decision::faster);
  REQUIRE(o.evidence.contains("stack_kib"));
  CHECK(std::stoi(o.evidence.at("stack_kib")) >= 1024);
  CHECK(std::stoi(o.evidence.at("stack_kib")) < 2048);
  REQUIRE(o.timings.size() == 2);
  for (const auto& t : o.timings) {
    CHECK(t.baseline_ns.size() >= (t.held_out ? 2 : 30));
    CHECK(t.ci_low <= t.speedup);
    CHECK(t.speedup <= t.ci_high);
  }
  CHECK(o.ci_low > 1.0);
  CHECK(o.evidence.count("stopped") == 0);
}

TEST_CASE("a confirmation continues while the evidence favours a gain, until it suffices for its level") {
  judge_driver judge;
  auto request = request_for(poly_task(), slow(), reference(), judge_mode::confirm);
  request.min_interval_pairs = 12; // twelve wins are no evidence at a level of 1e-5
  request.max_pairs = 60;
  request.alpha = 1e-5;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.decision == comparison_decision::faster);
  REQUIRE_FALSE(o.timings.empty());
  CHECK(o.timings[0].baseline_ns.size() > 12);
}

TEST_CASE("with threads each pair has new processes, without they are reused") {
  judge_driver judge;
  auto task = poly_task();
  const auto launches_and_pairs = [&] {
    auto request = request_for(task, slow(), reference(), judge_mode::confirm);
    request.min_interval_pairs = 12;
    const auto o = judge.ask(request);
    INFO(describe(o));
    REQUIRE(o.result == verdict::pass);
    return std::pair{std::stoul(o.evidence.at("launches")), std::stoul(o.evidence.at("pairs"))};
  };
  const auto [kept, kept_pairs] = launches_and_pairs();
  CHECK(kept < 2 * kept_pairs);
  task.threads = true;
  const auto [fresh, fresh_pairs] = launches_and_pairs();
  CHECK(fresh >= 2 * fresh_pairs);
}

TEST_CASE("cold caches evict the arrays before every timed call") {
  judge_driver judge;
  const auto fast = compile_c(R"(#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const float a = w[0];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[16 * i] + a;
})",
                              {"-O3"});
  const auto least_ns = [&](bool cold) {
    auto task = poly_task();
    task.arguments[0].shape = {"16 * n"}; // reads one element of each cache line
    task.shapes = {shape_of("n=40000", {{"n", 40000}})};
    task.timing.cold_cache = cold;
    const auto o = judge.ask(request_for(task, fast, fast, judge_mode::confirm));
    INFO(describe(o));
    REQUIRE(o.result == verdict::pass);
    REQUIRE_FALSE(o.timings.empty());
    const auto& ns = o.timings[0].candidate_ns; // the minimum, since neighbours only add time
    return *std::min_element(ns.begin(), ns.end());
  };
  const auto warm = least_ns(false);
  const auto cold = least_ns(true);
  MESSAGE(fmt::format("warm {:.0f} ns, cold {:.0f} ns", warm, cold));
  CHECK(cold > 1.15 * warm);
}

TEST_CASE("check judges correctness without timing") {
  judge_driver judge;
  auto o = judge.ask(request_for(poly_task(), reference(), reference(), judge_mode::check));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.timings.empty());
  CHECK(o.correctness.cases >= 9);
  auto wrong = judge.ask(
      request_for(poly_task(), reference(), compile_c(read_file(fixture("hard_coded_shape.c"))), judge_mode::check));
  CHECK(wrong.result == verdict::nonfinite);
}

TEST_CASE("an oracle in double measures the reference and judges the candidate") {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), reference());
  request.oracle = compile_c(R"(#include <stdint.h>
void poly(const double *x, const double *w, double *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0;
})");
  auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.correctness.reference_max_abs > 0.0);
  CHECK(o.correctness.reference_max_abs < 1e-5);
  CHECK(o.correctness.max_abs > 0.0);
  CHECK(o.correctness.bit_equal);
  // The tolerance is a multiple of the reference's own error: the same code is within 2, the wrong one is not.
  request.task.tolerances[0] = {};
  request.task.tolerances[0].mode = tolerance_mode::reference_error;
  request.task.tolerances[0].limit = 4.0;
  CHECK(judge.ask(request).result == verdict::pass);
  request.candidate = compile_c(read_file(fixture("wrong_result.c")));
  CHECK(judge.ask(request).result == verdict::wrong_result);
}

TEST_CASE("errors are measured in every call, and bits compared with the reference only") {
  judge_driver judge;
  // Within tolerance, but worse than the reference in one draw of three.
  auto rarely = judge.ask(request_for(poly_task(), reference(), compile_c(R"(#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const float f = x[0] > 0.43f ? 1.000003f : 1.0f;
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] * x[i] + w[i % 8] * x[i] + 1.0f) * f;
})")));
  INFO(describe(rarely));
  CHECK(rarely.result == verdict::pass);
  CHECK(rarely.correctness.seeds > 20);
  CHECK(rarely.correctness.max_ulp > 10.0);
  CHECK_FALSE(rarely.correctness.bit_equal);
  // An oracle in the output's own type differs in its bits from a reference with other rounding.
  auto task = poly_task();
  for (auto& a : task.arguments)
    if (a.role != argument_role::size)
      a.type = dtype::f64;
  const std::string head = "#include <stdint.h>\nvoid poly(const double *x, const double *w, double *y, int64_t n) {\n";
  const auto own = compile_c(head + "for (int64_t i = 0; i < n; ++i) y[i] = x[i] * (x[i] + w[i % 8]) + 1.0;\n}\n");
  auto request = request_for(task, own, own);
  request.oracle = compile_c(head + "for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0;\n}\n");
  auto same = judge.ask(request);
  INFO(describe(same));
  CHECK(same.result == verdict::pass);
  CHECK(same.correctness.reference_max_abs > 0.0);
  CHECK(same.correctness.bit_equal);
}

TEST_CASE("at near ties, the reference's value is right even if the oracle differs") {
  judge_driver judge;
  auto task = poly_task();
  for (auto& a : task.arguments)
    if (a.role == argument_role::output)
      a.type = dtype::i32;
  task.tolerances.clear(); // exact comparison
  const auto choosing = [](const char* type, const char* body) {
    return compile_c(std::string{"#include <stdint.h>\nvoid poly(const "} + type + " *x, const " + type
                     + " *w, int32_t *y, int64_t n) {\n  for (int64_t i = 0; i < n; ++i) y[i] = " + body + ";\n}\n");
  };
  const auto own = choosing("float", "i % 50 == 7 || x[i] + w[i % 8] > 1.0f");
  auto request = request_for(task, own, own);
  // Disagrees with the reference at every 50th element.
  request.oracle = choosing("double", "(float)x[i] + (float)w[i % 8] > 1.0f");
  auto same = judge.ask(request);
  INFO(describe(same));
  CHECK(same.result == verdict::pass);
  CHECK(same.correctness.bit_equal);
  // The oracle's value is right there as well; any other value is wrong.
  request.candidate = choosing("float", "x[i] + w[i % 8] > 1.0f");
  CHECK(judge.ask(request).result == verdict::pass);
  request.candidate = choosing("float", "i % 50 == 7 ? 2 : x[i] + w[i % 8] > 1.0f");
  CHECK(judge.ask(request).result == verdict::wrong_result);
  request.candidate = choosing("float", "i % 50 == 8 || x[i] + w[i % 8] > 1.0f");
  CHECK(judge.ask(request).result == verdict::wrong_result);
}

TEST_CASE("a time below the declared work's floor is refused") {
  judge_driver judge;
  auto task = poly_task();
  task.work_flops = "3*n";
  task.work_bytes = "8*n";
  CHECK(judge.ask(request_for(task, reference(), reference())).result == verdict::pass);
  task.work_flops = "1000000*n";
  auto o = judge.ask(request_for(task, reference(), reference()));
  INFO(describe(o));
  CHECK(o.result == verdict::faster_than_physics);
  CHECK(o.rule == "physics_floor");
}

TEST_CASE("probe measures this core's peaks") {
  judge_driver judge;
  auto o = judge.ask(request_for(poly_task(), {}, {}, judge_mode::probe));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  const auto value = [&](const char* name) { return std::atof(o.evidence.at(name).c_str()); };
  CHECK(value("peak.flops_per_s") > 1e9);
  CHECK(value("peak.l1_bytes_per_s") >= value("peak.l2_bytes_per_s"));
  CHECK(value("peak.l2_bytes_per_s") >= value("peak.l3_bytes_per_s"));
  CHECK(value("peak.l3_bytes_per_s") >= value("peak.dram_bytes_per_s"));
  CHECK(value("peak.dram_bytes_per_s") > 1e9);
}

TEST_CASE("a dead zygote is replaced transparently") {
  judge_driver judge;
  const auto zygote = child_of(judge.pid());
  REQUIRE(zygote > 0);
  REQUIRE(kill(zygote, SIGKILL) == 0);
  auto o = judge.ask(request_for(poly_task(), reference(), reference()));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
}

TEST_CASE("a slowly loading candidate is charged for all of its processes together" * doctest::test_suite("long")) {
  judge_driver judge;
  auto slowly =
      compile_c("#include <unistd.h>\n__attribute__((constructor)) static void dawdle(void) { usleep(4500000); }\n"
                + read_file(fixture("reference.c")));
  auto request = request_for(poly_task(), reference(), slowly, judge_mode::confirm);
  request.min_interval_pairs = 1000;
  auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::timeout);
  CHECK(o.rule == "slow_load");
  CHECK(o.judge_ns < 30'000'000'000);
}

TEST_CASE("thread runtimes leave nothing behind in shared memory") {
  judge_driver judge;
  const auto zygote = child_of(judge.pid());
  REQUIRE(zygote > 0);
  auto task = poly_task();
  task.threads = true;
  CHECK(judge.ask(request_for(task, reference(), reference(), judge_mode::check)).result == verdict::pass);
  if (std::filesystem::exists("/dev/shm"))
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
      CHECK_MESSAGE(entry.path().filename().string().find(fmt::format("_{}_", zygote)) == std::string::npos,
                    entry.path());
}

TEST_CASE("a judge that ends leaves no process behind") {
  int first = -1; // first process of the candidates' pid namespace
  {
    judge_driver judge;
    const auto zygote = child_of(judge.pid());
    REQUIRE(zygote > 0);
    const auto child = child_of(zygote);
    if (child <= 0) {
      MESSAGE("skipped: no pid namespace here");
      return;
    }
    first = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    REQUIRE(first >= 0);
  }
  pollfd ended{first, POLLIN, 0};
  CHECK(poll(&ended, 1, 10'000) == 1);
  close(first);
}

TEST_CASE("cancelling a request ends it with a fault") {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), reference(), judge_mode::confirm);
  request.min_interval_pairs = 1'000'000;
  judge.send(request);
  REQUIRE(judge.socket().send_message(frame_kind::cancel, helper_cancel{request.job}).has_value());
  auto o = judge.await();
  CHECK(o.result == verdict::none);
  CHECK(o.trouble.kind == "cancelled");
}

TEST_CASE("a time limit during timing keeps the measurements") {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), reference(), judge_mode::confirm);
  request.min_interval_pairs = 1'000'000;
  request.limit_ms = 1500;
  auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.evidence.count("stopped") == 1);
  CHECK(o.timings.size() == 2);
}

TEST_CASE("a screening that takes too long stays undecided") {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), reference());
  request.delta = 10.0; // too large for any decision
  request.screen_out = 100.0;
  request.max_pairs = 1'000'000;
  request.screening_ms = 100;
  auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.decision == comparison_decision::undecided);
  CHECK(o.evidence.at("stopped").find("undecided") != std::string::npos);
  CHECK(o.timings.at(0).baseline_ns.size() >= 4);
}

namespace {

// Returns poly with a busy loop of that many milliseconds in each call.
std::string spinning(int ms) {
  return compile_c(fmt::format("#include <stdint.h>\n#include <time.h>\n"
                               "void poly(const float *x, const float *w, float *y, int64_t n) {{\n"
                               "  struct timespec a, b;\n  clock_gettime(CLOCK_MONOTONIC, &a);\n"
                               "  do clock_gettime(CLOCK_MONOTONIC, &b);\n"
                               "  while ((b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec < {}000000ll);\n"
                               "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n}}\n",
                               ms));
}

} // namespace

TEST_CASE("a candidate whose calls alone exceed the request's limit gets a verdict") {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), spinning(400)); // a call may take a second
  request.limit_ms = 1'500;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(!o.trouble);
  CHECK(o.result == verdict::timeout);
  CHECK(o.rule == "too_slow");
}

TEST_CASE("a kernel that is right in its first calls only is not promoted") {
  judge_driver judge;
  // Works for more calls than a session, or the adversarial draws, make in one process.
  const auto at_first = compile_c("#include <stdint.h>\nstatic int calls;\n"
                                  "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                  "  if (++calls > 5000)\n    return;\n"
                                  "  for (int64_t i = 0; i < n; ++i)\n"
                                  "    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n}\n");
  auto request = request_for(poly_task(), reference(), at_first, judge_mode::confirm);
  request.max_pairs = 0;
  request.min_interval_pairs = 4;
  request.long_run_ms = 0;
  CHECK(judge.ask(request).result == verdict::pass);
  request.long_run_ms = 5'000;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::nonfinite);
}

TEST_CASE("a candidate stopped or killed from outside has no verdict") {
  judge_driver judge;
  auto signal = SIGSTOP;
  const char* said = "did not get the processor";
  SUBCASE("stopped: its call could not run") {}
  SUBCASE("killed: a host without memory kills innocent processes, too") {
    signal = SIGKILL;
    said = "killed from outside";
  }
  judge.send(request_for(poly_task(), reference(), compile_c(read_file(fixture("infinite_loop.c")))));
  pid_t candidate = 0;
  // Polls, since the kernel does not report how long a process has run.
  for (int look = 0; candidate == 0 && look < 2'000; ++look) {
    poll(nullptr, 0, 5);
    candidate = busy_below(judge.pid(), sysconf(_SC_CLK_TCK) / 10);
  }
  REQUIRE(candidate > 0);
  REQUIRE(kill(candidate, signal) == 0);
  const auto o = judge.await();
  INFO(describe(o));
  CHECK(o.result == verdict::none);
  CHECK(o.trouble.detail.find(said) != std::string::npos);
}

TEST_CASE("a candidate killed for lack of memory has no verdict, and the next one is judged") {
  const group_limits scarce{uint64_t{400} << 20U, 256};
  const auto probe = ::fork();
  if (probe == 0)
    ::_exit(enter_own_group(scarce).empty() ? 0 : 1);
  int status = 0;
  ::waitpid(probe, &status, 0);
  sweep_groups();
  if (status != 0) {
    MESSAGE("skipped: a machine without memory (needs a control group; kevolve doctor says why there is none)");
    return;
  }
  {
    judge_driver judge{{}, [&] { enter_own_group(scarce); }};
    const auto o = judge.ask(request_for(poly_task(), reference(), compile_c(read_file(fixture("hungry.c")))));
    INFO(describe(o));
    CHECK(o.result == verdict::none);
    CHECK(o.trouble.detail.find("killed from outside") != std::string::npos);
    CHECK(judge.ask(request_for(poly_task(), reference(), reference())).result == verdict::pass);
  }
  sweep_groups();
}

TEST_CASE("if memory runs out, candidates are killed before the judge") {
  judge_driver judge;
  const auto zygote = child_of(judge.pid());
  REQUIRE(zygote > 0);
  const auto score = [](pid_t pid) { return std::stoi(read_file(fmt::format("/proc/{}/oom_score_adj", pid))); };
  CHECK(score(zygote) == 1000);
  CHECK(score(judge.pid()) < 1000);
}

TEST_CASE("a confirmation of a much slower candidate ends early" * doctest::test_suite("long")) {
  judge_driver judge;
  auto request = request_for(poly_task(), reference(), spinning(40), judge_mode::confirm);
  request.screening_ms = 100;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.decision == comparison_decision::screened);
  CHECK(o.estimate);
  CHECK(o.speedup < 0.1);
  CHECK(o.timings.at(0).baseline_ns.size() < request.min_interval_pairs);
}

TEST_CASE("a failure of the baseline is reported as such, with its details") {
  judge_driver judge;
  auto request = request_for(poly_task(), slow(), reference());
  request.baseline = compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, int64_t n) {\n"
                               "  (void)x; (void)w; (void)n; y[-5] = 0.0f;\n}\n");
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.trouble.kind == fault_kind::baseline_failed);
  CHECK(o.result == verdict::out_of_bounds);
  CHECK(o.rule == "guard_band");
  request.baseline = reference();
  CHECK(judge.ask(request).result == verdict::pass);
}

TEST_CASE("a library of the task that does not load is a fault, and other tasks are not affected") {
  judge_driver judge;
  auto task = poly_task();
  task.libraries = {"no-such-library"};
  const auto o = judge.ask(request_for(task, reference(), reference(), judge_mode::check));
  CHECK(o.result == verdict::none);
  CHECK(o.trouble.kind == "toolchain_missing");
  CHECK(o.trouble.detail.find("libno-such-library.so") != std::string::npos);
  CHECK(judge.ask(request_for(poly_task(), reference(), reference(), judge_mode::check)).result == verdict::pass);
}

TEST_CASE("special values are accepted if handled, and detected if ignored or if NaN is skipped") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments[0].edge = {"special"};
  task.arguments[2].nonfinite_match = true;
  const auto with = [&](const std::string& value) {
    return judge.ask(request_for(
        task, reference(),
        compile_c(
            "#include <stdint.h>\n#include <math.h>\nvoid poly(const float *x, const float *w, float *y, int64_t n) "
            "{\n  for (int64_t i = 0; i < n; ++i) { float v = x[i] * x[i] + w[i % 8] * x[i] + 1.0f; "
            + value + " }\n}\n"),
        judge_mode::check));
  };
  CHECK(with("y[i] = v;").result == verdict::pass);
  const auto clamps = with("y[i] = isfinite(v) ? v : 0.0f;");
  CHECK(clamps.result == verdict::wrong_result);
  CHECK(clamps.evidence.at("edge") == "special");
  CHECK(with("if (v == v) y[i] = v;").result == verdict::wrong_result);
}

TEST_CASE("a draw for which the reference is not finite is drawn again") {
  judge_driver judge;
  const auto rarely = compile_c("#include <stdint.h>\n#include <math.h>\n"
                                "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n"
                                "  if (x[n - 1] > 0.9f) y[n - 1] = NAN;\n}\n");
  auto task = poly_task();
  task.arguments[0].edge = {};
  auto request = request_for(task, rarely, reference());
  // Uses a seed with which the few sets of the checks are finite; one in six of a screening's is not.
  for (request.mode = judge_mode::check, request.seed = 1; judge.ask(request).result != verdict::pass; ++request.seed)
    REQUIRE(request.seed < 50);
  request.mode = judge_mode::screening;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
}
