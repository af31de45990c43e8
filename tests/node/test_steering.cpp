#include "actors/campaign/promotion.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>

using namespace kevolve;
using namespace kevolve::test;

namespace {

steer_request wish(steer_action action, uint64_t index = 0) {
  steer_request q;
  q.action = action;
  q.by = "alice";
  q.index = index;
  return q;
}

// Returns a slower copy of the task's reference, which passes.
candidate twin(const std::string& mark) {
  candidate c;
  c.language = "c";
  c.flags = "O3";
  c.source = "#include <stdint.h>\n/* " + mark
             + " */\nvoid row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n"
               "  for (int64_t i = 0; i < rows; i++) {\n    float s = 0.0f;\n"
               "    for (int64_t j = 0; j < cols; j++)\n      s += x[i * cols + j] * x[i * cols + j];\n"
               "    y[i] = s;\n  }\n}\n";
  return c;
}

const node_brief* find_row(const std::vector<node_brief>& tree, uint64_t index) {
  auto i = std::find_if(tree.begin(), tree.end(), [&](const auto& n) { return n.index == index; });
  return i == tree.end() ? nullptr : &*i;
}

} // namespace

TEST_CASE("changes of a paused campaign survive a restart, and a repeated request has one effect"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  id128 id;
  uint64_t given = 0;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", {"budget.candidates=1000"});
    n.await(id, [](const campaign_status& s) { return s.candidates >= 3; });
    REQUIRE(n.pause(id, "to steer"));
    n.await(id, [](const campaign_status& s) { return s.in_flight == 0; });
    auto q = wish(steer_action::priority);
    q.priority = 300;
    REQUIRE(n.steer(id, q));
    CHECK_FALSE(n.steer(id, q)->changed);
    q = wish(steer_action::budget);
    q.set_candidates = true;
    q.budget.candidates = 20;
    REQUIRE(n.steer(id, q));
    REQUIRE(n.steer(id, wish(steer_action::pin, 1)));
    REQUIRE(n.steer(id, wish(steer_action::ban, 2)));
    CHECK(n.steer(id, wish(steer_action::pin, 2)).error().code == errc::conflict);
    CHECK(n.steer(id, wish(steer_action::ban, 0)).error().code == errc::bad_input);
    CHECK(n.steer(id, wish(steer_action::pin, 999)).error().code == errc::not_found);
    q = wish(steer_action::inject, 1);
    q.what = twin("first");
    q.what.flags = "no such set";
    CHECK(n.steer(id, q).error().code == errc::bad_input);
    q.what = twin("first");
    auto injected = n.steer(id, q);
    REQUIRE_MESSAGE(injected, (injected ? "" : to_string(injected.error())));
    given = injected->index;
    CHECK(injected->changed);
    auto again = n.steer(id, q);
    REQUIRE(again);
    CHECK(again->index == given);
    CHECK_FALSE(again->changed);
    CHECK(n.status(id).in_flight == 1); // waits until the campaign resumes
  }
  live_node n{dir.path};
  n.submit("row_energy", {"budget.candidates=1000"});
  auto s = n.await(id, [](const campaign_status& x) { return x.state == "paused"; });
  CHECK(s.priority == 300);
  CHECK(s.budget_candidates == 20);
  CHECK(s.pinned == std::vector<uint64_t>{1});
  CHECK(s.banned == std::vector<uint64_t>{2});
  REQUIRE(n.resume(id));
  auto judged = n.await(id, [&](const campaign_status&) {
    auto tree = n.tree(id);
    const auto* row = find_row(tree, given);
    return row != nullptr && row->state == "finished";
  });
  auto tree = n.tree(id);
  CHECK(find_row(tree, given)->result == verdict::pass);
  CHECK(find_row(tree, given)->injected_by == "alice");
  CHECK(find_row(tree, given)->parents == std::vector<uint64_t>{1});
  CHECK(find_row(tree, 1)->pinned);
  auto end = n.await_end(id);
  CHECK(end.stop_reason == end_reason::budget);
  CHECK(end.candidates == 20);
  n.stop();
  auto f = audit(dir.path, id);
  CHECK(f.steered.injected.at(given).by == "alice");
  for (const auto& row : f.tree.nodes())
    if (row.index > given)
      for (auto parent : row.parents)
        CHECK_FALSE(is_banned(f.tree, f.steered.banned, parent));
}

namespace {

std::vector<std::string> reopened_because(const std::string& data_dir, const id128& campaign) {
  auto data = store::open(data_dir);
  REQUIRE(data);
  const auto records = (*data)->read_events(campaign, 1, 1'000'000);
  REQUIRE(records);
  std::vector<std::string> out;
  for (const auto& r : *records)
    if (static_cast<event_kind>(r.kind) == event_kind::campaign_steered)
      if (auto x = decode<steering_record>(r.payload); x && x->action == steer_action::reopen)
        out.push_back(x->reason);
  return out;
}

} // namespace

