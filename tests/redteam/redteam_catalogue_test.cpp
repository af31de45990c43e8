// Tests the catalogue of the red team: its table, its groups, and which cheats a screening may pass.
#include "backends/judge/native/edges_among_calls.hpp"
#include "tests/redteam/redteam_fixture.hpp"
#include "tests/support/judge_driver.hpp"
#include "tools/bench/redteam_judgement.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;
using namespace kevolve::redteam;

TEST_CASE("the catalogue's table names every cheat, with its control and its classes") {
  const auto table = read_file(folder() + "/README.md");
  std::set<std::string> classes;
  for (const auto& e : exhibits().cheats) {
    const auto at = table.find("| `" + e.name + "` |");
    REQUIRE_MESSAGE(at != std::string::npos, e.name);
    const auto line = table.substr(at, table.find('\n', at) - at);
    CHECK_MESSAGE(line.find("`" + e.control + "`") != std::string::npos, e.name);
    classes.insert(e.classes.begin(), e.classes.end());
  }
  for (const auto& id : classes)
    CHECK_MESSAGE(table.find("| " + id + " ") != std::string::npos, id);
}

TEST_CASE("every cheat is in one group that is tried") {
  for (const auto& e : exhibits().cheats)
    CHECK_MESSAGE(
        (process_classes + time_classes + answer_classes).find(e.classes.front().front()) != std::string::npos, e.name);
}

namespace {

judge_outcome screened(comparison_decision decision, const std::string& edge_calls) {
  judge_outcome o;
  o.result = verdict::pass;
  o.decision = decision;
  if (!edge_calls.empty())
    o.evidence[edge_calls_key("n=9 m=3")] = edge_calls;
  return o;
}

// Judges a cheat whose screenings have these outcomes in turn, and which a confirmation refuses.
judgement judged(const exhibit& e, const std::string& variant, std::vector<judge_outcome> screenings) {
  judge_request request;
  request.mode = judge_mode::screening;
  auto next = screenings.begin();
  const auto ask = [&](const judge_request& asked) -> result<judge_outcome> {
    if (asked.mode == judge_mode::screening)
      return next + 1 == screenings.end() ? *next : *next++;
    judge_outcome refused;
    refused.result = verdict::wrong_result;
    return refused;
  };
  return judge_exhibit(e, variant, request, ask).value();
}

} // namespace

TEST_CASE("a screening may pass a cheat only if no call in its window met a value of its edge") {
  exhibit e;
  e.verdicts = {"wrong_result"};
  e.windows["-DLAST=32"] = {5, 32, "large", "n=9 m=3"};
  const auto outside = screened(comparison_decision::faster, "zeros 7; large 1 2 4 33");
  CHECK(judged(e, "-DLAST=32", {outside}).left_to_confirmation);
  CHECK(judged(e, "-DLAST=32", {outside}).outcome.result == verdict::wrong_result);
  for (const auto* within : {"zeros 1; large 1 2 5", "large 32", "large 40; large 6"})
    CHECK(judged(e, "-DLAST=32", {screened(comparison_decision::faster, within)}).outcome.result == verdict::pass);
  CHECK(judged(e, "-DLAST=100", {outside}).outcome.result == verdict::pass); // declares no window
  // A screening that finds no gain does not look closely, and is repeated.
  const auto undecided = screened(comparison_decision::undecided, "");
  const auto again = judged(e, "", {undecided, undecided, screened(comparison_decision::faster, "large 1")});
  CHECK(again.repeated == 2);
  CHECK(again.outcome.decision == comparison_decision::faster);
  CHECK(judged(e, "", {undecided}).outcome.result == verdict::pass);
  CHECK(judged(e, "-DLAST=32", {undecided}).outcome.result == verdict::pass);
}
