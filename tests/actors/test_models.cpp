// Tests the models actor with scripted providers and a real journal, in virtual time.
#include "actors/journal/journal.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/models/models.hpp"
#include "actors/synthesis/exchange.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_store.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <fstream>

using namespace kevolve;

namespace {

constexpr int64_t second = 1'000'000'000;
const id128 campaign{3, 4};
const std::string good = "summary: another way\n```c candidate.c\nvoid op(void) { }\n```\n";

provider_end answered(const std::string& text = good, int64_t in = 1'000, int64_t out = 200) {
  provider_end e;
  e.answered = true;
  e.text = text;
  e.figures.status = 200;
  e.figures.model_answered = "m-1";
  e.figures.finish = "stop";
  e.figures.input_tokens = in;
  e.figures.output_tokens = out;
  return e;
}

provider_end failed(llm::failure_class what, llm::failure_action action, int status = 0,
                    int64_t delay_ms = unknown_count) {
  provider_end e;
  e.what = what;
  e.action = action;
  e.words = to_string(what) + " it was";
  e.delay_ms = delay_ms;
  e.figures.status = status;
  return e;
}

// Answers as scripted. Without a script it does not answer.
struct scripted_state {
  std::vector<caf::typed_response_promise<provider_end>> waiting;
  ~scripted_state() {
    for (auto& p : waiting)
      abandon(p, "the provider's actor");
  }
};
struct script {
  std::deque<provider_end> ends;
  std::vector<provider_request> asked;
  std::vector<uint64_t> cancelled;
  bool deaf = false; // its answer is under way when the cancel arrives
};
using script_ptr = std::shared_ptr<script>;

provider_actor::behavior_type scripted(provider_actor::stateful_pointer<scripted_state> self, script_ptr s) {
  return {
      [self, s](atom::ask, provider_request& q) -> caf::result<provider_end> {
        s->asked.push_back(q);
        if (!s->ends.empty()) {
          auto e = s->ends.front();
          s->ends.pop_front();
          return e;
        }
        auto p = self->make_response_promise<provider_end>();
        self->state.waiting.push_back(p);
        return p;
      },
      [self, s](atom::cancel, uint64_t serial) {
        s->cancelled.push_back(serial);
        if (s->deaf)
          return;
        provider_end e;
        e.cancelled = true;
        for (auto& p : std::exchange(self->state.waiting, {}))
          p.deliver(e);
      },
      [self](atom::answer, uint64_t, provider_end& e) {
        for (auto& p : std::exchange(self->state.waiting, {}))
          p.deliver(e);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

provider_spec spec_of(const std::string& name) {
  provider_spec s;
  s.name = name;
  s.kind = "vllm";
  s.model = "m";
  s.price = {2.0, 10.0, -1.0, -1.0, "USD"};
  return s;
}

store_options on(test::faulty_disk& disk) {
  store_options o;
  o.env = disk.env();
  return o;
}

struct service : virtual_system {
  test::faulty_disk sick;
  temporary_store disk{on(sick)};
  int64_t now = 1'000 * second;
  std::vector<provider_spec> specs{spec_of("first"), spec_of("second")};
  std::map<std::string, script_ptr> scripts;
  std::map<std::string, provider_actor> providers;
  std::shared_ptr<model_board> board = std::make_shared<model_board>(std::vector<std::string>{"first", "second"});
  journal_actor log;
  models_actor office;

  service() {
    log = spawn_tracked(system, statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});
    for (const auto& s : specs)
      scripts[s.name] = std::make_shared<script>();
  }
  ~service() {
    close();
    stop(caf::actor_cast<caf::actor>(log));
    log = nullptr;
    run();
    disk.data.reset(); // must end before its file system
  }
  void open() {
    models_setup setup;
    setup.journal = log;
    setup.board = board;
    setup.now_ns = [this] { return now; };
    for (const auto& s : specs) {
      providers[s.name] = system.spawn(scripted, scripts[s.name]);
      auto plan = plan_of(s);
      REQUIRE_MESSAGE(plan, plan.error().detail);
      setup.sources.push_back({*plan, providers[s.name]});
    }
    office = spawn_tracked(system, statuses, "models", "models", 0, models, setup);
    run();
  }
  void close() {
    if (office)
      stop(caf::actor_cast<caf::actor>(office));
    for (auto& [name, p] : providers)
      stop(caf::actor_cast<caf::actor>(p));
    run();
    office = nullptr;
    providers.clear();
  }
  // Answers the request that waits for that provider.
  void deliver(const std::string& provider, const provider_end& e) {
    caf::anon_send(providers[provider], atom::answer_v, uint64_t{0}, e);
    run();
  }
  void pass_s(int64_t s) {
    now += s * second;
    pass(std::chrono::seconds{s});
  }
  model_question question(uint64_t node) {
    model_question q;
    q.record.id = {campaign, node, 0, 0};
    q.record.kind = "llm";
    q.turns = {{"system", "what it is about"}, {"user", "write it"}};
    q.rules.current = {{"candidate.c", "void op(void);\n"}};
    q.rules.entry = "op";
    q.terms.reply_tokens = 1'000;
    auto a = synthesis::asked(q);
    ask<uint64_t>(log, atom::append_v, a);
    run();
    return q;
  }
  std::shared_ptr<reply<model_reply>> put(const model_question& q) {
    auto out = ask<model_reply>(office, atom::ask_v, q);
    run();
    return out;
  }
  exchange_record stored(uint64_t node) {
    auto bytes = disk.data->get(table::index, keys::exchange({campaign, node, 0, 0}));
    REQUIRE((bytes && *bytes));
    auto r = decode<exchange_record>(**bytes);
    REQUIRE(r);
    return *r;
  }
  llm::ledger ledger(const std::string& key) {
    auto bytes = disk.data->get(table::index, key);
    REQUIRE((bytes && *bytes));
    auto l = decode<llm::ledger>(**bytes);
    REQUIRE(l);
    return *l;
  }
  std::vector<provider_status> list() {
    auto out = ask<std::vector<provider_status>>(office, atom::list_v);
    run();
    REQUIRE(out->value);
    return *out->value;
  }
};

} // namespace

TEST_CASE("the board keeps nothing for a campaign that has left or never listened") {
  model_board board;
  call_event e;
  e.id.campaign = campaign;
  board.ended(e);
  CHECK(board.take_ended(campaign).empty());
  board.listen(campaign, [] {});
  board.ended(e);
  CHECK(board.take_ended(campaign).size() == 1);
  CHECK(board.take_ended(campaign).empty());
  board.spent_out(campaign, "all of it");
  board.ended(e);
  board.leave(campaign);
  board.ended(e);
  CHECK(board.take_ended(campaign).empty());
  CHECK(board.spent_out(campaign).empty());
}

TEST_CASE("a campaign submitted again after it was forgotten has spent nothing") {
  service s;
  s.board->listen(campaign, [] {});
  s.open();
  s.scripts["first"]->ends = {answered(), answered(), answered()};
  REQUIRE(s.put(s.question(1))->value);
  REQUIRE(s.put(s.question(2))->value);
  CHECK(s.ledger(keys::spent_by(campaign)).spent.calls == 2);
  s.board->leave(campaign);
  transaction forgotten{{}, {write_op::erase(table::index, keys::spent_by(campaign))}};
  REQUIRE(s.disk.data->commit({&forgotten, 1}));
  REQUIRE(s.put(s.question(3))->value);
  CHECK(s.ledger(keys::spent_by(campaign)).spent.calls == 1);
}

TEST_CASE("an answer is stored with its usage before it is delivered") {
  service s;
  s.board->listen(campaign, [] {});
  s.open();
  s.scripts["first"]->ends = {answered()};
  const auto got = s.put(s.question(1));
  REQUIRE(got->value);
  CHECK(got->value->text == good);
  const auto r = s.stored(1);
  CHECK(r.answered);
  CHECK(r.outcome == "candidate");
  CHECK(r.answered_by == "first");
  CHECK(r.model == "m-1");
  REQUIRE(r.calls.size() == 1);
  const auto& c = r.calls.front();
  CHECK(c.number == 1);
  CHECK(c.outcome == "answered");
  CHECK(c.input_tokens == 1'000);
  CHECK(c.output_tokens == 200);
  CHECK(c.money == 1'000 * 2'000 + 200 * 10'000); // in billionths: 2 and 10 per million tokens
  REQUIRE(s.scripts["first"]->asked.size() == 1);
  CHECK(c.request == sha256_hex(s.scripts["first"]->asked[0].body)); // identical bytes
  const auto l = s.ledger(keys::spent_by(campaign));
  CHECK(l.spent.calls == 1);
  CHECK(l.spent.tokens == 1'200);
  CHECK(l.output_tokens == 200);
  CHECK(l.open.empty());
  const auto told = s.board->take_ended(campaign);
  REQUIRE(told.size() == 1);
  CHECK(told.front().spent.tokens == 1'200);
  CHECK(s.board->take_ended(campaign).empty());
}

TEST_CASE("a retryable error is retried after the requested wait") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::rate_limited, llm::failure_action::retry, 429, 5'000),
                              answered()};
  const auto got = s.put(s.question(1));
  CHECK(!got->come());
  s.pass_s(4);
  CHECK(s.scripts["first"]->asked.size() == 1);
  s.pass_s(30);
  REQUIRE(got->value);
  const auto r = s.stored(1);
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls[0].outcome == "rate_limited");
  CHECK(r.calls[0].money == 0); // rejected before it was sent
  CHECK(r.calls[1].number == 2);
}

TEST_CASE("a call sent to another provider costs nothing at the first") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::redirected, llm::failure_action::hold_provider, 307)};
  s.scripts["second"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.stored(1).calls.at(0).money == 0);
  CHECK(s.list()[0].tokens == 0);
}

