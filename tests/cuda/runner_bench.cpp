// Measures with the runner, for comparison with other clocks, and writes raw samples as JSON. Not part of a test run:
//   KEVOLVE_BENCH_OUT=DIR cuda-runner-test -ns -tc="bench*"
// tests/cuda/bench/lease.py analyses the use of a lease.
#include "backends/framework/framework_source.hpp"
#include "backends/launch_plan/package.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

struct bench_kernel {
  const char* name;
  contract task;
};

contract gemm_task() {
  contract c;
  c.name = "gemm";
  c.entry = "gemm";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("a", argument_role::input, dtype::f32, {"m", "m"}),
                 array_argument("b", argument_role::input, dtype::f32, {"m", "m"}),
                 array_argument("c", argument_role::output, dtype::f32, {"m", "m"}), size_argument("m")};
  c.shapes = {shape_of("m=2048", {{"m", 2048}})};
  tolerance t;
  t.relative = 1e-3;
  t.absolute = 1e-3;
  c.tolerances = {t};
  c.work_flops = "2*m*m*m";
  c.timing.cold_cache = true;
  return c;
}

// Returns a task on a matrix; y has the given shape.
contract matrix_task(const std::string& name, const std::vector<std::string>& y, int64_t rows, tolerance t,
                     const std::string& bytes) {
  contract c;
  c.name = name;
  c.entry = name;
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"rows", "cols"}),
                 array_argument("y", argument_role::output, dtype::f32, y), size_argument("rows"),
                 size_argument("cols")};
  c.arguments[0].fill.std = 4.0;
  c.shapes = {shape_of("rows=" + std::to_string(rows) + " cols=4096", {{"rows", rows}, {"cols", 4096}})};
  c.tolerances = {t};
  c.work_bytes = bytes;
  c.timing.cold_cache = true;
  return c;
}

std::string list(const std::vector<double>& values) {
  std::string out = "[";
  for (const auto v : values)
    out += (out.size() > 1 ? "," : "") + std::to_string(v);
  return out + "]";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const auto c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c < ' ' ? ' ' : c);
  return out + "\"";
}

std::string as_json(const judge_outcome& o) {
  std::string out = "{\"verdict\":" + quoted(to_string(o.result)) + ",\"rule\":" + quoted(o.rule)
                    + ",\"fault\":" + quoted(o.trouble.kind + o.trouble.detail) + ",\"decision\":"
                    + std::to_string(static_cast<int>(o.decision)) + ",\"speedup\":" + std::to_string(o.speedup)
                    + ",\"judge_ms\":" + std::to_string(o.judge_ns / 1000000) + ",\"evidence\":{";
  bool first = true;
  for (const auto& [key, value] : o.evidence) {
    out += (first ? "" : ",") + quoted(key) + ":" + quoted(value);
    first = false;
  }
  out += "},\"shapes\":[";
  for (const auto& t : o.timings)
    out += (&t == &o.timings.front() ? "" : ",") + std::string{"{\"shape\":"} + quoted(t.shape)
           + ",\"floor_ns\":" + std::to_string(t.floor_ns) + ",\"candidate_ns\":" + list(t.candidate_ns)
           + ",\"baseline_ns\":" + list(t.baseline_ns) + "}";
  return out + "]}";
}

std::string folder() {
  const auto* text = std::getenv("KEVOLVE_BENCH_OUT");
  REQUIRE_MESSAGE(text != nullptr, "KEVOLVE_BENCH_OUT names a folder");
  return text;
}

} // namespace

