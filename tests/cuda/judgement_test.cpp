// Tests who is at fault for a worker's answer, how messages survive serialisation, and what the runner rejects before
// any device.
#include "backends/judge/timing_summary.hpp"
#include "backends/nvidia/nvml.hpp"
#include "backends/nvidia/runner/clock_report.hpp"
#include "backends/nvidia/runner/device_process.hpp"
#include "backends/nvidia/runner/gpu_judge_context.hpp"
#include "tests/cuda/cubin_builder.hpp"
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::cuda;

namespace {

struct answer_case {
  int status;
  const char* phase;
  verdict result;   // none: a fault
  const char* rule; // or the kind of the fault
};

const answer_case answers[]{
    {700, "run", verdict::crashed, "illegal_address"},
    {716, "run", verdict::crashed, "misaligned_address"},
    {710, "run", verdict::crashed, "assertion"},
    {719, "run", verdict::crashed, "launch_failed"},
    {702, "run", verdict::timeout, "device_watchdog"},
    {200, "load", verdict::load_error, "machine_code"},
    {209, "load", verdict::load_error, "machine_code"},
    {500, "kernel", verdict::load_error, "no_such_kernel"},
    {1, "tensor map", verdict::load_error, "tensor_map"},
    {1, "launch", verdict::load_error, "launch_refused"},
    {720, "launch", verdict::load_error, "device_limit"},
    {2, "scratch", verdict::out_of_memory, "scratch"},
    {701, "launch", verdict::out_of_memory, "launch"},
    {2, "arena", verdict::none, "no_space"},
    {2, "context", verdict::none, "no_space"},
    {214, "run", verdict::none, "device_sick"},
    {100, "cuInit", verdict::none, "device_sick"},
    {999, "run", verdict::none, "device_sick"},
    {-1, "driver", verdict::none, "device_sick"},
};

} // namespace

TEST_CASE("an error of the driver is the candidate's verdict or the machine's fault, never both") {
  for (const auto& c : answers) {
    CAPTURE(c.status);
    CAPTURE(c.phase);
    const auto s = judge_answer({c.status, "NAME", c.phase, "detail"});
    CHECK(s.refused.result == c.result);
    CHECK((c.result == verdict::none ? s.trouble.kind : s.refused.rule) == c.rule);
    CHECK(static_cast<bool>(s.trouble) == (c.result == verdict::none));
  }
}

TEST_CASE("a call's time is the longer of two clocks, and work that the events missed is refused") {
  const auto clocks = [](double event_ns, double span_ns, uint32_t kernels) {
    cuda_wire::done d;
    d.event_ns = event_ns;
    d.span_ns = span_ns;
    d.kernels = kernels;
    return read_clocks(d, 2);
  };
  CHECK(clocks(100e3, 0.0, 0)->ns == 100e3); // not recorded
  CHECK(clocks(100e3, 104e3, 2)->ns == 104e3);
  CHECK(clocks(100e3, 300e3, 1)->ns == 100e3); // a record was lost, so its span does not count
  CHECK(clocks(100e3, 124e3, 2).has_value());
  CHECK(clocks(100e3, 126e3, 2).error().refused.rule == "hidden_time"); // 5 % and 20 us
  CHECK(clocks(1e6, 1.06e6, 2).has_value());
  CHECK(clocks(1e6, 1.08e6, 2).error().refused.result == verdict::cheating);
  CHECK(clocks(100e3, 104e3, 3).error().refused.rule == "foreign_kernels");
  CHECK(clocks(0.0, 0.0, 0).error().trouble.kind == "device_sick");
}

TEST_CASE("after a crash, a hang or a lost worker the device is probed; after a wrong answer it is not") {
  CHECK(doubts_device(judge_answer({700, "", "run", ""})));
  CHECK(doubts_device(judge_answer({214, "", "run", ""})));
  CHECK(doubts_device({{"worker_killed", "", 0}, {}}));
  CHECK_FALSE(doubts_device(judge_answer({2, "", "scratch", ""})));
  CHECK_FALSE(doubts_device({{}, {verdict::wrong_result, "tolerance", "", {}}}));
}

