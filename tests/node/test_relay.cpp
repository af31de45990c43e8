// Tests campaigns whose candidates come from outside.
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/recording.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <caf/scoped_actor.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>

using namespace kevolve;
using namespace kevolve::test;

namespace {

const std::vector<std::string> by_relay{"generator[0].kind=relay", "draft.candidates=4", "budget.candidates=6"};

// Returns eight partial sums, with a number in the code that makes every candidate different.
std::string reply_for(int serial) {
  return "summary: eight partial sums, version " + std::to_string(serial)
         + "\nflags: O3\n```c candidate.c\n#include <stdint.h>\n"
           "void row_energy(const float *x, float *y, int64_t rows, int64_t cols) {\n  volatile int version = "
         + std::to_string(serial)
         + ";\n  (void)version;\n"
           "  for (int64_t r = 0; r < rows; ++r) {\n    float s[8] = {0};\n    int64_t c = 0;\n"
           "    for (; c + 8 <= cols; c += 8)\n      for (int k = 0; k < 8; ++k)\n"
           "        s[k] += x[r * cols + c + k] * x[r * cols + c + k];\n"
           "    float sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));\n"
           "    for (; c < cols; ++c)\n      sum += x[r * cols + c] * x[r * cols + c];\n    y[r] = sum;\n  }\n}\n```\n";
}

template <class T, class... Ts>
result<T> ask_relay(live_node& n, Ts... xs) {
  caf::scoped_actor self{n.get().system()};
  result<T> out = fail(errc::internal, "no answer");
  self->request(n.get().relay(), std::chrono::seconds{60}, xs...)
      .receive([&](T& x) { out = std::move(x); }, [&](caf::error& e) { out = tl::unexpected(to_failure(e)); });
  return out;
}

std::optional<relay_prompt> take(live_node& n) {
  auto p = ask_relay<relay_prompt>(n, atom::next_v, relay_request{{}, "alice", 600'000'000'000});
  return p ? std::optional{*p} : std::nullopt;
}

std::string answer(live_node& n, const exchange_id& id, const std::string& text) {
  auto r = ask_relay<relay_receipt>(n, atom::answer_v, relay_answer{id, text, "alice", "pencil"});
  return r ? r->outcome : to_string(r.error());
}

size_t prompts(live_node& n) {
  auto all = ask_relay<std::vector<relay_prompt>>(n, atom::list_v);
  return all ? all->size() : 0;
}

} // namespace

TEST_CASE("a campaign's candidates come through the relay, across restarts of node and relay") {
  scratch_folder dir;
  id128 id;
  std::set<uint64_t> answered;
  int serial = 0;
  {
    live_node n{dir.path};
    id = n.submit("row_energy", by_relay);
    n.await(id, [&](const campaign_status&) { return prompts(n) == 4; });
    auto first = take(n);
    REQUIRE(first);
    CHECK(answer(n, first->id, reply_for(++serial)) == "candidate");
    answered.insert(first->id.node);
    n.await(id, [](const campaign_status& s) { return s.candidates == 1; });
    CHECK(answer(n, first->id, "another") != "candidate");
    REQUIRE(n.crash("relay"));
    n.await(id, [&](const campaign_status&) { return prompts(n) == 4; });
    auto held = take(n); // the lease survives the restart
    REQUIRE(held);
    answered.insert(held->id.node);
    CHECK(answer(n, held->id, "no code here") == "no_code");
  }
  live_node n{dir.path};
  n.submit("row_energy", by_relay);
  n.await(id, [&](const campaign_status& s) {
    if (auto p = take(n)) {
      CHECK((p->id.round == 1 || answered.insert(p->id.node).second)); // no question is asked twice
      CHECK(answer(n, p->id, reply_for(++serial)) == "candidate");
    }
    return s.state == "finished";
  });
  auto s = n.status(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == 6);
  CHECK(s.valid == 6);
  CHECK(s.best != 0);
  CHECK(s.speedup > 1.0);
  n.await(id, [&](const campaign_status&) { return prompts(n) == 0; });
  n.stop();
  audit(dir.path, id);

  auto data = store::open(dir.path);
  REQUIRE(data);
  auto kept = take_recording(**data, id);
  REQUIRE_MESSAGE(kept, (kept ? "" : to_string(kept.error())));
  auto back = parse_recording(to_json_text(*kept));
  REQUIRE_MESSAGE(back, (back ? "" : to_string(back.error())));
  const auto again = replay(*back);
  CHECK(again.difference == "");
  CHECK(again.nodes == 6);
  CHECK(again.choices == 6);
  CHECK(again.replies == 7);
  CHECK(again.refused == 1);
  CHECK(again.tree_hash == s.tree_hash);
  auto other_reply = *back;
  for (auto& x : other_reply.exchanges)
    if (x.id.round == 1) // the last answer about its node
      other_reply.texts[x.reply] = "summary: another\n```c candidate.c\nvoid row_energy(void) { }\n```\n";
  CHECK(replay(other_reply).difference.find("read as another candidate") != std::string::npos);
  const auto edited = parse_recording(to_json_text(other_reply)); // editing needs no run
  REQUIRE(!edited);
  CHECK(edited.error().detail.find("is not the one that was recorded") != std::string::npos);
  auto redacted = other_reply;
  for (const auto& x : redacted.exchanges)
    redacted.redacted.insert(x.reply);
  CHECK(parse_recording(to_json_text(redacted)));
  auto shorter = *back;
  shorter.events.resize(shorter.events.size() - 3);
  CHECK(replay(shorter).difference.find("recorded was") != std::string::npos);
  auto silent = *back;
  silent.exchanges.clear();
  CHECK(replay(silent).difference.find("not in the record") != std::string::npos);
  auto other_seed = *back;
  other_seed.spec.seed += 1;
  CHECK(replay(other_seed).difference.find("another seed") != std::string::npos);
  auto bytes = to_json_text(*kept);
  const auto at = bytes.find("\"time_ns\": ");
  REQUIRE(at != std::string::npos);
  bytes[at + 11] = bytes[at + 11] == '1' ? '2' : '1';
  const auto touched = parse_recording(bytes);
  REQUIRE(!touched);
  CHECK(touched.error().detail.find("its sha256 is another") != std::string::npos);
  CHECK(!parse_recording("{}"));
  const auto deep = R"({"kevolve_recording":2,"x":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  CHECK(!parse_recording(deep));
  CHECK(!parse_recording(to_json_text(*kept).substr(0, 1'000)));
}

TEST_CASE("a prompt is written after the results that it may use are there") {
  scratch_folder dir;
  live_node n{dir.path};
  auto at_once = std::string{"generator[0].in_flight=2"};
  SUBCASE("the second step waits for the draft's verdict") {}
  SUBCASE("with one candidate at once, each step waits for the verdict of the one before") {
    at_once = "generator[0].in_flight=1";
  }
  const auto id = n.submit("row_energy", {"generator[0].kind=relay", at_once, "draft.candidates=1",
                                          "budget.candidates=3", "memory={both=1.0}"});
  for (int serial = 1; serial <= 3; ++serial) {
    n.await(id, [&](const campaign_status&) { return prompts(n) != 0; });
    const auto p = take(n);
    REQUIRE(p);
    std::string text;
    for (const auto& turn : p->turns)
      text += turn.text;
    if (serial == 1 || at_once.ends_with("1"))
      CHECK(prompts(n) == 1);
    if (serial == 2 || (serial > 2 && at_once.ends_with("1")))
      CHECK_MESSAGE(text.find("version " + std::to_string(serial - 1)) != std::string::npos, text);
    CHECK((text.find("A call takes:") != std::string::npos) == (serial > 1));
    CHECK((text.find("# Current code: the reference") != std::string::npos) == (serial == 1));
    CHECK(answer(n, p->id, reply_for(serial)) == "candidate");
  }
  n.await_end(id);
}

TEST_CASE("with batches no prompt is prepared ahead of their results") {
  scratch_folder dir;
  live_options away;
  away.batch = {"cpu"};
  live_node n{dir.path, away};
  auto settings = by_relay;
  settings.emplace_back("search.in_flight=2");
  const auto id = n.submit("row_energy", settings);
  for (int serial = 1; serial <= 2; ++serial) {
    n.await(id, [&](const campaign_status&) { return prompts(n) != 0; });
    const auto p = take(n);
    REQUIRE(p);
    CHECK(answer(n, p->id, reply_for(serial)) == "candidate");
  }
  const auto rests =
      n.await(id, [](const campaign_status& s) { return s.state == "paused"; }, std::chrono::seconds{60});
  CHECK_MESSAGE(rests.reason.find("2 candidates wait for a batch") == 0, rests.reason);
  CHECK(prompts(n) == 0);
}

TEST_CASE("a model that never answers blocks neither other generators nor the campaign's end"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"generator=[{kind='transform'},{kind='relay',weight=5,in_flight=2}]",
                                    "budget.candidates=100000", "budget.wall=8s"});
  auto s = n.await_end(id);
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.valid > 0);
  CHECK(s.final_confirmed);
  n.await(id, [&](const campaign_status&) { return prompts(n) == 0; });
  n.stop();
  size_t withdrawn = 0;
  auto data = store::open(dir.path);
  REQUIRE(data);
  for (uint64_t i = 1; i <= s.candidates; ++i) {
    auto bytes = (*data)->get(table::nodes, keys::node(id, i));
    REQUIRE(bytes);
    REQUIRE(*bytes);
    auto node = decode_older<node_record>(**bytes);
    REQUIRE(node);
    withdrawn += node->rule == "withdrawn" ? 1U : 0U;
  }
  CHECK(withdrawn == 2);
}
