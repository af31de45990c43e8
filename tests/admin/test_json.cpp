#include "runtime/node/admin/paging.hpp"
#include "runtime/node/admin/problem.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

using namespace kevolve;

TEST_CASE("numbers that JSON cannot express become null") {
  json x{{"a", std::numeric_limits<double>::quiet_NaN()}, {"b", -std::numeric_limits<double>::infinity()}, {"c", 0.1}};
  CHECK(to_text(x) == R"({"a":null,"b":null,"c":0.1})");
}

TEST_CASE("invalid UTF-8 does not break the document") {
  auto text = to_text(json{{"a", std::string{"x\xff y"}}});
  CHECK(json::parse(text)["a"].get<std::string>() == "x\xEF\xBF\xBD y");
}

TEST_CASE("times are UTC with nanoseconds") {
  CHECK(time_json(1'700'000'000'000'000'001) == "2023-11-14T22:13:20.000000001Z");
  CHECK(time_json(0).is_null());
}

TEST_CASE("pages cover a list without gap or overlap") {
  std::vector<int> all(23);
  std::iota(all.begin(), all.end(), 0);
  for (uint64_t limit : {1U, 7U, 23U, 100U}) {
    std::vector<int> seen;
    uint64_t cursor = 0;
    for (;;) {
      auto page = page_of(all, {cursor, limit}, [](int i) { return json(i); });
      CHECK(page["total"] == 23);
      CHECK(page["truncated"] == page["next"].is_string());
      for (const auto& i : page["items"])
        seen.push_back(i.get<int>());
      if (!page["next"].is_string())
        break;
      cursor = std::stoull(page["next"].get<std::string>());
    }
    CHECK(seen == all);
  }
  CHECK(page_of(all, {99, 10}, [](int i) { return json(i); })["items"].empty());
  CHECK(page_of(all, {UINT64_MAX, UINT64_MAX}, [](int i) { return json(i); })["items"].empty());
}

TEST_CASE("every kind of failure has its problem") {
  for (auto i = static_cast<uint8_t>(errc::bad_input); i <= static_cast<uint8_t>(errc::internal); ++i) {
    auto response = to_response(to_problem({static_cast<errc>(i), "why"}));
    CAPTURE(response.body);
    CHECK(response.status >= 400);
    CHECK(response.content_type == "application/problem+json");
    auto body = json::parse(response.body);
    CHECK(body["type"].get<std::string>().starts_with("urn:kevolve:problem:"));
    CHECK(body["status"] == response.status);
    CHECK(body["detail"] == "why");
  }
  CHECK(to_problem({errc::not_found, ""}).status == 404);
  CHECK(to_problem({errc::conflict, ""}).status == 409);
  CHECK(to_problem({errc::unavailable, ""}).status == 503);
  CHECK(to_problem({errc::timed_out, ""}).status == 504);
}

TEST_CASE("a row written as text equals the tree of values") {
  const std::vector<std::string> texts{
      "", "plain", "a \"quote\" and \\", "line\nend\t\x01", "Grüße ⟨⟩", "broken \xff\xfe utf-8"};
  const std::vector<double> numbers{0.0, -0.0, 1.0, 0.1, 1e300, 1e-300, 123456789.123, std::nan(""), INFINITY};
  json_row row;
  json tree = json::object();
  int n = 0;
  const auto key = [&] { return "k" + std::to_string(n++); };
  for (const auto& t : texts) {
    auto k = key();
    row.add(k, t);
    tree[k] = t;
    k = key();
    row.add_or_null(k, t);
    tree[k] = or_null(t);
  }
  for (auto x : numbers) {
    const auto k = key();
    row.add(k, x);
    tree[k] = x;
  }
  for (auto x : {int64_t{0}, INT64_MIN, INT64_MAX, int64_t{1'795'500'000'123'456'789}, int64_t{1}}) {
    auto k = key();
    row.add(k, x);
    tree[k] = x;
    k = key();
    row.add_time(k, x);
    tree[k] = time_json(x);
  }
  const auto k = key();
  row.add(k, UINT64_MAX).add("yes", true).add_json("list", json::array({1, 2}));
  tree[k] = UINT64_MAX;
  tree["yes"] = true;
  tree["list"] = {1, 2};
  CHECK(row.done() == to_text(tree));
  CHECK(json_row{}.done() == "{}");
  CHECK(time_json(1'795'500'000'123'456'789) == "2026-11-24T06:00:00.123456789Z");
}

