// Replays candidates that touch what is not theirs, and those that would escape the sanitizers.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("a candidate that touches what is not its own is refused in the replay, with its line") {
  const auto honest = load_replay_fixtures(redteam_folder("replay/honest"));
  const auto elsewhere = load_replay_fixtures(redteam_folder("honest"));
  for (const auto& f : load_replay_fixtures(redteam_folder("replay/cheats"))) {
    const auto o = bench().judge(f);
    INFO(f.name << " " << summary(o));
    CHECK(holds(f.verdicts, to_string(o.result)));
    CHECK(holds(f.rules, o.rule));
    CHECK(o.detail.find(f.says) != std::string::npos);
    const auto is_near = [&](const auto& h) { return h.name == f.near; };
    CHECK((std::any_of(honest.begin(), honest.end(), is_near)
           || std::any_of(elsewhere.begin(), elsewhere.end(), is_near)));
  }
}