TEST_CASE("a provider without a valid key is put on hold once, and the next one is asked") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::auth, llm::failure_action::hold_provider, 401)};
  s.scripts["second"]->ends = {answered(), answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.put(s.question(2))->value);
  CHECK(s.scripts["first"]->asked.size() == 1);
  CHECK(s.board->held({"first"}) == "first: auth it was; once mended: kevolve provider resume first");
  CHECK(s.board->held({}).empty()); // one of them may still be asked
  CHECK(s.list()[0].state == "on hold");

  s.scripts["first"]->ends = {answered()};
  auto resumed = s.ask<provider_status>(s.office, atom::resume_v, std::string{"first"});
  s.run();
  REQUIRE(resumed->value);
  CHECK(resumed->value->state == "ready");
  CHECK(s.put(s.question(3))->value);
  CHECK(s.scripts["first"]->asked.size() == 2);
  CHECK(s.board->held({"first"}).empty());
}

TEST_CASE("when every provider is on hold, the question returns with the reasons") {
  service s;
  s.open();
  for (const auto* name : {"first", "second"})
    s.scripts[name]->ends = {failed(llm::failure_class::quota_exhausted, llm::failure_action::hold_provider, 429)};
  const auto got = s.put(s.question(1));
  REQUIRE(got->error);
  CHECK(got->error->code == errc::unavailable);
  CHECK(got->error->detail.find("first: quota_exhausted") != std::string::npos);
  CHECK(got->error->detail.find("second: quota_exhausted") != std::string::npos);
  CHECK(!s.board->held({}).empty());
  CHECK(!s.stored(1).answered);
}

