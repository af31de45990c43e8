// The passes with this machine's tools. A pass whose tool is missing says so and is not run.
#include "backends/cpu/performance_unit.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/plain_calls.hpp"
#include "backends/cpu/profile/profile_build.hpp"
#include "backends/profile/locked_sandbox.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

using namespace kevolve;
using nlohmann::json;

namespace {

// y[0] is the sum of n products, in n rounds of an inner loop of 4 that is unrolled, and one loop ends by `break`.
constexpr const char* source = R"(#include <stdint.h>
void f(const float *restrict x, float *restrict y, int64_t n) {
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k)
      s += x[i] * (float)k;
  int64_t at = 0;
  while (at < n) {
    if (x[at] > 1e30f || at == 10)
      break;
    ++at;
  }
  y[0] = s + (float)at;
}
)";

argument array(const char* name, argument_role role, const char* extent) {
  argument a;
  a.name = name;
  a.role = role;
  a.shape = {extent};
  return a;
}

struct place {
  std::string folder = std::filesystem::temp_directory_path() / "kevolve-passes-XXXXXX";
  locked_pass_sandbox sandbox;
  pass_request q;

  place() {
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    q.task.name = "f";
    q.task.entry = "f";
    argument n;
    n.name = "n";
    n.role = argument_role::size;
    n.type = dtype::i64;
    q.task.arguments = {array("x", argument_role::input, "n"), array("y", argument_role::output, "1"), n};
    shape_case shape;
    shape.name = "n=3000";
    shape.sizes = {{"n", 3000}};
    q.task.shapes = {shape};
    q.target = "cpu";
    q.source = source;
    q.language = "c";
    q.flags = "O3";
    q.deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    q.budget_s = 60.0;
    q.folder = folder;
    q.bin_dir = std::getenv("KEVOLVE_BIN");
    q.sandbox = &sandbox;
  }
  place(const place&) = delete;
  place& operator=(const place&) = delete;
  ~place() { std::filesystem::remove_all(folder); }

  // Returns what the pass made of this kind; null if it cannot run here.
  json made(const profile_pass& p, artefact_kind kind) {
    if (p.available != nullptr)
      if (const auto there = p.available(q); !there.available) {
        MESSAGE(p.name << " is skipped: " << there.reason << "; " << there.remedy);
        CHECK_FALSE(there.reason.empty());
        return {};
      }
    const auto out = p.run(q);
    REQUIRE_MESSAGE(out, (out ? "" : to_string(out.error())));
    REQUIRE_MESSAGE(out->made.contains(kind), out->skipped);
    return json::parse(out->made.at(kind));
  }
};

} // namespace

TEST_CASE("counts the rounds of every loop of the source, unrolled ones too") {
  place here;
  const auto loops = here.made(cpu_loops_pass(), artefact_kind::loops);
  if (loops.is_null())
    return;
  REQUIRE(loops.at("loops").size() == 3);
  const auto& outer = loops["loops"][0];
  const auto& inner = loops["loops"][1];
  const auto& broken = loops["loops"][2];
  CHECK(outer.at("line") == 4);
  CHECK(outer.at("entries") == 1.0);
  CHECK(outer.at("trips") == 3000.0);
  CHECK(inner.at("line") == 5);
  CHECK(inner.at("parent") == 0);
  CHECK(inner.at("entries") == 3000.0);
  CHECK(inner.at("trips") == 4.0);
  CHECK(broken.at("trips") == 11.0);
}

TEST_CASE("times the loops whose entries are long, and no others") {
  place here;
  const auto loops = here.made(cpu_loops_pass(), artefact_kind::loops);
  if (loops.is_null())
    return;
  CHECK(loops["loops"][0].contains("ns")); // 12000 dependent additions
  CHECK_FALSE(loops["loops"][1].contains("ns"));
}

TEST_CASE("the times of a call's loops, each without the loops inside, add up to the call of the same run") {
  place here;
  // Two nests one after the other, and next to nothing outside of them.
  here.q.source = R"(#include <stdint.h>
void f(const float *restrict x, float *restrict y, int64_t n) {
  float s = 0.0f;
  for (int64_t k = 0; k < 40; ++k)
    for (int64_t i = 0; i < n; ++i)
      s += x[i] * (float)k;
  for (int64_t i = 0; i < 20 * n; ++i)
    s = s * 0.5f + x[i % n];
  y[0] = s;
}
)";
  const auto loops = here.made(cpu_loops_pass(), artefact_kind::loops);
  if (loops.is_null())
    return;
  double sum_ns = 0.0;
  size_t timed = 0;
  for (const auto& l : loops["loops"])
    if (l.contains("ns")) {
      sum_ns += l.at("self_ns").get<double>();
      ++timed;
    }
  CHECK(timed == 3);
  // Sum and call are of the same calls, so that a busy machine stretches both.
  const auto whole_ns = loops.at("probed_call_ns").get<double>();
  CHECK(sum_ns >= 0.9 * whole_ns);
  CHECK(sum_ns <= 1.02 * whole_ns);
  CHECK(sum_ns == doctest::Approx(loops.at("outermost_ns").get<double>()).epsilon(0.01));
}

TEST_CASE("says why a loop was not vectorised") {
  place here;
  here.q.source = "#include <stdint.h>\nvoid f(const float *x, float *y, int64_t n) {\n  float s = 0;\n"
                  "  for (int64_t i = 0; i < n; ++i)\n    s += x[i];\n  y[0] = s;\n}\n";
  const auto remarks = here.made(cpu_remarks_pass(), artefact_kind::remarks);
  bool told = false;
  for (const auto& r : remarks)
    told = told || (r.at("line") == 5 && r.at("name") == "CantReorderFPOps");
  CHECK(told);
}