TEST_CASE("bench: kernels against themselves" * doctest::skip()) {
  REQUIRE(why_no_device().empty());
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  std::ofstream out{folder() + "/kernels.json"};
  out << "{\"facts\":{";
  for (const auto& [key, value] : runner.hello().facts)
    out << (key == runner.hello().facts.begin()->first ? "" : ",") << quoted(key) << ":" << quoted(value);
  out << "}";
  judge_request probe;
  probe.job = random_id();
  probe.mode = judge_mode::probe;
  out << ",\"probe\":" << as_json(runner.ask(probe));
  const auto within = [](double relative, double absolute) {
    tolerance t;
    t.relative = relative;
    t.absolute = absolute;
    return t;
  };
  for (const auto& [name, task] :
       {bench_kernel{"gemm", gemm_task()},
        bench_kernel{"softmax", matrix_task("softmax", {"rows", "cols"}, 24'576, within(1e-4, 1e-9), "8*rows*cols")},
        bench_kernel{"transpose", matrix_task("transpose", {"cols", "rows"}, 8'192, within(0, 0), "8*rows*cols")},
        bench_kernel{"columns", matrix_task("columns", {"cols"}, 8'192, within(1e-3, 1e-2), "4*rows*cols")},
        bench_kernel{"powers", matrix_task("powers", {"rows", "cols"}, 6'144, within(1e-5, 1e-6), "8*rows*cols")}}) {
    const auto path = cuda_path(std::string{"bench/"} + name);
    const auto built = compile_cuda(read_text(path + ".cu"));
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    std::ofstream{folder() + "/" + name + ".cubin"} << unpack(built.artifact)->modules.at(0);
    auto request = request_for(task, compile_c(read_text(path + ".c"), {"-O3", "-march=native"}), built.artifact,
                               judge_mode::confirm);
    request.baseline = built.artifact;
    request.min_interval_pairs = 30;
    request.limit_ms = 200'000;
    const auto o = runner.ask(request);
    CHECK_MESSAGE(o.result == verdict::pass, o.rule << ": " << o.detail << o.trouble.detail);
    out << ",\"" << name << "\":" << as_json(o);
  }
  out << "}\n";
}

// KEVOLVE_BENCH_ROWS: rows of 4096 floats, 2^15 by default: 1 GiB of arrays. Two candidates are screened, and one of
// them is confirmed: the first pays for the inputs, the second shows a further candidate's time.
TEST_CASE("bench: a candidate's device time" * doctest::skip()) {
  REQUIRE(why_no_device().empty());
  const auto* rows = std::getenv("KEVOLVE_BENCH_ROWS");
  tolerance t;
  t.relative = 1e-4;
  t.absolute = 1e-9;
  auto task = matrix_task("softmax", {"rows", "cols"}, rows == nullptr ? 32'768 : std::atoi(rows), t, "8*rows*cols");
  task.arguments[0].edge = {"zeros", "large", "cancellation"};
  task.shapes.push_back(shape_of("rows=257 cols=129", {{"rows", 257}, {"cols", 129}}));
  task.shapes.back().held_out = true;
  const auto built = compile_cuda(read_text(cuda_path("bench/softmax.cu")));
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto reference =
      pack_framework({"softmax", "import torch\ndef softmax(x):\n    return torch.softmax(x, dim=-1)\n"});
  auto request = request_for(task, reference, built.artifact, judge_mode::admit);
  request.oracle = reference;
  request.limit_ms = 250'000;
  std::ofstream out{folder() + "/device_time.json"};
  out << "[";
  const std::pair<const char*, judge_mode> steps[]{{"admission", judge_mode::admit},
                                                   {"screening", judge_mode::screening},
                                                   {"screening again", judge_mode::screening},
                                                   {"confirmation", judge_mode::confirm},
                                                   {"confirmation again", judge_mode::confirm}};
  for (const auto& [name, mode] : steps) {
    request.mode = mode;
    const auto start = std::chrono::steady_clock::now();
    const auto o = runner.ask(request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%s: %.2f s, %s %s %s %s\n", name, took.count(), to_string(o.result).c_str(), o.rule.c_str(),
                o.detail.c_str(), o.trouble.detail.c_str());
    std::fflush(stdout);
    out << (name == steps[0].first ? "" : ",\n") << "{\"step\":" << quoted(name) << ",\"seconds\":" << took.count()
        << ",\"outcome\":" << as_json(o) << "}";
    out.flush();
  }
  out << "]\n";
}

TEST_CASE("bench: A/A sessions" * doctest::skip()) {
  REQUIRE(why_no_device().empty());
  const auto built = compile_cuda(read_text(cuda_path("honest/plain.cu")));
  REQUIRE(built.result == verdict::pass);
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto* seconds = std::getenv("KEVOLVE_BENCH_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds{seconds == nullptr ? 60 : std::atoi(seconds)};
  std::ofstream out{folder() + "/aa.json"};
  out << "[";
  bool first = true;
  auto request = request_for(iterate_task(), compile_c(iterate_reference, {"-O3", "-march=native"}), built.artifact);
  request.baseline = built.artifact;
  request.screening_ms = 10'000;
  request.limit_ms = 60'000;
  while (std::chrono::steady_clock::now() < end) {
    request.job = random_id();
    const auto o = runner.ask(request);
    CHECK_MESSAGE(o.result == verdict::pass, o.rule << ": " << o.detail << o.trouble.detail);
    out << (first ? "" : ",\n") << as_json(o);
    first = false;
  }
  out << "]\n";
}

namespace {

// Returns a copy of the source with that many useless steps, as most proposals of a search are a little slower or
// equal.
std::string with_waste(std::string source, int steps) {
  const auto at = source.find("  float a = x[i];");
  REQUIRE(at != std::string::npos);
  const auto waste = "  float waste = (float)threadIdx.x;\n  for (int j = 0; j < " + std::to_string(steps)
                     + "; ++j)\n    waste = waste * 0.5f + 1.0f;\n  if (waste == 12345.0f)\n    return;\n";
  return source.insert(at, waste);
}

struct batch_kernel {
  const char* name;
  int least; // steps of every copy
  int unit;  // steps that take a few percent of its time
};

} // namespace

// Judges candidates as in a generation: each is screened against the same champion, one right after the other. A
// quarter each are a few percent faster, equal, a few percent slower, and much slower. Kernels take 45 us and 1 ms.
TEST_CASE("bench: a batch of candidates" * doctest::skip()) {
  REQUIRE(why_no_device().empty());
  const auto* count = std::getenv("KEVOLVE_BENCH_CANDIDATES");
  const auto* only = std::getenv("KEVOLVE_BENCH_KERNEL");
  const auto reference = compile_c(iterate_reference, {"-O3", "-march=native"});
  for (const auto& t : {batch_kernel{"short", 0, 24}, batch_kernel{"long", 5'700, 250}}) {
    if (only != nullptr && std::string{only} != t.name)
      continue;
    std::vector<std::string> packages;
    for (const auto units : {0, 1, 2, 10}) {
      auto built = compile_cuda(with_waste(read_text(cuda_path("honest/plain.cu")), t.least + units * t.unit));
      REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
      packages.push_back(std::move(built.artifact));
    }
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    auto request = request_for(iterate_task(), reference, packages[1]);
    request.baseline = packages[1];
    request.screening_ms = 1'500; // as the evaluator requests
    request.screen_out = 1.08;
    request.limit_ms = 120'000;
    std::ofstream out{folder() + "/batch-" + t.name + ".json"};
    out << "[";
    for (int i = 0; i < (count == nullptr ? 200 : std::atoi(count)); ++i) {
      request.job = random_id();
      const auto kind = static_cast<size_t>(i) % packages.size();
      request.candidate = packages[kind];
      const auto start = std::chrono::steady_clock::now();
      const auto o = runner.ask(request);
      const auto took = std::chrono::nanoseconds{std::chrono::steady_clock::now() - start}.count();
      CHECK_MESSAGE(o.result == verdict::pass, o.rule << ": " << o.detail << o.trouble.detail);
      out << (i == 0 ? "" : ",\n") << "{\"kind\":" << kind << ",\"lease_ms\":" << static_cast<double>(took) / 1e6
          << ",\"outcome\":" << as_json(o) << "}";
    }
    out << "]\n";
  }
}