TEST_CASE("a request that every provider rejects ends its question; a provider that rejects all is put on hold") {
  service s;
  s.open();
  const auto refuses = failed(llm::failure_class::bad_request, llm::failure_action::never, 400);
  s.scripts["first"]->ends = {refuses, refuses, refuses};
  s.scripts["second"]->ends = {refuses, answered(), answered(), answered()};
  const auto got = s.put(s.question(1));
  REQUIRE(got->error);
  CHECK(got->error->code == errc::cancelled); // nothing was read, so nothing is charged
  CHECK(s.put(s.question(2))->value);
  CHECK(s.put(s.question(3))->value);
  CHECK(!s.board->held({"first"}).empty());
  CHECK(s.board->held({"second"}).empty());
  CHECK(s.put(s.question(4))->value);
  CHECK(s.scripts["first"]->asked.size() == 3);
}

TEST_CASE("a question that waits for a full provider is asked once when another takes it first") {
  service s;
  s.specs[0].at_once = 1;
  s.open();
  s.scripts["second"]->ends = {failed(llm::failure_class::rate_limited, llm::failure_action::retry, 429, 10'000),
                               answered(), answered()};
  auto keeps = s.question(1);
  keeps.terms.providers = {"first"};
  const auto slow = s.put(keeps); // takes the only place at the first provider
  CHECK(!slow->come());
  auto rest = s.question(2);
  rest.terms.providers = {"second"};
  const auto resting = s.put(rest);        // suspends the second provider
  const auto waits = s.put(s.question(3)); // accepts either provider
  CHECK(!waits->come());
  s.pass_s(60);
  REQUIRE(waits->value);
  REQUIRE(resting->value);
  CHECK(s.scripts["second"]->asked.size() == 3);
  s.deliver("first", answered());
  REQUIRE(slow->value);
  s.pass_s(600);
  CHECK(s.scripts["first"]->asked.size() == 1);
  CHECK(s.scripts["second"]->asked.size() == 3); // the answered question is not repeated
  CHECK(s.stored(3).calls.size() == 1);
}

TEST_CASE("on a full disk an answer waits to be stored, and is not requested again") {
  service s;
  s.open();
  const auto got = s.put(s.question(1));
  CHECK(s.scripts["first"]->asked.size() == 1);
  s.sick.fail_after(0, test::fault::no_space);
  s.deliver("first", answered());
  CHECK(!got->come());
  s.sick.mend();
  s.pass_s(5);
  REQUIRE(got->value);
  CHECK(s.scripts["first"]->asked.size() == 1);
  CHECK(s.stored(1).answered);
}

TEST_CASE("only the providers named by the campaign are asked, in its order") {
  service s;
  s.open();
  s.scripts["second"]->ends = {answered(), answered()};
  auto q = s.question(1);
  q.terms.providers = {"second"};
  CHECK(s.put(q)->value);
  q = s.question(2);
  q.terms.providers = {"second", "first"};
  CHECK(s.put(q)->value);
  CHECK(s.scripts["first"]->asked.empty());
}

TEST_CASE("a call beyond the campaign's budget is not made") {
  service s;
  s.open();
  auto q = s.question(1);
  q.terms.most_tokens = 900; // the reply alone may take 1000
  const auto got = s.put(q);
  REQUIRE(got->error);
  CHECK(got->error->detail.find("900 tokens") != std::string::npos);
  CHECK(s.scripts["first"]->asked.empty());
  CHECK(!s.board->spent_out(campaign).empty());
}

TEST_CASE("a provider whose budget is used up is skipped and shown as on hold") {
  service s;
  s.specs[0].total.calls = 1;
  s.open();
  s.scripts["first"]->ends = {answered()};
  s.scripts["second"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.put(s.question(2))->value);
  CHECK(s.scripts["first"]->asked.size() == 1);
  CHECK(s.stored(2).calls.front().provider == "second");
  CHECK(s.board->held({"first"}).find("the budget of 1 calls is used up") != std::string::npos);
  auto resumed = s.ask<provider_status>(s.office, atom::resume_v, std::string{"first"});
  s.run();
  REQUIRE(resumed->value);
  CHECK(resumed->value->state == "on hold");
  CHECK(resumed->value->reason.find("the budget of 1 calls is used up") != std::string::npos);
}

TEST_CASE("the last call of a budget is never sent twice") {
  service s;
  s.specs[0].total.calls = 3;
  s.specs[1].total.calls = 0;
  s.open();
  auto twice = answered(); // its reused connection was dead
  twice.resent = true;
  s.scripts["first"]->ends = {twice, answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.put(s.question(2))->value);
  REQUIRE(s.scripts["first"]->asked.size() == 2);
  CHECK_FALSE(s.scripts["first"]->asked[0].fresh);
  CHECK(s.scripts["first"]->asked[1].fresh);
  CHECK(s.ledger(keys::spent_with("first")).spent.calls == 3);
}

TEST_CASE("a call that was never sent does not count against the budget, and has its own number") {
  service s;
  s.specs[0].total.calls = 1;
  s.open();
  auto unsent = failed(llm::failure_class::network, llm::failure_action::retry);
  unsent.unsent = true;
  s.scripts["first"]->ends = {unsent, answered()};
  auto q = s.question(1);
  q.terms.providers = {"first"};
  auto got = s.put(q);
  s.pass_s(60);
  CHECK(got->value);
  const auto calls = s.stored(1).calls;
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].number == 1);
  CHECK(calls[1].number == 2);
  CHECK(s.ledger(keys::spent_by(campaign)).spent.calls == 1);
}

