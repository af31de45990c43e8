// The readers of texts that tools and probes write.
#include "backends/cpu/profile/call_run.hpp"
#include "backends/cpu/profile/callgrind_report.hpp"
#include "backends/cpu/profile/experiment_plan.hpp"
#include "backends/cpu/profile/hot_loop.hpp"
#include "backends/cpu/profile/loop_times.hpp"
#include "backends/cpu/profile/machine_loops.hpp"
#include "backends/cpu/profile/mca_report.hpp"
#include "backends/cpu/profile/memory_access.hpp"
#include "backends/cpu/profile/memory_probes.hpp"
#include "backends/cpu/profile/remarks.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace kevolve;

namespace {

// Two calls at 2 ticks a nanosecond. A reading takes 10 ticks in its own interval, a pair 50 around it.
const std::string answer = "clock 10 50\nsample 40000\nsample 42000\nrate 2.0\ncalls 2\nfaults 9\n"
                           "loop 0 2 20 80000 80000 20\nloop 1 20 2000 60000 0 0\n"
                           "names\n0\tf\tcandidate.c\t3\t3\t6\t1\t-1\n1\tf\tcandidate.c\t4\t5\t6\t2\t0\n";

constexpr const char* loop_text = R"(
	.file	1 "/tmp" "candidate.c"
	.file	2 "/usr/include" "math.h"
f:
	.loc	1 3 3
	xorl	%eax, %eax
.LBB0_1:
	.loc	1 4 5
	vmovups	(%rdi,%rax,4), %ymm1
	vfmadd231ps	(%rsi,%rax,4), %ymm1, %ymm0
	.loc	2 9 1
	addq	$8, %rax
	.loc	1 4 5
	cmpq	%rax, %rdx
	jne	.LBB0_1
.LBB0_2:
	vaddss	(%rsi,%rax,4), %xmm0, %xmm0
	incq	%rax
	jne	.LBB0_2
	retq
)";

} // namespace

TEST_CASE("subtracts the probes' own time from each loop around them") {
  const auto a = parse_answer(answer);
  REQUIRE(a);
  CHECK(a->median_ns(0) == doctest::Approx(21000.0));
  const auto report = loop_times(*a, {0, 1});
  // 80000 ticks less 2 readings of 10 and 20 pairs of 50, in 2 calls at 2 ticks a nanosecond.
  CHECK(report.loops[0].ns == doctest::Approx((80000.0 - 20.0 - 1000.0) / 4.0));
  CHECK(report.loops[1].ns == doctest::Approx((60000.0 - 200.0) / 4.0));
  CHECK(report.loops[0].self_ns == doctest::Approx(report.loops[0].ns - report.loops[1].ns));
  CHECK(report.loops[1].trips == doctest::Approx(100.0));
  CHECK(report.outermost_ns == doctest::Approx(report.loops[0].ns));
}

TEST_CASE("times only loops whose entries may take a microsecond") {
  const auto a = parse_answer(answer);
  REQUIRE(a);
  CHECK(loops_to_time(*a, 21000.0) == std::vector<size_t>{0, 1});
  CHECK(loops_to_time(*a, 9000.0) == std::vector<size_t>{0});
  CHECK(probe_request_of({0, 7}) == "time 0,7;");
}

TEST_CASE("refuses an answer that a candidate has written") {
  for (const auto* wrong : {"", "sample x\n", "sample 1\nrate 2\n", "sample 1\nrate 2\ncalls 1\nnames\n5\tf\n",
                            "sample 1\nrate 2\ncalls 1\nloop 4 1 1 1 1 1\n", "hello\n"})
    CHECK_FALSE(parse_answer(wrong));
}

