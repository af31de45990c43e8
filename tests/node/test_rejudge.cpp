// Tests judging an archive again: results that hold, results that do not, and the mark on a best candidate that does
// not.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/rejudge.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <caf/scoped_actor.hpp>

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

namespace {

evaluation judged(verdict v, double ci_low = 1.2) {
  evaluation e;
  e.result = v;
  e.rule = "a_rule";
  e.speedup = ci_low + 0.1;
  e.ci_low = ci_low;
  e.ci_high = ci_low + 0.2;
  return e;
}

node_record stood(verdict v, bool confirmed) {
  node_record r;
  r.result = v;
  r.confirmed = confirmed;
  return r;
}

} // namespace

TEST_CASE("a judgement is upheld if it gives the same result again") {
  CHECK(objection_to(stood(verdict::pass, true), judged(verdict::pass)).empty());
  CHECK(objection_to(stood(verdict::pass, false), judged(verdict::pass, 0.9)).empty()); // it was not called faster
  CHECK(objection_to(stood(verdict::crashed, false), judged(verdict::crashed)).empty());
  CHECK(objection_to(stood(verdict::pass, true), judged(verdict::pass, 0.99)).find("not shown") != std::string::npos);
  CHECK(objection_to(stood(verdict::pass, false), judged(verdict::cheating)).find("cheating: a_rule") == 0);
  CHECK_FALSE(objection_to(stood(verdict::crashed, false), judged(verdict::pass)).empty());
}

TEST_CASE("a best that no longer holds is marked in the results") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=3"});
  REQUIRE(n.await_end(id).final_confirmed);
  auto best = n.status(id).best;
  auto listed = find_stale(store_of(n.get()), id, {{"cpu", "another harness"}});
  REQUIRE(listed);
  REQUIRE_FALSE(listed->empty());
  auto what = listed->front();
  CHECK(what.best);
  CHECK(what.record.index == best);
  CHECK(find_stale(store_of(n.get()), id, {{"cpu", what.harness}})->empty());
  CHECK(find_stale(store_of(n.get()), id, {{"gpu", "another harness"}})->empty());
  CHECK(find_stale(store_of(n.get()), id128{1, 1}, {{"cpu", "another harness"}})->empty());

  // Simulates a cheat that the older judge missed: replaces the best by a candidate that does the reference's work
  // twice.
  append_request a;
  a.campaign = id;
  a.blobs.push_back("#include <stdint.h>\n"
                    "void row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n"
                    "  for (int again = 0; again < 2; ++again)\n    for (int64_t r = 0; r < rows; ++r) {\n"
                    "      volatile float sum = 0.0f;\n      for (int64_t c = 0; c < cols; ++c)\n"
                    "        sum += x[r * cols + c] * x[r * cols + c];\n      y[r] = sum;\n    }\n}\n");
  what.record.proposal.source = sha256_hex(a.blobs.front());
  for (const auto& f : n.get().find_target("cpu")->flag_menu())
    if (f.baseline)
      what.record.proposal.flags = f.name;
  caf::scoped_actor self{n.get().system()};
  self->request(n.get().journal(), std::chrono::seconds{60}, atom::append_v, a)
      .receive([](uint64_t) {}, [](caf::error& e) { FAIL(to_string(to_failure(e))); });
  auto said = rejudge(n.get(), what, std::chrono::seconds{120});
  REQUIRE_MESSAGE(said, to_string(said.error()));
  CHECK(said->objection.find("not shown to be faster") != std::string::npos);
  auto bytes = store_of(n.get()).get(table::index, keys::status(id));
  REQUIRE(bytes);
  auto status = decode<campaign_status>(bytes->value());
  REQUIRE(status);
  CHECK_FALSE(status->final_confirmed);
  CHECK(status->reason.find("no longer holds") != std::string::npos);
  // Now it is judged by that harness.
  CHECK(find_stale(store_of(n.get()), id, {{"cpu", said->harness}})->empty());
}