TEST_CASE("different refusals do not count as repeated refusals of one request") {
  service s;
  s.open();
  const auto refused = [](llm::failure_class c) { return failed(c, llm::failure_action::never, 400); };
  s.scripts["first"]->ends = {refused(llm::failure_class::context_too_long), refused(llm::failure_class::too_large),
                              refused(llm::failure_class::context_too_long)};
  for (uint64_t node = 1; node <= 3; ++node) {
    auto q = s.question(node);
    q.terms.providers = {"first"};
    CHECK(s.put(q)->error);
  }
  CHECK(s.board->held({"first"}).empty());
}

TEST_CASE("resuming one provider does not release questions that wait for another") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::server_error, llm::failure_action::retry, 500, 30'000)};
  auto q = s.question(1);
  q.terms.providers = {"first"};
  auto waits = s.put(q);
  s.ask<provider_status>(s.office, atom::resume_v, std::string{"second"});
  s.run();
  CHECK(s.scripts["first"]->asked.size() == 1);
  s.scripts["first"]->ends = {answered()};
  s.ask<provider_status>(s.office, atom::resume_v, std::string{"first"});
  s.run();
  CHECK(s.scripts["first"]->asked.size() == 2);
  CHECK(waits->value);
}

TEST_CASE("a provider that fails repeatedly is suspended, shown with its last error, and asked again later") {
  service s;
  int told = 0;
  s.board->listen(campaign, [&] { ++told; });
  s.open();
  const auto dead = failed(llm::failure_class::network, llm::failure_action::retry);
  s.scripts["first"]->ends = {dead, dead, dead};
  auto q = s.question(1);
  q.terms.providers = {"first"};
  const auto waits = s.put(q);
  for (int i = 0; i < 20 && s.board->held({"first"}).empty(); ++i)
    s.pass_s(1);
  CHECK(s.board->held({"first"}).find("first: failed repeatedly, the last time so: network it was; asked again at ")
        == 0);
  CHECK(told == 1);
  CHECK(s.list()[0].state == "resting");
  CHECK(s.list()[0].reason == "failed repeatedly, the last time so: network it was");
  CHECK(s.list()[0].until_ns > s.now);
  CHECK(!waits->come());

  auto others_go_on = s.question(2);
  others_go_on.terms = q.terms;
  others_go_on.terms.may_wait = false;
  const auto back = s.put(others_go_on);
  REQUIRE(back->error);
  CHECK(back->error->code == errc::unavailable);
  CHECK(back->error->detail.find("network it was") != std::string::npos);

  s.scripts["first"]->ends = {answered()};
  s.pass_s(60);
  CHECK(waits->value);
  CHECK(s.board->held({"first"}).empty());
  CHECK(told == 2);
  CHECK(s.list()[0].state == "ready");
}

