#include "backends/profile/pass.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve;

namespace {

pass_request request(double took_ns) {
  pass_request q;
  q.task.work_flops = "2 * n";
  q.task.work_bytes = "8 * n";
  q.task.shapes = {{"n=1000", {{"n", 1000}}}};
  q.have[artefact_kind::evidence] =
      R"({"peak.flops_per_s":"1e9","peak.l1_bytes_per_s":"8e9","cache.l1d":32768,"peak.dram_bytes_per_s":"1e9"})";
  q.have[artefact_kind::timings] = R"({"n=1000":{"candidate_ns":)" + std::to_string(took_ns) + "}}";
  return q;
}

pass_result run(const pass_request& q) {
  auto out = find_pass("roofline")->run(q);
  REQUIRE(out);
  return std::move(*out);
}

} // namespace

TEST_CASE("the roof is the least time by work and peaks, and the nearer peak is the bound") {
  // 2000 operations take 2 us, 8000 bytes 1 us from the first level.
  const auto near = run(request(2500.0));
  REQUIRE(near.findings.size() == 1);
  CHECK(near.findings[0].bound == bound_class::compute);
  CHECK(near.findings[0].share == doctest::Approx(0.8));
  CHECK(near.findings[0].headroom == doctest::Approx(1.25));
  const auto roof = nlohmann::json::parse(near.made.at(artefact_kind::roof));
  CHECK(roof["compute_ns"] == doctest::Approx(2000.0));
  CHECK(roof["memory_ns"] == doctest::Approx(1000.0));
  CHECK(roof["level"] == "l1_bandwidth");
}

TEST_CASE("measured ceilings of each level of memory replace the judge's peaks, but not for tasks with threads") {
  auto q = request(2500.0);
  // 8000 bytes lie in the second level now, at half the rate: 2 us. The peak arithmetic is ten times the judge's.
  q.have[artefact_kind::ceilings] =
      R"({"l1_capacity":4096,"l1_bytes_per_s":9e9,"l2_capacity":65536,"l2_bytes_per_s":4e9,"flops_per_s":1e10})";
  auto roof = nlohmann::json::parse(run(q).made.at(artefact_kind::roof));
  CHECK(roof["level"] == "l2_bandwidth");
  CHECK(roof["memory_ns"] == doctest::Approx(2000.0));
  CHECK(roof["compute_ns"] == doctest::Approx(200.0));
  q.task.threads = true;
  roof = nlohmann::json::parse(run(q).made.at(artefact_kind::roof));
  CHECK(roof["level"] == "l1_bandwidth");
  CHECK(roof["compute_ns"] == doctest::Approx(2000.0));
}

TEST_CASE("far from every roof the finding names no bottleneck") {
  const auto far = run(request(100'000.0));
  REQUIRE(far.findings.size() == 1);
  CHECK(far.findings[0].bound == bound_class::unknown);
  CHECK(far.findings[0].headroom == doctest::Approx(50.0));
}

TEST_CASE("a task without declared work is skipped with the remedy") {
  auto q = request(2500.0);
  q.task.work_flops.clear();
  q.task.work_bytes.clear();
  const auto out = run(q);
  CHECK(out.made.empty());
  CHECK(out.skipped.find("declares no work") != std::string::npos);
  CHECK(out.remedy.find("[work]") != std::string::npos);
}