TEST_CASE("orders and answers survive serialisation") {
  auto plan = parse_plan("[[scratch]]\nname='s'\nbytes=64\nzeroed=true\n[[tensor_map]]\nname='m'\nbuffer='x'\n"
                         "dims=['cols']\nbox=[16]\n[[kernel]]\nname='k'\ngrid=[2,3,4]\nblock=[5]\ncluster=[2]\n"
                         "shared=7\ncooperative=true\narguments=['m','s','eps',{type='i32',value=9}]",
                         rows_task());
  REQUIRE(plan.has_value());
  cuda_wire::stage order;
  order.plan = resolve_plan(*plan, rows_task(), rows_data()).value();
  order.places = {{"x", 4096}};
  order.bytes = 1 << 20;
  order.rotation = 8192;
  order.poison = 77;
  order.cold = true;
  const auto bytes = encode(order);
  const auto back = decode<cuda_wire::stage>(bytes);
  REQUIRE(back.has_value());
  CHECK(encode(*back) == bytes);
  CHECK(back->plan.launches.at(0).grid == std::array<uint32_t, 3>{2, 3, 4});
  CHECK(back->plan.maps.at(0).box == std::vector<uint32_t>{16});
  CHECK_FALSE(decode<cuda_wire::stage>(bytes.substr(1)).has_value());
  cuda_wire::hello hello;
  hello.facts = {{"device", "d"}};
  hello.limits = published_limits(90);
  hello.pageable_access = true;
  const auto greeted = decode<cuda_wire::hello>(encode(hello));
  REQUIRE(greeted.has_value());
  CHECK(greeted->limits.shared_opt_in == 232'448);
  CHECK(greeted->pageable_access);
  CHECK(decode<cuda_wire::go>(encode(cuda_wire::go{})).has_value());
}

TEST_CASE("an invalid package, code or plan is refused before a worker starts") {
  const auto rule_of = [](const std::string& package) {
    auto code = read_program(package, rows_task());
    REQUIRE_FALSE(code.has_value());
    CHECK(code.error().refused.result == verdict::load_error);
    return code.error().refused.rule;
  };
  CHECK(rule_of("\x7f"
                "ELF")
        == "package");
  CHECK(rule_of(pack({{"no code"}, "no plan"})) == "object_format");
  const auto code_of = [](const std::string& kernel) {
    testing::cubin_builder code;
    code.add(".text." + kernel, SHT_PROGBITS, 0);
    return code.bytes();
  };
  const std::string plan = "[[kernel]]\nname='a'\ngrid=[1]\nblock=[1]\narguments=[]\n[[kernel]]\nname='b'\ngrid=[1]\n"
                           "block=[1]\narguments=[]\n";
  CHECK(rule_of(pack({{code_of("a")}, plan})) == "no_such_kernel");
  CHECK(rule_of(pack({{code_of("a"), code_of("b"), "no code"}, plan})) == "object_format");
  CHECK(rule_of(pack({{code_of("a"), code_of("b"), code_of("a")}, plan})) == "package");
  // Kernels may come from several modules.
  const auto both = read_program(pack({{code_of("a"), code_of("b")}, plan}), rows_task());
  REQUIRE(both.has_value());
  CHECK(both->facts.static_shared.size() == 2);
}

namespace {

compared_shape timed_shape(size_t candidate_calls, size_t baseline_calls, double ns) {
  auto inputs = std::make_shared<input_sets>();
  inputs->shape = shape_of("n=1", {{"n", 1}});
  compared_shape out{inputs, 0.0, 0.005};
  out.candidate_ns.assign(candidate_calls, ns);
  out.baseline_ns.assign(baseline_calls, 2.0 * ns);
  return out;
}

std::optional<rejection> witnessed(const std::vector<double>& candidate_excess,
                                   const std::vector<double>& baseline_excess) {
  clock_samples clocks;
  clocks.candidate_excess_ns = candidate_excess;
  clocks.baseline_excess_ns = baseline_excess;
  return break_witness({timed_shape(candidate_excess.size(), baseline_excess.size(), 1e6)}, {clocks});
}

} // namespace

TEST_CASE("a time contradicted by the runner's own clock is refused") {
  const std::vector<double> usual{1e6, 1e6, 1e6, 1e6, 1e6};
  // 1 ms claimed; beyond it the runner saw 1 ms for both.
  CHECK_FALSE(witnessed(usual, usual).has_value());
  // Printed text is no crime, and neither is a host that was busy in all calls but one.
  CHECK_FALSE(witnessed({4e6, 4e6, 4e6, 4e6, 4e6}, usual).has_value());
  CHECK_FALSE(witnessed({9e7, 9e7, 1e6, 9e7, 9e7}, usual).has_value());
  const auto broken = witnessed({2e7, 2e7, 3e7, 2e7, 2e7}, usual);
  REQUIRE(broken.has_value());
  CHECK(broken->result == verdict::cheating);
  CHECK(broken->rule == "time_witness");
  // Too few calls to say so, or nobody to compare with.
  CHECK_FALSE(witnessed({2e7, 2e7, 2e7, 2e7}, usual).has_value());
  CHECK_FALSE(witnessed({2e7, 2e7, 2e7, 2e7, 2e7}, {}).has_value());
}

TEST_CASE("a time below the physics floor is refused, one just above it is not") {
  shape_timing t;
  t.shape = "n=1";
  t.floor_ns = 1000.0;
  t.candidate_ns = {899.0, 899.0, 5000.0};
  const auto broken = break_physics({t});
  REQUIRE(broken.has_value());
  CHECK(broken->result == verdict::faster_than_physics);
  t.candidate_ns = {901.0, 901.0, 901.0};
  CHECK_FALSE(break_physics({t}).has_value());
  t.floor_ns = 0.0;
  t.candidate_ns = {1.0};
  CHECK_FALSE(break_physics({t}).has_value());
}

TEST_CASE("the floor of a product of f32 arrays is that of f16, since a candidate may narrow them") {
  gpu_judge_context b{runner_settings{}};
  b.device.limits = published_limits(90);
  b.device.limits.multiprocessors = 100;
  b.device.clock_khz = 1'000'000;
  b.peaks.copy_bytes_per_second = 1e30;
  b.peaks.cached_bytes_per_second = 1e30;
  const auto floor_with = [&](dtype type) {
    judge_request request;
    request.task = rows_task();
    for (auto& a : request.task.arguments)
      if (is_array(a))
        a.type = type;
    request.task.work_flops = "409600000";
    request.task.work_bytes.clear();
    input_sets inputs;
    inputs.sets.resize(1);
    inputs.sets.front().data = rows_data();
    return floor_of(b, request, inputs).value();
  };
  // 4096 operations of a multiprocessor in a cycle
  CHECK(floor_with(dtype::f32) == doctest::Approx(1000.0));
  CHECK(floor_with(dtype::f16) == doctest::Approx(1000.0));
  CHECK(floor_with(dtype::f64) == doctest::Approx(4000.0));
}

TEST_CASE("a session's report has the ratio, its interval and both clocks") {
  const std::vector shapes{timed_shape(3, 3, 1e6)};
  clock_samples clocks;
  clocks.candidate_excess_ns = {1e5, 1e5, 1e5};
  clocks.recorded_event_ns = {1e6, 1e6, 1e6};
  clocks.recorded_span_ns = {9e5, 9e5, 9e5};
  judge_request request;
  judge_outcome out;
  sign_test overall{0.005};
  report_session(request, shapes, {{0.69, 0.7, 0.69}, {}, {0}}, overall, 5, out);
  report_clocks(shapes, {clocks}, 500'000.0, out);
  CHECK(out.speedup == doctest::Approx(std::exp(0.69))); // of the rounds, as the interval is
  CHECK(out.ci_low <= out.speedup);
  CHECK(out.speedup <= out.ci_high);
  REQUIRE(out.timings.size() == 1);
  CHECK(out.timings[0].speedup == doctest::Approx(2.0));
  CHECK(out.evidence.at("clock.event_ns.n=1") == "1e+06");
  CHECK(out.evidence.at("clock.span_ns.n=1") == "9e+05");
  CHECK(out.evidence.count("launch_bound.n=1") == 1); // 1 ms, where an empty launch takes 0.5 ms
  CHECK(out.ci_low > 1.9);
}

TEST_CASE("throttling reasons are named, but idling and configured clocks are none") {
  using names = std::vector<std::string>;
  CHECK(throttle_names(0).empty());
  CHECK(throttle_names(0x1 | 0x2 | 0x100).empty());
  CHECK(throttle_names(0x1 | 0x4 | 0x40) == names{"hw_thermal_slowdown", "sw_power_cap"});
  CHECK(throttle_names(0x4 | (uint64_t{1} << 40U)) == names{"other", "sw_power_cap"});
}

TEST_CASE("a sample has exactly the reported values; our own processes are not foreign") {
  device_noise w;
  const auto nothing = to_sample(w, 3, 5);
  CHECK(nothing.time_ns == 5);
  CHECK(nothing.clocks_mhz.empty());
  CHECK_FALSE(nothing.foreign_processes);
  CHECK_FALSE(nothing.throttled_by);
  w.memory_mhz = 900;
  w.celsius = 0;
  w.throttle_reasons = 0x1;
  w.processes = 3;
  auto some = to_sample(w, 3, 5);
  CHECK(some.clocks_mhz == std::map<std::string, uint32_t>{{"memory", 900}});
  CHECK(some.celsius == 0); // reported as zero
  REQUIRE(some.throttled_by);
  CHECK(some.throttled_by->empty());
  CHECK(some.foreign_processes == 0U);
  CHECK(to_sample(w, 1, 5).foreign_processes == 2U);
  CHECK(to_sample(w, 9, 5).foreign_processes == 0U);
}