TEST_CASE("finds the innermost loops with their source lines and instructions") {
  const auto loops = innermost_loops(loop_text);
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].function == "f");
  CHECK(loops[0].lines.at(4) == 4);
  CHECK_FALSE(loops[0].lines.contains(9)); // of another file
  CHECK(loops[0].mix.packed == 1);
  CHECK(loops[0].mix.multiply_adds == 1);
  CHECK(loops[0].mix.loads == 2);
  CHECK(loops[0].mix.access_bytes == 64);
  CHECK(loops[1].mix.scalar == 1);
  CHECK(loop_at(loops, 4, 6) == &loops[0]); // the vector loop, not what it leaves over
  CHECK(loop_at(loops, 20, 30) == nullptr);
}

TEST_CASE("finds loads that the store buffer cannot serve") {
  CHECK(blocked_forwards({"movl %eax, -8(%rsp)", "movl %ecx, -4(%rsp)", "movq -8(%rsp), %rdx"}) == 1);
  CHECK(blocked_forwards({"movq %rax, -8(%rsp)", "movq -8(%rsp), %rdx"}) == 0);
  CHECK(blocked_forwards({"movq %rax, -8(%rsp)", "movl -4(%rsp), %edx"}) == 0);
  CHECK(blocked_forwards({"movl %eax, (%rdi,%rcx,4)", "movq (%rsi,%rcx,4), %rdx"}) == 0);
  const auto access = memory_access_of("vfmadd231ps\t-32(%rsi,%rax,4), %ymm1, %ymm0");
  REQUIRE(access);
  CHECK(access->offset == -32);
  CHECK(access->bytes == 32);
  CHECK(access->loads);
  CHECK_FALSE(access->stores);
  CHECK_FALSE(memory_access_of("leaq 8(%rdi), %rax"));
}

TEST_CASE("clears a register before an instruction that keeps a part of it") {
  const auto freed = without_partial_writes({"vcvtsi2sd\t%rax, %xmm1, %xmm2", "vaddsd %xmm2, %xmm2, %xmm3"});
  REQUIRE(freed.size() == 3);
  CHECK(freed[0] == "vxorps %xmm1, %xmm1, %xmm1");
}

TEST_CASE("reads a model's units and tells dependencies from busy units") {
  const std::string text = R"({"CodeRegions":[{"Instructions":["a","b"],"ResourcePressureView":{"ResourcePressureInfo":[
    {"InstructionIndex":0,"ResourceIndex":1,"ResourceUsage":2.0},{"InstructionIndex":1,"ResourceIndex":1,"ResourceUsage":2.0},
    {"InstructionIndex":2,"ResourceIndex":1,"ResourceUsage":4.0}]},"SummaryView":{"BlockRThroughput":4.0,"DispatchWidth":6,
    "Iterations":100,"TotalCycles":CYCLES,"TotaluOps":200}}],"TargetInfo":{"CPUName":"x","Resources":["A","B"]}})";
  auto with = [&](const char* cycles) {
    auto t = text;
    return parse_mca(t.replace(t.find("CYCLES"), 6, cycles));
  };
  const auto busy = with("410");
  REQUIRE(busy);
  CHECK(busy->busiest == "B");
  CHECK(busy->busiest_cycles == doctest::Approx(4.0)); // the sum of all instructions is no instruction
  CHECK(busy->bottleneck() == "port");
  CHECK(with("900")->bottleneck() == "dependency");
  CHECK_FALSE(parse_mca("{}"));
}