TEST_CASE("a campaign ended by its budget continues once that is raised, also after a restart") {
  scratch_folder dir;
  id128 id;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", {"budget.candidates=3"});
    auto s = n.await_end(id);
    REQUIRE(s.stop_reason == end_reason::budget);
    auto refused = n.resume(id);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::conflict);
    CHECK(refused.error().detail.find("3 candidates are used up") != std::string::npos);
    auto q = wish(steer_action::budget);
    q.set_candidates = true;
    q.budget.candidates = 4;
    REQUIRE(n.steer(id, q));
    REQUIRE(n.resume(id));
    s = n.await(id, [](const campaign_status& x) { return x.state == "finished" && x.candidates >= 4; });
    CHECK(s.candidates == 4);
  }
  live_node n{dir.path};
  REQUIRE(n.wake(id)); // nobody runs it
  const auto early = n.resume(id);
  REQUIRE_FALSE(early); // the answer comes from the stored events
  CHECK(early.error().detail.find("4 candidates are used up; raise its budget first") != std::string::npos);
  auto q = wish(steer_action::budget);
  q.set_candidates = true;
  q.budget.candidates = 5;
  auto raised = n.steer(id, q);
  REQUIRE_MESSAGE(raised, (raised ? "" : to_string(raised.error())));
  CHECK(n.resume(id, "one more")->state == "queued");
  auto s = n.await(id, [](const campaign_status& x) { return x.state == "finished" && x.candidates >= 5; });
  CHECK(s.candidates == 5);
  n.stop();
  auto f = audit(dir.path, id);
  CHECK(f.tree.hash() == s.tree_hash);
  CHECK(f.ended);
  CHECK(reopened_because(dir.path, id) == std::vector<std::string>{"its budget was raised", "one more"});
}

TEST_CASE("a ban replaces the champion, and undoing it restores the champion") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=1000"});
  auto s = n.await(id, [](const campaign_status& x) { return x.best != 0; });
  REQUIRE(n.pause(id, "to steer"));
  s = n.await(id, [](const campaign_status& x) { return x.in_flight == 0; });
  auto banned = n.steer(id, wish(steer_action::ban, s.best));
  REQUIRE_MESSAGE(banned, (banned ? "" : to_string(banned.error())));
  CHECK(banned->status.best != s.best);
  auto back = n.steer(id, wish(steer_action::unban, s.best));
  REQUIRE(back);
  CHECK(back->status.speedup == s.speedup); // campaigns of one node share evaluations of the same code
  const auto tree = n.tree(id);
  CHECK(find_row(tree, back->status.best)->speedup == find_row(tree, s.best)->speedup);
  CHECK(back->status.banned.empty());
  REQUIRE(n.cancel(id, "enough"));
  n.stop();
  audit(dir.path, id);
}

TEST_CASE("the number of running campaigns is limited; the next by priority starts when one ends") {
  scratch_folder dir;
  live_node n{dir.path, {.places = 1}};
  auto first = n.submit("row_energy", {"budget.candidates=1000"});
  n.await(first, [](const campaign_status& s) { return s.state == "running"; });
  auto second = n.submit("row_energy", {"seed=2", "budget.candidates=2", "judge.fresh=true"});
  auto third = n.submit("row_energy", {"seed=3", "budget.candidates=2", "judge.fresh=true"});
  CHECK(n.await(second, [](const campaign_status& s) { return s.state == "queued"; }).candidates == 0);
  n.await(third, [](const campaign_status& s) { return s.state == "queued"; });
  auto q = wish(steer_action::priority);
  q.priority = 500;
  REQUIRE(n.steer(third, q));
  REQUIRE(n.cancel(first, "make room"));
  auto started = n.await(third, [](const campaign_status& s) { return s.state != "queued"; });
  CHECK(started.priority == 500);
  n.await_end(third);
  n.await_end(second);
  n.stop();
  // The second began after the third had ended.
  auto b = audit(dir.path, second);
  auto c = audit(dir.path, third);
  CHECK(c.last_sequence < b.last_sequence);
}

TEST_CASE("a waiting campaign can be paused and resumed; a paused one starts nothing when it gets its place"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path, {.places = 1}};
  const auto is_paused = [](const campaign_status& s) { return s.state == "paused"; };
  auto first = n.submit("row_energy", {"budget.candidates=1000"});
  n.await(first, [](const campaign_status& s) { return s.state == "running"; });
  auto second = n.submit("row_energy", {"seed=2", "budget.candidates=2"});
  n.await(second, [](const campaign_status& s) { return s.state == "queued"; });
  auto answer = n.pause(second, "not today");
  REQUIRE_MESSAGE(answer, (answer ? "" : to_string(answer.error())));
  CHECK(answer->state == "paused");
  CHECK(n.resume(second)->state == "queued");
  REQUIRE(n.pause(second, "not today"));
  n.stop();
  live_node again{dir.path, {.places = 1, .resume_all = true}};
  CHECK(again.await(second, is_paused).reason == "not today");
  CHECK(again.await(first, [](const campaign_status& s) { return s.state == "running"; }).state
        == "running"); // took its place
  REQUIRE(again.cancel(first, "make room"));
  again.await_end(first);
  auto third = again.submit("row_energy", {"seed=3", "budget.candidates=2"});
  CHECK(again.await(third, [](const campaign_status& s) { return s.state == "queued"; }).candidates == 0);
  answer = again.resume(second);
  REQUIRE_MESSAGE(answer, (answer ? "" : to_string(answer.error())));
  CHECK(again.await_end(second).candidates == 2);
  again.await_end(third);
  again.stop();
  audit(dir.path, second);
}