TEST_CASE("an outage and its end are logged once each") {
  service s;
  s.open();
  const auto dead = failed(llm::failure_class::network, llm::failure_action::retry);
  const auto file = s.disk.dir + "/log";
  const auto lines_with = [&file](const std::string& words) {
    std::ifstream in{file};
    auto lines = 0;
    for (std::string line; std::getline(in, line);)
      lines += line.find(words) != std::string::npos ? 1 : 0;
    return lines;
  };
  uint64_t questions = 0;
  // Asks until the provider has ended that many calls in this way.
  const auto ask_until_ended = [&](size_t calls, const provider_end& how) {
    auto& ends = s.scripts["first"]->ends;
    ends.assign(calls, how);
    for (int i = 0; i < 3'600 && !ends.empty(); ++i) {
      if (i % 600 == 0) {
        auto q = s.question(++questions);
        q.terms.providers = {"first"};
        s.put(q);
      }
      s.pass_s(1);
    }
    CHECK(ends.empty());
  };
  log::configure({log::level::info, false, file});
  ask_until_ended(8, dead);
  ask_until_ended(1, answered());
  ask_until_ended(3, dead);
  log::configure({}); // flushes the log file
  CHECK(lines_with("provider first is suspended") == 2);
  CHECK(lines_with("provider first may be asked again") == 1);
}

