// Replays the winners of published campaigns, which must come out clean: a gain that rests on undefined behaviour, or
// on bytes beside an array, is none. `tools/bench/run mutation --replay` does the same for the winners of all machines.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

struct winner {
  std::string task;
  std::string language;
  std::string flags;
  std::string source;
};

std::vector<winner> winners_of(const std::string& campaign) {
  const auto text =
      read_file(std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/results/quality-" + campaign + ".json");
  std::vector<winner> out;
  const auto document = nlohmann::json::parse(text);
  for (const auto& t : document.at("tasks"))
    if (t.contains("source"))
      out.push_back({t.at("task"), t.at("campaign").at("winner").at("language"),
                     t.at("campaign").at("winner").at("flags"), t.at("source")});
  return out;
}

// Returns the task that a campaign is named after; the one of softmax_rows is called softmax.
task_spec task_of(const std::string& name) {
  const auto config = std::string{std::getenv("KEVOLVE_SOURCE")} + "/config/";
  for (const auto& path : {"tasks/" + name, "tasks/" + name + "_rows", "examples/" + name})
    if (auto spec = load_task(config + path + ".task.toml"))
      return std::move(*spec);
  FAIL("no task of the campaign " << name);
  return {};
}

// Flag sets with wide vectors are offered where the processor has them.
bool is_offered(const std::string& flags) {
  return flags.find("vec512") == std::string::npos || __builtin_cpu_supports("avx512f") != 0;
}

void check_clean(const std::vector<winner>& winners) {
  for (const auto& w : winners) {
    if (!is_offered(w.flags)) {
      MESSAGE("skipped: the winner of " << w.task << " is built with " << w.flags);
      continue;
    }
    const auto o = bench().judge(task_of(w.task), w.language, w.source, w.flags);
    CHECK_MESSAGE(o.result == verdict::pass, w.task << ": " << summary(o));
    CHECK_MESSAGE(o.evidence.contains(sanitised_evidence), w.task << ": " << summary(o));
    CHECK_MESSAGE(!o.evidence.contains(unsanitised_evidence), w.task << ": " << summary(o));
    CHECK_MESSAGE(!o.evidence.contains(sanitised_note_evidence), w.task << ": " << summary(o));
  }
}

} // namespace

TEST_CASE("winners of short campaigns come out clean of the sanitised replay") {
  auto winners = winners_of("zen5");
  std::erase_if(winners,
                [](const auto& w) { return !holds({"softmax", "row_statistics", "bucketize_ragged"}, w.task); });
  CHECK(winners.size() == 3);
  check_clean(winners);
}

TEST_CASE("every winner of the published campaigns comes out clean of the sanitised replay"
          * doctest::test_suite("long")) {
  for (const auto* campaign : {"zen5", "unseen"}) {
    const auto winners = winners_of(campaign);
    CHECK(winners.size() >= 6);
    check_clean(winners);
  }
}