namespace {

// Returns a candidate that is correct and very fast until that wall-clock time, and wrong in every later call.
candidate sound_until(std::chrono::system_clock::time_point when) {
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
  candidate c;
  c.language = std::string(1, 'c');
  c.flags = "O3";
  c.source = "#include <stdint.h>\n#include <time.h>\n"
             "typedef float vec __attribute__((vector_size(64), aligned(4)));\n"
             "void row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n"
             "  struct timespec now;\n  clock_gettime(CLOCK_REALTIME, &now);\n"
             "  if (now.tv_sec >= "
             + std::to_string(second)
             + ")\n    return;\n"
               "  for (int64_t r = 0; r < rows; ++r, x += cols) {\n"
               "    vec p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};\n    float sum = 0.0f;\n    int64_t c = 0;\n"
               "    for (; c + 64 <= cols; c += 64) {\n      const vec *v = (const vec *)(x + c);\n"
               "      p0 += v[0] * v[0];\n      p1 += v[1] * v[1];\n      p2 += v[2] * v[2];\n"
               "      p3 += v[3] * v[3];\n    }\n"
               "    for (; c < cols; ++c)\n      sum += x[c] * x[c];\n"
               "    p0 += p1 + p2 + p3;\n"
               "    for (int k = 0; k < 16; ++k)\n      sum += p0[k];\n    y[r] = sum;\n  }\n}\n";
  return c;
}

// Injects the first candidate into a new campaign, where it becomes the best, then pauses the campaign with nothing in
// flight.
uint64_t promote_injected(live_node& n, const id128& id, const candidate& what) {
  n.status(id); // ensures that its events are read
  REQUIRE(n.pause(id, "to inject"));
  n.await(id, [](const campaign_status& s) { return s.state == "paused" && s.in_flight == 0; });
  auto q = wish(steer_action::inject, 0);
  q.what = what;
  const auto injected = n.steer(id, q);
  REQUIRE_MESSAGE(injected, (injected ? "" : to_string(injected.error())));
  REQUIRE(n.resume(id));
  n.await(id, [&](const campaign_status& s) { return s.best == injected->index; });
  REQUIRE(n.pause(id, "it is the best"));
  n.await(id, [](const campaign_status& s) { return s.state == "paused" && s.in_flight == 0; });
  REQUIRE(n.status(id).best == injected->index);
  return injected->index;
}

} // namespace

TEST_CASE("a champion that fails as baseline or in the final confirmation is replaced, and the campaign continues"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path};
  const auto until = std::chrono::system_clock::now() + std::chrono::seconds{25};
  const auto what = sound_until(until);
  const auto racing = n.submit("row_energy", {"budget.candidates=1000", "search.in_flight=1"});
  const auto baseline = promote_injected(n, racing, what);
  const auto ending = n.submit("row_energy", {"seed=2", "budget.candidates=1000", "search.in_flight=1"});
  const auto last = promote_injected(n, ending, what);
  REQUIRE_MESSAGE(std::chrono::system_clock::now() < until, "too slow a machine for this test");
  n.await(racing, [&](const campaign_status&) { return std::chrono::system_clock::now() >= until; });

  const auto before = n.status(racing).candidates;
  REQUIRE(n.resume(racing));
  const auto s =
      n.await(racing, [&](const campaign_status& x) { return x.best != baseline && x.candidates >= before + 2; });
  CHECK(s.state == "running");
  auto tree = n.tree(racing);
  CHECK(find_row(tree, baseline)->result == verdict::nonfinite);
  CHECK_FALSE(find_row(tree, baseline)->confirmed);
  REQUIRE(n.cancel(racing, "seen"));

  auto q = wish(steer_action::budget);
  q.set_candidates = true;
  q.budget.candidates = n.status(ending).candidates;
  REQUIRE(n.steer(ending, q));
  REQUIRE(n.resume(ending));
  const auto end = n.await_end(ending);
  CHECK(end.state == "finished");
  CHECK(end.stop_reason == end_reason::budget);
  CHECK(end.best != last);
  tree = n.tree(ending);
  CHECK(find_row(tree, last)->result == verdict::nonfinite);
  n.stop();
  audit(dir.path, racing);
  const auto f = audit(dir.path, ending);
  CHECK(f.champion.index == end.best);
  if (end.best == 0) // those that only looked faster were tried first
    CHECK_MESSAGE(most_promising(f) == 0, most_promising(f));
}