TEST_CASE("a suspended provider returns to the board even if no question waits for it") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::overloaded, llm::failure_action::next_provider, 529, 600'000)};
  s.scripts["second"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(!s.board->held({"first"}).empty());
  s.pass_s(599);
  CHECK(!s.board->held({"first"}).empty());
  s.pass_s(2);
  CHECK(s.board->held({"first"}).empty());
}

TEST_CASE("a provider whose model is too small for the prompts is put on hold at the third refusal") {
  service s;
  s.open();
  s.scripts["first"]->ends = {3, failed(llm::failure_class::context_too_long, llm::failure_action::never, 400)};
  for (uint64_t node = 1; node <= 3; ++node) {
    auto q = s.question(node);
    q.terms.providers = {"first"};
    const auto got = s.put(q);
    REQUIRE(got->error);
    CHECK(got->error->code == errc::cancelled);
    CHECK(s.board->held({"first"}).empty() == (node < 3));
  }
  CHECK(s.board->held({"first"}).find("context_too_long it was; 3 requests in a row") != std::string::npos);
}

TEST_CASE("a model that refuses everything is put on hold at the sixth refusal") {
  service s;
  s.open();
  s.scripts["first"]->ends = {6, failed(llm::failure_class::content_refused, llm::failure_action::next_provider, 200)};
  for (uint64_t node = 1; node <= 6; ++node) {
    auto q = s.question(node);
    q.terms.providers = {"first"};
    const auto got = s.put(q);
    REQUIRE(got->error);
    if (node < 6)
      CHECK(got->error->detail.find("no provider answers this: first: content_refused") != std::string::npos);
    CHECK(s.board->held({"first"}).empty() == (node < 6));
  }
  CHECK(s.board->held({"first"}).find("content_refused it was; 6 requests in a row") != std::string::npos);
}

TEST_CASE("resuming a provider overrides a long requested pause") {
  service s;
  s.open();
  s.scripts["first"]->ends = {failed(llm::failure_class::rate_limited, llm::failure_action::retry, 429, 3'600'000)};
  auto q = s.question(1);
  q.terms.providers = {"first"};
  CHECK(s.put(q)->error);
  CHECK(s.list()[0].state == "resting");
  s.scripts["first"]->ends = {answered()};
  auto resumed = s.ask<provider_status>(s.office, atom::resume_v, std::string{"first"});
  s.run();
  REQUIRE(resumed->value);
  CHECK(resumed->value->state == "ready");
  q = s.question(2);
  q.terms.providers = {"first"};
  CHECK(s.put(q)->value);
}