TEST_CASE("finds the dependency chain of a sum") {
  place here;
  const auto ports = here.made(cpu_ports_pass(), artefact_kind::ports);
  if (ports.is_null())
    return;
  CHECK(ports.at("bottleneck") == "dependency");
  CHECK(ports.at("cycles_per_iteration").get<double>() > 2.0 * ports.at("throughput_cycles").get<double>());
  CHECK_FALSE(ports.at("ports").empty());
}

TEST_CASE("counts exactly and labels the counts as other code") {
  place here;
  const auto first = here.made(cpu_exact_counts_pass(), artefact_kind::exact_counts);
  if (first.is_null())
    return;
  CHECK(first.at("other_code") == true);
  CHECK(first.at("instructions").get<double>() > 12'000.0);
  CHECK(first.at("lines").size() > 0);
  place again;
  CHECK(again.made(cpu_exact_counts_pass(), artefact_kind::exact_counts).at("instructions")
        == first.at("instructions"));
}

TEST_CASE("reports each experiment with its interval") {
  place here;
  const auto all = here.made(cpu_experiments_pass(), artefact_kind::experiments);
  std::set<std::string> names;
  for (const auto& e : all) {
    names.insert(e.at("name").get<std::string>());
    CHECK(e.at("ci_low").get<double>() <= e.at("speedup").get<double>());
    CHECK(e.at("pairs").get<size_t>() >= 3);
  }
  CHECK(names.contains("flush_to_zero"));
  CHECK(names.contains("sorted_values"));
  CHECK(names.contains("moved_array"));
}

TEST_CASE("reports a candidate that dies under a profiler as an error of the pass") {
  place here;
  here.q.source = "#include <stdint.h>\nvoid f(const float *x, float *y, int64_t n) { __builtin_trap(); }\n";
  const auto out = cpu_experiments_pass().run(here.q);
  REQUIRE_FALSE(out);
  CHECK(out.error().detail.find("signal") != std::string::npos);
}

namespace {

// Gives a candidate a fraction of a second, and tools the time that they need: a slow compiler ends no test.
class hasty_sandbox : public locked_pass_sandbox {
public:
  step_result run_candidate(const locked_command& command) override {
    ++candidates;
    auto hurried = command;
    hurried.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{300};
    return locked_pass_sandbox::run_candidate(hurried);
  }
  int candidates = 0;
};

} // namespace

TEST_CASE("a candidate that hangs under a profiler ends at the pass's limit, as an error of the pass") {
  place here;
  here.q.source = "#include <stdint.h>\nvoid f(const float *x, float *y, int64_t n) {\n"
                  "  for (volatile int64_t i = 0; i >= 0;)\n    ;\n}\n";
  for (const auto& p : {cpu_loops_pass(), cpu_experiments_pass()}) {
    CAPTURE(p.name);
    if (p.available != nullptr && !p.available(here.q).available)
      continue;
    hasty_sandbox limited;
    here.q.sandbox = &limited;
    const auto out = p.run(here.q);
    REQUIRE_FALSE(out);
    CHECK(out.error().detail.find("calls: it ran past the pass's limit") != std::string::npos);
    CHECK(limited.candidates == 1);
  }
}

namespace {

// Counts the runs of the compiler; a candidate is run as a tool, too.
class counting_sandbox : public locked_pass_sandbox {
public:
  step_result run_tool(const locked_command& command, const std::vector<std::string>& readable) override {
    tools += command.argv.front().find("clang") == std::string::npos ? 0 : 1;
    return locked_pass_sandbox::run_tool(command, readable);
  }
  int tools = 0;
};

} // namespace

TEST_CASE("a program that an earlier pass of the job has built is taken over, and another one is built") {
  if (!profile_builds_available().available)
    return;
  place first;
  place second;
  std::map<std::string, std::string> built;
  counting_sandbox counted;
  for (auto* q : {&first.q, &second.q}) {
    q->built = &built;
    q->sandbox = &counted;
  }
  REQUIRE(build_calls(first.q, {}));
  const auto of_one = counted.tools;
  CHECK(of_one > 0);
  profile_build same;
  same.name = "again";
  REQUIRE(build_calls(second.q, same));
  CHECK(counted.tools == of_one);
  CHECK(read_profile_file(second.q, "again").value() == read_profile_file(first.q, "calls").value());
  const auto ran = run_plain_calls(second.q, 20); // it takes the program over, too, and runs it
  CHECK(ran);
  CHECK(counted.tools == of_one);
  auto other = second.q;
  other.source += "\nstatic int unused;\n";
  for (const auto& [q, flags] : {std::pair{&other, ""}, std::pair{&second.q, "-march=x86-64-v3"}}) {
    const auto before = counted.tools;
    profile_build b;
    if (*flags != '\0')
      b.flags = {flags};
    REQUIRE(build_calls(*q, b));
    CHECK(counted.tools > before);
  }
}

TEST_CASE("shows counters, or says plainly that there are none") {
  place here;
  const auto pass = cpu_counters_pass();
  CHECK(pass.available(here.q).available == counters_obstacle().empty());
  const auto counters = here.made(pass, artefact_kind::counters);
  if (counters.is_null()) {
    CHECK(pass.available(here.q).reason == counters_obstacle());
    return;
  }
  CHECK(counters.at("instructions").get<double>() > 10'000.0);
  if (!top_down_of(performance_unit_of(here.q.core)).events.empty())
    CHECK(counters.at("top_down").at("retiring").get<double>() > 0.0);
}