TEST_CASE("joins remarks to the candidate's lines") {
  const auto all =
      parse_remarks("--- !Analysis\nPass:            loop-vectorize\nName:            CantReorderFPOps\n"
                    "DebugLoc:        { File: candidate.c, Line: 4, Column: 3 }\nFunction:        f\nArgs:\n"
                    "  - String:          'loop not vectorized: '\n  - String:          it''s unsafe\n...\n"
                    "--- !Passed\nPass:            loop-vectorize\nName:            Vectorized\n"
                    "DebugLoc:        { File: other.h, Line: 4, Column: 3 }\nFunction:        g\n...\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].kind == "analysis");
  CHECK(all[0].text == "loop not vectorized: it''s unsafe");
  const auto answer_at = vectoriser_answer_at(all, 4);
  CHECK(answer_at.known);
  CHECK_FALSE(answer_at.vectorised);
  CHECK(answer_at.reason == all[0].text);
  CHECK_FALSE(vectoriser_answer_at(all, 5).known);
}

TEST_CASE("adds simulated counts by line, without what called functions cost") {
  const auto report = parse_callgrind("events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n\n"
                                      "fl=/x/candidate.c\nfn=f\n4 10 2 1 0 1 1 0 0 0 3 1\n5 7\ncalls=1 9\n5 900\n"
                                      "fl=/x/other.c\nfn=g\n4 100\n");
  REQUIRE(report);
  CHECK(report->all.instructions == 117.0);
  CHECK(report->lines.at(4).l1_misses == 2.0);
  CHECK(report->lines.at(4).branch_misses == 1.0);
  CHECK(report->lines.size() == 2);
  CHECK_FALSE(parse_callgrind("events: Ir\n"));
}

TEST_CASE("takes the innermost loop with most rounds for the hottest") {
  const auto loops = nlohmann::json::parse(R"({"call_ns":100,"loops":[
    {"line":3,"last":9,"parent":-1,"entries":1,"trips":10,"ns":90,"self_ns":90},
    {"line":4,"last":5,"parent":0,"entries":10,"trips":2},
    {"line":6,"last":8,"parent":0,"entries":10,"trips":50},
    {"line":12,"last":13,"parent":-1,"entries":1,"trips":5000,"ns":5,"self_ns":5}]})");
  const auto hot = hottest_loop(loops);
  REQUIRE(hot);
  CHECK(hot->line == 6);
  CHECK(hot->rounds == 500.0);
  CHECK(hot->share == doctest::Approx(0.9));
}

TEST_CASE("halves the sizes that make arrays smaller") {
  contract task;
  for (const auto* name : {"n", "rounds"}) {
    argument size;
    size.name = name;
    size.role = argument_role::size;
    size.type = dtype::i64;
    task.arguments.push_back(size);
  }
  argument x;
  x.name = "x";
  x.shape = {"n"};
  task.arguments.push_back(x);
  shape_case shape;
  shape.sizes = {{"n", 65536}, {"rounds", 100000}};
  const auto smaller = smaller_shape(task, shape, 16384);
  REQUIRE(smaller);
  CHECK(smaller->sizes.at("n") == 4096);
  CHECK(smaller->sizes.at("rounds") == 100000);
}

TEST_CASE("a shared cache counts as large as loads find it") {
  constexpr size_t mib = size_t{1} << 20U;
  std::vector<size_t> asked;
  const auto slow_from = [&](size_t limit) {
    return [&asked, limit](size_t bytes) {
      asked.push_back(bytes);
      return bytes < limit ? 32.0 : 120.0;
    };
  };
  CHECK(reached_capacity(8 * mib, 300 * mib, 30.0, 150.0, slow_from(64 * mib)) == 32 * mib);
  CHECK(asked == std::vector<size_t>{8 * mib, 16 * mib, 32 * mib, 64 * mib});
  CHECK(reached_capacity(8 * mib, 300 * mib, 30.0, 150.0, slow_from(1000 * mib)) == 300 * mib);
  CHECK(reached_capacity(8 * mib, 300 * mib, 30.0, 150.0, slow_from(1)) == 8 * mib);
  asked.clear();
  CHECK(reached_capacity(8 * mib, 300 * mib, 30.0, 40.0, slow_from(1)) == 300 * mib); // no difference to see
  CHECK(asked.empty());
}

TEST_CASE("a clock cycle is one addition that waits for another, and no core makes nine in a nanosecond") {
  CHECK(cycle_ns() > 0.11);
}
