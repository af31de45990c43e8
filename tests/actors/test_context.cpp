#include "actors/synthesis/context.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

campaign_spec spec_with_shapes() {
  campaign_spec spec;
  spec.task.task.name = "op";
  spec.task.reference_source = "void op(void) {}";
  shape_case shown;
  shown.name = "n=4096";
  shown.sizes["n"] = 4'096;
  shape_case hidden;
  hidden.name = "n=1009";
  hidden.sizes["n"] = 1'009;
  hidden.held_out = true;
  spec.task.task.shapes = {hidden, shown, hidden};
  return spec;
}

node_record tried(uint64_t index) {
  node_record n;
  n.index = index;
  n.result = verdict::wrong_result;
  n.detail = "detail";
  n.speedup = 0.5;
  n.proposal.genome = "genome " + std::to_string(index);
  n.proposal.flags = "flags";
  return n;
}

std::string names(const std::vector<ancestor>& xs) {
  std::string out;
  for (const auto& x : xs)
    out += x.genome + " ";
  return out;
}

} // namespace

TEST_CASE("a held-out shape never reaches a generator") {
  auto spec = spec_with_shapes();
  auto c = fixed_context(spec, {"baseline", "fast"}, "baseline", {{"cores", 2}});
  REQUIRE(c.task.shapes.size() == 1);
  CHECK(c.task.shapes[0].name == "n=4096");
  CHECK(encode(c.task).find("1009") == std::string::npos);
  CHECK(c.reference_source == spec.task.reference_source);
  CHECK(c.flag_menu == std::vector<std::string>{"baseline", "fast"});
  CHECK(c.baseline_flags == "baseline");
  CHECK(c.hardware.at("cores") == 2);
  CHECK(spec.task.task.shapes.size() == 3);
}

