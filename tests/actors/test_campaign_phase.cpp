#include "actors/campaign/campaign_phase.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace kevolve;

namespace {

constexpr size_t phases = phase_texts.size();
constexpr size_t events = event_texts.size();

std::set<campaign_phase> reachable_from(campaign_phase from) {
  std::set<campaign_phase> out{from};
  for (size_t before = 0; before != out.size();) {
    before = out.size();
    for (const auto& row : campaign_transitions())
      if (out.contains(row.from))
        out.insert(row.to);
  }
  return out;
}

} // namespace

TEST_CASE("every pair of phase and event gives the phase of its row, or is refused without a change") {
  size_t allowed = 0;
  for (size_t p = 0; p < phases; ++p)
    for (size_t e = 0; e < events; ++e) {
      const auto from = static_cast<campaign_phase>(p);
      const auto event = static_cast<campaign_event>(e);
      const auto rows = campaign_transitions();
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.from == from && r.event == event; });
      INFO(to_string(from) << " and " << to_string(event));
      const auto next = transition(from, event);
      CHECK(next.has_value() == (row != rows.end()));
      if (next)
        CHECK(*next == row->to);
      allowed += next ? 1U : 0U;
    }
  CHECK(allowed == campaign_transitions().size());
  CHECK(phases * events == 105);
}

TEST_CASE("every phase has a text of its own that reads back, and is reached from the first one") {
  std::set<std::string> texts;
  for (size_t p = 0; p < phases; ++p) {
    const auto x = static_cast<campaign_phase>(p);
    texts.insert(to_string(x));
    CHECK(parse_enum<campaign_phase>(to_string(x)) == x);
  }
  CHECK(texts.size() == phases);
  CHECK(!texts.contains(""));
  CHECK(reachable_from(campaign_phase::preparing).size() == phases);
  CHECK_FALSE(parse_enum<campaign_phase>("stopped"));
}

TEST_CASE("every event leads somewhere, and every row says what it means") {
  std::set<campaign_event> used;
  for (const auto& row : campaign_transitions()) {
    used.insert(row.event);
    CHECK(!std::string{row.meaning}.empty());
  }
  CHECK(used.size() == events);
}

TEST_CASE("a failed campaign stays failed, and a finished one goes on only from the queue") {
  CHECK(reachable_from(campaign_phase::failed).size() == 1);
  for (const auto& row : campaign_transitions())
    if (row.from == campaign_phase::finished)
      CHECK(row.to == campaign_phase::queued);
  CHECK(has_ended("finished"));
  CHECK(has_ended("failed"));
  CHECK_FALSE(has_ended("finishing"));
  CHECK_FALSE(has_ended("stopped"));
}

TEST_CASE("an end is recorded before the campaign counts as ended") {
  for (size_t p = 0; p < phases; ++p)
    if (const auto next = transition(static_cast<campaign_phase>(p), campaign_event::end))
      CHECK(*next == campaign_phase::finishing);
  phase_machine m;
  CHECK(m.apply(campaign_event::prepared));
  CHECK_FALSE(m.apply(campaign_event::stored_finished));
  CHECK(m.phase() == campaign_phase::running);
  CHECK(m.apply(campaign_event::end));
  CHECK_FALSE(m.apply(campaign_event::pause));
  CHECK(m.apply(campaign_event::stored_finished));
  CHECK(m.phase() == campaign_phase::finished);
}

TEST_CASE("docs/campaign-phases.md is the table") {
  const auto path = std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/campaign-phases.md";
  if (std::getenv("KEVOLVE_REWRITE") != nullptr)
    std::ofstream{path} << phases_document();
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  CHECK(text.str() == phases_document());
}