TEST_CASE("a page of rows written as text equals the page of values") {
  const std::vector<std::string> rows{"{\"a\":1}", "{\"a\":2}"};
  const auto values = json::array({{{"a", 1}}, {{"a", 2}}});
  CHECK(json::parse(page_text(rows, 2, 5)) == page_json(values, 2, 5));
  CHECK(json::parse(page_text(rows, 2, 2)) == page_json(values, 2, 2));
  CHECK(json::parse(page_text({}, 0, 0)) == page_json(json::array(), 0, 0));
  CHECK(json::parse(page_text(rows, 2, 5, {{"complete", true}}))["complete"] == true);
}

TEST_CASE("samples are summarised by median and bounds") {
  CHECK(spread_json({}).is_null());
  CHECK(spread_json({3, 1, 2}) == json{{"median", 2.0}, {"min", 1.0}, {"max", 3.0}, {"samples", 3}});
  CHECK(spread_json({4, 1, 2, 3})["median"] == 2.5);
}

TEST_CASE("an event with an invalid payload is shown as such") {
  journal_event e;
  e.sequence = 5;
  e.kind = event_kind::node_finished;
  e.payload = "garbage";
  auto shown = to_json(e);
  CHECK(shown["kind"] == "node_finished");
  CHECK(shown["data"].contains("undecodable"));
}

TEST_CASE("a reused verdict names the campaign and the candidate that it was measured for") {
  node_record n;
  CHECK(to_json(n)["reused_from"].is_null());
  n.reused_from = {{1, 2}, 5};
  CHECK(to_json(n)["reused_from"] == json{{"campaign", to_string(id128{1, 2})}, {"candidate", 5}});
  n.reused_from.index = 0; // judged without a tree
  CHECK(to_json(n)["reused_from"]["candidate"].is_null());
  node_brief b;
  b.reused_from = {{1, 2}, 5};
  CHECK(json::parse(to_text(b))["reused_from"]["candidate"] == 5);
  campaign_status s;
  s.best = 3;
  s.reused_from = {{1, 2}, 5};
  CHECK(to_json(s)["best"]["reused_from"]["candidate"] == 5);
}

TEST_CASE("without a new measurement of the baseline's code there is no interval") {
  node_record n;
  n.rule = "same_object";
  n.speedup = n.ci_low = n.ci_high = 1.5;
  CHECK(to_json(n)["interval"].is_null());
  n.rule = "screened";
  CHECK(to_json(n)["interval"] == json::array({1.5, 1.5}));
  judge_outcome o;
  o.rule = "same_object";
  o.speedup = o.ci_low = o.ci_high = 1.0;
  CHECK(to_json(o, false)["interval"].is_null());
}

