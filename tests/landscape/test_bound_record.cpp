// Bottlenecks that are added to a record: the choice of candidates, and a real record whose candidates are made again.
#include "tools/bench/landscape/bound_record.hpp"

#include "backends/profile/bound_class.hpp"
#include "tests/landscape/made_up.hpp"
#include "tests/support/judge_tasks.hpp"
#include "tools/bench/landscape/bound.hpp"
#include "tools/bench/landscape/recorder.hpp"
#include "tools/bench/landscape/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace kevolve;
using namespace kevolve::bench;

TEST_CASE("the fastest candidates with code of their own and no bottleneck yet are profiled first") {
  auto record = made_up();
  record.nodes.resize(1);
  put(record, step_kind::draft, "tile(L0,8)", 1.5);
  put(record, step_kind::draft, "tile(L0,16)", 3.0);
  put(record, step_kind::draft, "tile(L0,32)", 2.0);
  put(record, step_kind::draft, "tile(L0,64)", 4.0);
  put(record, step_kind::draft, "tile(L0,128)", 5.0);
  record.nodes[4].features["bound"] = 1.0;
  record.nodes[5].result = verdict::wrong_result;
  record.nodes[3].same_as = 2;
  CHECK(to_bound(record, 9) == std::vector<uint32_t>{2, 1});
  CHECK(to_bound(record, 1) == std::vector<uint32_t>{2});
}

TEST_CASE("candidates to profile stand evenly from the fastest to the slowest where there are many") {
  auto record = made_up();
  record.nodes.resize(1);
  for (const auto speedup : {1.5, 3.0, 2.0, 4.0, 5.0, 6.0})
    put(record, step_kind::draft, "tile(L0," + std::to_string(static_cast<int>(10 * speedup)) + ")", speedup);
  CHECK(to_bound(record, 3) == std::vector<uint32_t>{6, 4, 3});
  CHECK(to_bound(record, 6) == std::vector<uint32_t>{6, 5, 4, 2, 3, 1});
}

TEST_CASE("a candidate with the machine code of another shares its bottleneck") {
  auto record = made_up();
  record.nodes.resize(1);
  for (const auto* genome : {"a", "b", "c"})
    put(record, step_kind::draft, genome, 2.0);
  record.nodes[1].features["bound"] = 3.0;
  record.nodes[2].same_as = 1;
  CHECK(share_bounds(record) == 2);
  CHECK(record.nodes[2].features.at("bound") == 3.0);
  CHECK_FALSE(record.nodes[3].features.contains("bound"));
}

TEST_CASE("a source counts as the candidate's only with the features that the record holds") {
  const std::string source = "void f(float *x) { x[0] = 1.0f; }\n";
  landscape_node node;
  node.genome = "tile(L0,8)";
  node.features = features_of(source, node.genome);
  node.features["bound"] = 2.0;
  CHECK(is_same_code(node, source));
  CHECK(is_same_code(node, "/* a comment */ " + source));
  CHECK_FALSE(is_same_code(node, source + "int more;\n"));
  node.features.erase("code_bytes");
  CHECK_FALSE(is_same_code(node, source));
}

TEST_CASE("the candidates of a fresh record are made again from their moves, and profiled") {
  record_options o;
  o.bin = environment("KEVOLVE_BIN");
  o.task = environment("KEVOLVE_SOURCE") + "/config/tasks/softmax_rows.task.toml";
  o.out = "landscape-test-bounds";
  o.sizes = {{"rows", 16}, {"cols", 64}};
  o.seconds = 300.0;
  o.candidates = 3;
  o.again = 0;
  o.compilers = 1;
  std::remove(o.out.c_str());
  std::remove((o.out + ".part").c_str());
  const auto made = record_landscape(o);
  if (!made && made.error().code == errc::unsupported) {
    MESSAGE("skipped: ", made.error().detail);
    return;
  }
  REQUIRE(made);
  const auto before = read_landscape(o.out).value();
  bounding_options b;
  b.bin = o.bin;
  b.task = o.task;
  b.record = o.out;
  b.sizes = o.sizes;
  b.budget_s = 10.0;
  b.most = 1;
  const auto done = name_bounds(b);
  REQUIRE_MESSAGE(done, (done ? "" : done.error().detail));
  CHECK(done->changed == 0); // the present generator makes the same code of them
  CHECK(done->profiles == std::min<uint64_t>(1, to_bound(before, 9).size()));
  CHECK(done->named + done->unnamed == done->profiles);
  const auto after = read_landscape(o.out).value();
  REQUIRE(after.nodes.size() == before.nodes.size());
  for (size_t i = 0; i < after.nodes.size(); ++i) {
    auto without = after.nodes[i];
    without.features.erase("bound");
    CHECK(node_line(without) == node_line(before.nodes[i])); // nothing else changes
  }
  b.task = environment("KEVOLVE_SOURCE") + "/config/tasks/layernorm.task.toml";
  b.sizes.clear();
  const auto other = name_bounds(b);
  REQUIRE_FALSE(other);
  CHECK(other.error().detail.find("not of layernorm") != std::string::npos);
  std::remove(o.out.c_str());
  std::remove((o.out + ".part").c_str());
}

TEST_CASE(
    "the profile of a record's candidate reads its loops and ends with a diagnosis, and takes ceilings as they are") {
  bound_question q;
  q.bin = environment("KEVOLVE_BIN");
  profile_job job;
  job.task.entry = "f";
  job.task.arguments = {array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  job.task.shapes = {shape_of("n=64", {{"n", 64}})};
  job.target = "cpu";
  job.source = "void f(void) {}\n";
  job.language = "c";
  job.flags = "O3";
  if (!std::filesystem::exists(q.bin + "/kevolve-loop-probes.so")) {
    MESSAGE("skipped: kevolve-loop-probes.so is not built (apt-get install llvm-19-dev)");
    return;
  }
  const auto has = [](const std::vector<std::string>& all, const char* name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  const auto short_one = passes_of(q, job);
  CHECK(has(short_one, "cpu.loops"));
  CHECK(has(short_one, "cpu.diagnosis"));
  q.budget_s = 60.0;
  CHECK(has(passes_of(q, job), "cpu.ceilings"));
  q.ceilings = "{}";
  CHECK_FALSE(has(passes_of(q, job), "cpu.ceilings"));
}