TEST_CASE("the memory operator selects the ancestors in a context") {
  synthesis_step s;
  s.parents = {3, 1};
  s.siblings = {2, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  s.seen = {3, 7};
  s.seed = 77;
  struct row {
    const char* memory;
    bool draft;
    std::vector<uint64_t> read;
    const char* parents;
    const char* siblings;
  };
  const char* last_eight = "genome 5 genome 6 genome 7 genome 8 genome 9 genome 10 genome 11 genome 12 ";
  std::vector<row> rows{
      {"parent", false, {1, 3}, "genome 3 genome 1 ", ""},
      {"none", false, {1, 3}, "genome 3 genome 1 ", ""},
      {"siblings", false, {1, 3, 5, 6, 7, 8, 9, 10, 11, 12}, "genome 3 genome 1 ", last_eight},
      {"both", false, {1, 3, 5, 6, 7, 8, 9, 10, 11, 12}, "genome 3 genome 1 ", last_eight},
      {"none", true, {}, "", ""},
      {"both", true, {5, 6, 7, 8, 9, 10, 11, 12}, "", last_eight},
  };
  for (const auto& r : rows) {
    INFO(r.memory << (r.draft ? ", draft" : ""));
    s.memory = r.memory;
    s.draft = r.draft;
    auto wanted = nodes_to_read(s);
    CHECK(wanted == r.read);
    std::map<uint64_t, ancestor> read;
    for (auto i : wanted)
      read[i] = to_ancestor(tried(i), "source");
    auto q = to_request(s, read);
    CHECK(names(q.parents) == r.parents);
    CHECK(names(q.siblings) == r.siblings);
    CHECK(q.seen == s.seen);
    CHECK(q.seed == 77);
    CHECK(q.draft == r.draft);
  }
}

TEST_CASE("the reference is never read as a node, and each node is read once") {
  synthesis_step s;
  s.memory = "both";
  s.parents = {0, 2};
  s.siblings = {2, 1};
  CHECK(nodes_to_read(s) == std::vector<uint64_t>{1, 2});
}

TEST_CASE("siblings that failed are read and shown under every operator but none") {
  synthesis_step s;
  s.parents = {3};
  s.siblings = {4, 5, 6, 7};
  s.failed = {5, 7};
  s.earlier_siblings = 90;
  const std::map<uint64_t, ancestor> read{
      {3, to_ancestor(tried(3), "source")}, {5, to_ancestor(tried(5), "source")}, {7, to_ancestor(tried(7), "source")}};
  s.memory = "parent";
  CHECK(nodes_to_read(s) == std::vector<uint64_t>{3, 5, 7});
  CHECK(names(to_request(s, read).siblings) == "genome 5 genome 7 ");
  CHECK(to_request(s, read).unshown == 92);
  s.memory = "none";
  CHECK(nodes_to_read(s) == std::vector<uint64_t>{3});
  CHECK(to_request(s, read).siblings.empty());
  for (uint64_t i = 8; i < 20; ++i)
    s.siblings.push_back(i);
  s.memory = "both";
  CHECK(nodes_to_read(s) == std::vector<uint64_t>{3, 5, 7, 12, 13, 14, 15, 16, 17, 18, 19});
  CHECK(names(to_request(s, read).siblings) == "genome 5 genome 7 ");
}

TEST_CASE("a model also sees the fastest candidate, unless a parent is it") {
  synthesis_step s;
  s.parents = {3};
  s.best.index = 5;
  const std::map<uint64_t, ancestor> read{{3, to_ancestor(tried(3), "source")}, {5, to_ancestor(tried(5), "source")}};
  s.memory = "parent";
  CHECK(nodes_to_read(s) == std::vector<uint64_t>{3});
  CHECK(nodes_to_read(s, true) == std::vector<uint64_t>{3, 5});
  CHECK(names(to_request(s, read).fastest) == "genome 5 ");
  s.memory = "none";
  CHECK(nodes_to_read(s, true) == std::vector<uint64_t>{3});
  CHECK(to_request(s, read).fastest.empty());
  s.memory = "both";
  s.parents = {5};
  CHECK(to_request(s, read).fastest.empty());
  s.draft = true;
  CHECK(nodes_to_read(s, true).empty());
  CHECK(to_request(s, read).fastest.empty());
}

TEST_CASE("a step continues without ancestors that cannot be read") {
  synthesis_step s;
  s.memory = "both";
  s.parents = {1, 2};
  s.siblings = {3};
  auto q = to_request(s, {{2, to_ancestor(tried(2), "source")}});
  CHECK(names(q.parents) == "genome 2 ");
  CHECK(q.siblings.empty());
}

TEST_CASE("an ancestor has its source and the judge's findings, with bounded length") {
  auto n = tried(1);
  n.detail = std::string(5'000, 'x');
  auto a = to_ancestor(n, "source");
  CHECK(a.source == "source");
  CHECK(a.genome == "genome 1");
  CHECK(a.flags == "flags");
  CHECK(a.verdict == "wrong_result");
  CHECK(a.speedup == 0.5);
  CHECK(a.detail == std::string(2'000, 'x'));
}

TEST_CASE("a parent has its last compile and evaluation: times, bottleneck, machine code") {
  node_record node;
  CHECK(feedback_evaluations(node).empty());
  const auto compiled = random_id();
  const auto compared = random_id();
  node.evaluations = {compiled};
  CHECK(feedback_evaluations(node) == std::vector<id128>{compiled});
  node.evaluations = {compiled, random_id(), compared};
  CHECK(feedback_evaluations(node) == std::vector<id128>{compiled, compared});

  evaluation_record screening;
  screening.outcome.evidence = {{"bound", "memory"}, {"bound.why", "83 %"}};
  shape_timing t;
  t.shape = "n=8";
  t.candidate_ns = {10.0};
  t.baseline_ns = {20.0};
  screening.outcome.timings = {t};
  baseline_figure eager;
  eager.name = "eager PyTorch";
  eager.set_speedup({2.0, 1.9, 2.1});
  evaluation_record last;
  note_baselines(last.outcome.evidence, {eager});
  ancestor confirmed;
  append_feedback(confirmed, last);
  append_feedback(confirmed, screening); // one without them takes none away
  REQUIRE(confirmed.baselines.size() == 1);
  CHECK(confirmed.baselines.front().name == "eager PyTorch");
  CHECK(confirmed.baselines.front().speedup == 2.0);
  evaluation_record compile;
  compile.outcome.evidence = {{"sass", "[]"}, {"sass.notes", "k: spills"}};
  for (const auto& order : {std::pair{&screening, &compile}, {&compile, &screening}}) {
    ancestor a;
    append_feedback(a, *order.first);
    append_feedback(a, *order.second);
    CHECK(a.bound == "memory");
    CHECK(a.bound_why == "83 %");
    CHECK(a.code_notes == "k: spills");
    CHECK(a.shape_ns.at("n=8") == 10.0);
    CHECK(a.baseline_ns.at("n=8") == 20.0);
    CHECK(a.baselines.empty());
  }
}