TEST_CASE("an interval has its coverage, and is called ci95 only if that is 95 per cent") {
  node_record n;
  n.set_speedup({1.2, 1.1, 1.3});
  n.basis = {0.875, 4, 1};
  auto shown = to_json(n);
  CHECK(shown["interval"] == json::array({1.1, 1.3}));
  CHECK(shown["coverage"] == 0.875);
  CHECK(shown["pairs"] == 4);
  CHECK(shown["sessions"] == 1);
  CHECK(shown["ci95"].is_null());
  n.basis = {0.95, 30, 5};
  CHECK(to_json(n)["ci95"] == json::array({1.1, 1.3}));
  n.basis = {}; // stored by a version that did not say
  shown = to_json(n);
  CHECK(shown["interval"] == json::array({1.1, 1.3}));
  CHECK(shown["coverage"].is_null());
  CHECK(shown["ci95"].is_null());

  node_brief b;
  b.set_speedup({1.2, 1.1, 1.3});
  b.basis = {0.875, 4, 1};
  const auto row = json::parse(to_text(b));
  CHECK(row["coverage"] == 0.875);
  CHECK(row["ci95"].is_null());

  shape_timing t;
  t.set_speedup({1.2, 1.1, 1.3});
  t.baseline_ns = t.candidate_ns = {1, 2, 3, 4};
  CHECK(to_json(t, false)["coverage"] == 0.875);
  judge_outcome o;
  o.set_speedup({1.2, 1.1, 1.3});
  o.evidence = {{"pairs", "4"}, {"thinned.n=1", "12 pairs"}};
  t.shape = "n=1";
  o.timings = {t};
  CHECK(to_json(o, false)["coverage"] == 0.875);
  CHECK(to_json(o, false)["shapes"][0]["pairs"] == 12); // not those that are left of them
  CHECK(to_json(o, false)["shapes"][0]["sessions"] == 1);
  o.evidence["interval.coverage"] = "0.95";
  o.evidence["interval.sessions"] = "5";
  CHECK(to_json(o, false)["sessions"] == 5);
  CHECK(to_json(o, false)["shapes"][0]["sessions"] == 5);
  CHECK(to_json(o, false)["shapes"][0]["includes_session_spread"] == false);

  campaign_status s;
  s.best = 1;
  s.set_speedup({1.2, 1.1, 1.3});
  s.shapes = {t}; // a campaign that an earlier version ended
  CHECK(to_json(s)["best"]["coverage"] == 0.875);
  CHECK(to_json(s)["best"]["ci95"].is_null());
}

TEST_CASE("baselines stand in JSON with the best of them, and null for one that was not timed") {
  campaign_status s;
  s.best = 3;
  CHECK(to_json(s)["best"]["baselines"].empty());
  CHECK(to_json(s)["best"]["best_baseline"].is_null());
  CHECK(to_json(s)["best"]["speedup_vs_best_baseline"].is_null());
  baseline_figure eager;
  eager.name = "eager PyTorch";
  eager.set_speedup({0.43, 0.42, 0.44});
  eager.coverage = 0.96;
  eager.time_ns = 430.0;
  baseline_figure failed;
  failed.name = "torch.compile default";
  failed.note = "raised";
  s.baselines = {eager, failed};
  const auto shown = to_json(s)["best"];
  REQUIRE(shown["baselines"].size() == 2);
  CHECK(shown["baselines"][0]["name"] == "eager PyTorch");
  CHECK(shown["baselines"][0]["speedup"] == 0.43);
  CHECK(shown["baselines"][0]["interval"] == json::array({0.42, 0.44}));
  CHECK(shown["baselines"][0]["coverage"] == 0.96);
  CHECK(shown["baselines"][0]["time_ns"] == 430.0);
  CHECK(shown["baselines"][1]["speedup"].is_null());
  CHECK(shown["baselines"][1]["note"] == "raised");
  CHECK(shown["best_baseline"] == "eager PyTorch");
  CHECK(shown["speedup_vs_best_baseline"] == 0.43);
  CHECK(shown["baseline_headline"] == "slower than eager PyTorch: 0.43x as fast, 0.42 to 0.44");
  judge_outcome o;
  note_baselines(o.evidence, s.baselines);
  CHECK(to_json(o, false)["best_baseline"] == "eager PyTorch");
}

TEST_CASE("both figures of a confirmation are shown, with the headline") {
  CHECK(outputs_json({}, 1.0).is_null());
  const auto both = outputs_json({{1.5, 1.4, 1.6}, {1.1, 1.0, 1.2}}, 1.1);
  CHECK(both["headline"] == "read");
  CHECK(both["not_read"]["speedup"] == 1.5);
  CHECK(both["read"]["interval"] == json::array({1.0, 1.2}));
  CHECK(outputs_json({{1.5, 1.4, 1.6}, {1.1, 1.0, 1.2}}, 1.5)["headline"] == "not_read");
  const auto device = outputs_json({{1.5, 1.4, 1.6}, {}}, 1.5);
  CHECK(device["headline"] == "not_read");
  CHECK(device["read"].is_null());
}
