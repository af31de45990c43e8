// The parts of a cluster that need neither PostgreSQL nor a daemon.
#include "actors/cluster/blob_cache.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/cluster/device_check.hpp"
#include "actors/cluster/job_blobs.hpp"
#include "runtime/base/ids.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

postgres::node_row node(const std::string& name, const std::string& state, uint32_t judges, const std::string& device) {
  postgres::node_row n;
  n.name = name;
  n.state = state;
  n.resources = {{"judge", "cpu", judge_hardware(device, "harness"), judges, ""}, {"compile", "cpu", "tools", 4, ""}};
  return n;
}

} // namespace

TEST_CASE("capacity is that of live nodes but this one") {
  const auto all = capacity_of_others({node("a", "live", 1, "zen"), node("b", "live", 2, "zen"),
                                       node("c", "gone", 8, "zen"), node("d", "draining", 8, "zen"),
                                       node("e", "live", 5, "golden"), node("self", "live", 3, "zen")},
                                      "self");
  CHECK(all.at({"judge", "cpu", "zen+harness"}) == 3);
  CHECK(all.at({"judge", "cpu", "golden+harness"}) == 5);
  CHECK(all.at({"compile", "cpu", "tools"}) == 12);
  cluster_board board;
  CHECK(board.nobody_judges("cuda", "harness", {}).empty()); // not known yet
  board.show(all, {{"cuda", "node 'x' is gone"}});
  CHECK(board.nobody_judges("cpu", "harness", {}).empty());
  CHECK(board.nobody_judges("cpu", "another judge", {}) == "none of them is there for target cpu");
  CHECK(board.nobody_judges("cuda", "harness", {}) == "none of them is there for target cuda: node 'x' is gone");
  CHECK(board.nobody_judges("cpu", "harness", "zen").empty());
  CHECK(board.nobody_judges("cpu", "harness", "silver")
        == "none of them is there for target cpu with the device that the campaign began with, 'silver'");
  CHECK(board.usual_device("cpu", "harness") == "golden");
  CHECK(board.usual_device("cpu", "another judge").empty());
  CHECK(board.usual_device("cuda", "harness").empty());
  CHECK(board.slots({"judge", "cpu", "zen+harness"}) == 3);
}

TEST_CASE("judges that get no jobs are named with the reason, some of many") {
  std::vector<postgres::node_row> all{node("a", "live", 1, "zen"), node("self", "draining", 1, "zen")};
  CHECK(absent_judges(all, "self").empty());
  all.push_back(node("b", "draining", 1, "zen"));
  all.push_back(node("c", "gone", 1, "golden"));
  CHECK(absent_judges(all, "self").at("cpu") == "node 'b' is draining, node 'c' is gone");
  for (const auto* more : {"d", "e", "f"})
    all.push_back(node(more, "left", 1, "zen"));
  CHECK(absent_judges(all, "self").at("cpu")
        == "node 'b' is draining, node 'c' is gone, node 'd' has left, and 2 more");
}

TEST_CASE("slots in progress are not free, by fingerprint") {
  const auto free = free_slots({{"judge", "gpu", "one", 2, ""}, {"judge", "gpu", "two", 1, ""}},
                               {{{"judge", "gpu", "one"}, 1}, {{"judge", "gpu", "two"}, 3}});
  REQUIRE(free.size() == 1);
  CHECK(free[0].hardware == "one");
  CHECK(free[0].slots == 1);
}

TEST_CASE("a node sends some jobs ahead of those that run, and none where nobody takes them") {
  CHECK(jobs_ahead(0) == 0);
  CHECK(jobs_ahead(1) == 2);
  CHECK(jobs_ahead(8) == 11);
}

TEST_CASE("objects leave a request once each, and come back as they were") {
  judge_request request;
  request.reference = "object";
  request.candidate = "another";
  request.baseline = "object";
  request.weights = "values";
  const auto whole = request;
  const auto blobs = detach_blobs(request);
  CHECK(blobs == std::vector<std::string>{"object", "another", "values"});
  CHECK(request.weights == sha256_hex("values"));
  CHECK(request.baseline == sha256_hex("object"));
  CHECK(request.oracle.empty());
  const auto refused =
      attach_blobs(request, [](const std::string&) -> result<std::string> { return fail(errc::not_found, "no blob"); });
  CHECK_FALSE(refused.has_value());
  const auto attached = attach_blobs(request, [&](const std::string& digest) -> result<std::string> {
    for (const auto& b : blobs)
      if (sha256_hex(b) == digest)
        return b;
    return fail(errc::not_found, "no blob");
  });
  REQUIRE(attached.has_value());
  CHECK(request.reference == whole.reference);
  CHECK(request.candidate == whole.candidate);
  CHECK(request.baseline == whole.baseline);
  CHECK(request.weights == whole.weights);
}

TEST_CASE("the cache keeps what was used last") {
  blob_cache cache{10};
  cache.keep("a", "12345");
  cache.keep("b", "12345");
  CHECK(cache.find("a") == "12345");
  cache.keep("c", "12345");
  CHECK_FALSE(cache.find("b").has_value());
  CHECK(cache.find("a").has_value());
  cache.keep("large", "12345678901");
  CHECK_FALSE(cache.find("large").has_value());
  CHECK(cache.bytes() == 10);
}

TEST_CASE("rates of a probe are compared, but not those of memory that cores share") {
  const auto rates = device_rates({{"peak.flops_per_s", "1.5e11"},
                                   {"peak.l1_bytes_per_s", "2e11"},
                                   {"peak.dram_bytes_per_s", "1e10"},
                                   {"copy_bytes_per_second", "nonsense"},
                                   {"cached_bytes_per_second", "0"}});
  CHECK(rates == std::map<std::string, double>{{"peak.flops_per_s", 1.5e11}, {"peak.l1_bytes_per_s", 2e11}});
}

TEST_CASE("the slowest device counts among those of a fingerprint") {
  const std::vector<device_reading> all{{"cpu:0", "a", "a", 1, {{"x", 3.0}, {"y", 1.0}}},
                                        {"cpu:1", "a", "a", 1, {{"x", 2.0}}},
                                        {"gpu:0", "b", "b", 1, {{"x", 1.0}}}};
  CHECK(lowest_rates(all, "a") == std::map<std::string, double>{{"x", 2.0}, {"y", 1.0}});
}

TEST_CASE("a device differs beyond the tolerance, in either direction, or by its fingerprint") {
  const std::map<std::string, postgres::expected_figure> expected{{"x", {100.0, 2}}};
  CHECK(differing_rate({{"x", 100.0 * device_tolerance}}, expected).empty());
  CHECK(differing_rate({{"x", 100.0 / device_tolerance}}, expected).empty());
  CHECK(differing_rate({{"x", 301.0}}, expected)
        == "x is 301, and 2 nodes with this fingerprint measured 100: beyond a factor of 3");
  CHECK(differing_rate({{"x", 33.0}}, {{"x", {100.0, 0}}})
        == "x is 33, and earlier this node measured 100: beyond a factor of 3");
  CHECK(differing_rate({{"y", 1.0}}, expected).empty()); // nobody has measured it
  CHECK(changed_fingerprint({"cpu:0", "a", "a", 0, {}}).empty());
  CHECK_FALSE(changed_fingerprint({"cpu:0", "a", "b", 0, {}}).empty());
}