TEST_CASE("a daily budget is restored on the next day") {
  service s;
  s.specs[0].per_day.calls = 1;
  s.open();
  s.scripts["first"]->ends = {answered(), answered()};
  s.scripts["second"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.put(s.question(2))->value);
  CHECK(s.scripts["second"]->asked.size() == 1);
  CHECK(!s.board->held({"first"}).empty());
  s.pass_s(86'400);
  CHECK(s.board->held({"first"}).empty());
  CHECK(s.put(s.question(3))->value);
  CHECK(s.scripts["first"]->asked.size() == 2);
}

TEST_CASE("a daily budget too small for any call does not promise another day") {
  service s;
  s.specs[0].per_day.tokens = 900; // the reply alone may take 1000
  s.open();
  s.scripts["second"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.scripts["first"]->asked.empty());
  CHECK(s.list()[0].state == "on hold");
  CHECK(s.list()[0].reason.find("no call fits into it") != std::string::npos);
}

TEST_CASE("a call in flight at shutdown counts at its worst and is repeated once") {
  service s;
  s.open();
  const auto q = s.question(1);
  const auto first = s.put(q);
  CHECK(!first->come());
  CHECK(s.stored(1).calls.front().ended_ns == 0); // recorded before it was sent
  s.close();
  s.open();
  auto again = q;
  again.record = s.stored(1);
  const auto second_time = s.put(again);
  CHECK(!second_time->come());
  CHECK(s.scripts["first"]->asked.size() == 2);
  auto l = s.ledger(keys::spent_by(campaign));
  CHECK(l.estimated_calls == 1);
  CHECK(l.spent.tokens >= 1'000);
  CHECK(l.open.size() == 1);
  s.close();
  s.open();
  again.record = s.stored(1);
  CHECK(again.record.calls.front().outcome == "lost");
  const auto third = s.put(again);
  REQUIRE(third->error);
  CHECK(third->error->code == errc::bad_input);
  CHECK(s.scripts["first"]->asked.size() == 2);
  again.record = s.stored(1);
  REQUIRE(again.record.calls.size() == 2);
  CHECK(again.record.calls.back().outcome == "lost"); // stored before it was given up
  const auto fourth = s.put(again);
  REQUIRE(fourth->error);
  CHECK(s.scripts["first"]->asked.size() == 2);
}

TEST_CASE("a withdrawn question is cancelled at its provider and counted") {
  service s;
  s.open();
  caf::actor who;
  auto got = s.ask_as<model_reply>(&who, s.office, atom::ask_v, s.question(1));
  s.run();
  CHECK(s.scripts["first"]->asked.size() == 1);
  s.stop(who);
  s.run();
  CHECK(s.scripts["first"]->cancelled.size() == 1);
  const auto r = s.stored(1);
  CHECK(r.calls.front().outcome == "cancelled");
  CHECK(s.ledger(keys::spent_by(campaign)).open.empty());
  CHECK(s.list()[0].in_flight == 0);
}

TEST_CASE("a question repeated while its answer arrives gets that answer") {
  service s;
  s.open();
  s.scripts["first"]->deaf = true;
  const auto q = s.question(1);
  const auto before = s.put(q);
  auto again = q;
  again.record = s.stored(1);      // the generator sees a call that is under way, not lost
  const auto after = s.put(again); // the same generator after a restart
  CHECK(s.scripts["first"]->cancelled.size() == 1);
  s.deliver("first", answered());
  REQUIRE(after->value);
  CHECK(after->value->text == good);
  CHECK(s.scripts["first"]->asked.size() == 1);
  CHECK(s.stored(1).calls.size() == 1);
  CHECK(s.list()[0].in_flight == 0);
}

TEST_CASE("the death of a provider's actor costs an attempt, not the question") {
  service s;
  s.open();
  const auto got = s.put(s.question(1));
  CHECK(!got->come());
  s.scripts["first"]->ends.clear();
  caf::anon_send(s.providers["first"], atom::crash_v);
  s.scripts["second"]->ends = {answered(), answered()};
  s.run();
  for (int i = 0; i < 20 && !got->come(); ++i)
    s.pass_s(30);
  REQUIRE(got->value);
  CHECK(s.stored(1).calls.front().outcome == "network");
}

TEST_CASE("an answer with text but zero reported usage counts at its worst") {
  service s;
  s.open();
  s.scripts["first"]->ends = {answered(good, 0, 0), answered(good, 1'000, 0)};
  CHECK(s.put(s.question(1))->value);
  const auto worst = s.stored(1).calls.front().reserved_tokens;
  CHECK(s.ledger(keys::spent_by(campaign)).spent.tokens == worst);
  CHECK(s.put(s.question(2))->value);
  CHECK(s.ledger(keys::spent_by(campaign)).spent.tokens == 2 * worst);
}

TEST_CASE("an unknown price gives no cost, and is refused where a known one is required") {
  service s;
  s.specs[0].price = {};
  s.specs[1].price = {};
  s.specs[1].known_price = true;
  s.open();
  s.scripts["first"]->ends = {answered()};
  CHECK(s.put(s.question(1))->value);
  CHECK(s.stored(1).calls.front().money == unknown_count);
  CHECK(s.ledger(keys::spent_by(campaign)).unpriced_calls == 1);
  auto q = s.question(2);
  q.terms.providers = {"second"};
  const auto got = s.put(q);
  REQUIRE(got->error);
  CHECK(got->error->detail.find("price is unknown") != std::string::npos);
}
