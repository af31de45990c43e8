// Tests the evaluator with a real journal and scheduler and scripted resources: the jobs that it starts, how often, and
// the effects of faults.
#include "actors/devices/leased_job.hpp"
#include "actors/evaluation/evaluator.hpp"
#include "actors/journal/journal.hpp"
#include "paper_target.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/node/scheduler.hpp"
#include "tests/support/temporary_store.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// The requests that the scripted resources receive, and their answers.
struct script {
  std::vector<std::string> compiled; // sources of candidates
  std::map<judge_mode, uint32_t> judged;
  std::vector<std::string> compared;  // objects
  std::vector<std::string> sanitised; // sources of sanitised builds, the reference's among them
  verdict sanitised_build = verdict::pass;
  std::vector<std::string> replayed;  // what confirmations are asked to replay
  std::vector<double> alphas;         // of confirmations
  std::vector<std::string> baselines; // of confirmations; empty: the reference
  uint32_t faults = 0;                // number of coming jobs on a candidate that end with a fault
  const char* fault_kind = "worker_killed";
  int64_t compile_ns = 0;
  judge_outcome verdict_on_candidates;
  bool screenings_end = true;
  caf::typed_response_promise<judge_outcome> racing; // a screening that never ends
  std::vector<std::pair<uint32_t, uint32_t>> limits; // of confirmations, and of their baselines
  std::vector<double> leads;                         // of screenings: the parents'
  uint32_t released = 0; // number of leases that the scheduler took back because their holder is gone
};

// Returns a source without the evaluator's additions.
std::string bare(std::string source) {
  if (source.starts_with("#line"))
    source.erase(0, source.find('\n') + 1);
  return source.substr(0, source.find('\n'));
}

compiler_worker_actor::behavior_type paper_compiler(compiler_worker_actor::pointer self, std::shared_ptr<script> s) {
  return {
      [s](atom::compile, const lease&, const compile_request& q) {
        compile_outcome o;
        o.job = q.job;
        o.result = verdict::pass;
        o.artifact = "object of " + bare(q.source);
        o.compile_ns = s->compile_ns;
        if (q.role == compile_role::sanitised) {
          s->sanitised.push_back(bare(q.source));
          o.result = s->sanitised_build;
          o.artifact = o.result == verdict::pass ? "sanitised " + o.artifact : "";
        }
        if (q.role != compile_role::candidate)
          return o;
        s->compiled.push_back(bare(q.source));
        o.evidence["sass"] = "as compiled";
        if (s->faults > 0) {
          --s->faults;
          o.result = verdict::none;
          o.trouble = {s->fault_kind, "as scripted", 0};
        }
        return o;
      },
      [](atom::cancel, const id128&) {},
      [](atom::release, const lease&) {},
      [](atom::offer) {},
      [](atom::answer, uint8_t, const std::string&) {},
      [](atom::helper_end, int32_t) {},
      [](atom::tick) {},
      [self](atom::crash) { self->quit(); },
  };
}

device_actor::behavior_type paper_device(device_actor::pointer self, std::shared_ptr<script> s) {
  return {
      [s, self](atom::judge, const lease&, const judge_request& q) -> caf::result<judge_outcome> {
        ++s->judged[q.mode];
        if (q.mode == judge_mode::confirm) {
          s->alphas.push_back(q.alpha);
          s->limits.emplace_back(q.limit_ms, q.baselines_ms);
          s->baselines.push_back(q.baseline);
          s->replayed.push_back(q.sanitised + "|" + q.sanitised_reference + "|" + q.unsanitised);
        }
        if (q.mode == judge_mode::screening) {
          s->compared.push_back(q.candidate);
          s->leads.push_back(q.parent_lead);
        }
        if (q.mode == judge_mode::screening && !s->screenings_end)
          return s->racing = self->make_response_promise<judge_outcome>();
        judge_outcome o;
        if (q.mode == judge_mode::screening || q.mode == judge_mode::confirm)
          o = s->verdict_on_candidates;
        else
          o.result = verdict::pass;
        o.job = q.job;
        return o;
      },
      [](atom::cancel, const id128&) {},
      [s](atom::release, const lease&) { ++s->released; },
      [](atom::offer) {},
      [](atom::answer, uint8_t, const std::string&) {},
      [](atom::helper_end, int32_t) {},
      [](atom::tick) {},
      [](atom::probe) {},
      [self](atom::crash) { self->quit(); },
  };
}

class sanitising_target final : public paper_target {
public:
  bool replays_sanitised() const override { return true; }
};

struct laboratory : virtual_system {
  temporary_store disk;
  std::shared_ptr<script> said = std::make_shared<script>();
  std::shared_ptr<campaign_context> context = std::make_shared<campaign_context>();
  compiler_worker_actor compiler = system.spawn(paper_compiler, said);
  device_actor device = system.spawn(paper_device, said);
  evaluator_actor tested;

  laboratory() {
    auto spec = std::make_shared<campaign_spec>();
    spec->target = "paper";
    spec->task.task.entry = "op";
    spec->task.reference_source = "reference";
    context->id = {1, 2};
    context->spec = spec;
    context->hardware = std::make_shared<paper_target>();
    context->statuses = statuses;
    context->journal =
        spawn_tracked(system, statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});
    context->scheduler = spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, uint64_t{0});
    offer("compiler", caf::actor_cast<caf::actor>(compiler));
    offer("device", caf::actor_cast<caf::actor>(device));
    said->verdict_on_candidates.result = verdict::pass;
    said->verdict_on_candidates.decision = comparison_decision::slower;
    said->verdict_on_candidates.speedup = 0.5;
    start();
  }
  void offer(const std::string& kind, caf::actor handle) {
    resource_offer o;
    o.resource = o.resource_id = kind;
    o.capabilities = {"target:paper"};
    o.handle = std::move(handle);
    ask<uint64_t>(context->scheduler, atom::offer_v, o);
    run();
  }
  void start() {
    tested = spawn_tracked(system, statuses, "evaluator", "e", 0, evaluator, campaign_context_ptr{context});
    run();
  }
  // Adds an event of the node that waits to be stored.
  auto evaluate(const std::string& source, uint64_t index = 1) {
    evaluate_request q;
    q.index = index;
    q.what.source = source;
    q.unsaved.events.push_back({event_kind::node_proposed, source + " of " + std::to_string(index)});
    return ask<evaluation>(tested, atom::evaluate_v, q);
  }
  void candidates_win() {
    said->verdict_on_candidates.decision = comparison_decision::faster;
    said->verdict_on_candidates.speedup = 2.0;
    said->verdict_on_candidates.ci_low = 1.9;
  }
  bool held(const std::string& key) const {
    return context->held->while_held([&](const auto& is_held) { return is_held(key); });
  }
  void erase(table where, const std::string& key) {
    transaction t{{}, {write_op::erase(where, key)}};
    REQUIRE(disk.data->commit({&t, 1}));
  }
  // Stores the unsaved events, as the end of the node does.
  void store_unsaved(const evaluation& e) {
    auto a = e.unsaved;
    a.campaign = context->id;
    ask<uint64_t>(context->journal, atom::append_v, a);
    run();
  }
  uint32_t screenings() const {
    auto i = said->judged.find(judge_mode::screening);
    return i == said->judged.end() ? 0 : i->second;
  }
  ~laboratory() {
    for (const auto& a : {caf::actor_cast<caf::actor>(tested), caf::actor_cast<caf::actor>(compiler),
                          caf::actor_cast<caf::actor>(device), caf::actor_cast<caf::actor>(context->scheduler),
                          caf::actor_cast<caf::actor>(context->journal)})
      stop(a);
    pass(1s); // the pending retry is cancelled
    tested = nullptr;
    context.reset();
  }
};

} // namespace

TEST_CASE_FIXTURE(laboratory, "an evaluation is prepared, compiled, screened and stored") {
  auto e = evaluate("candidate");
  run();
  REQUIRE(e->value);
  CHECK(e->value->result == verdict::pass);
  CHECK(e->value->speedup == 0.5);
  CHECK(e->value->evaluations.size() == 2);
  CHECK(said->compiled == std::vector<std::string>{"candidate"});
  CHECK(screenings() == 1);
  CHECK(said->judged[judge_mode::probe] == 1);
  CHECK(said->judged[judge_mode::admit] == 1);
  store_unsaved(*e->value);
  for (const auto& id : e->value->evaluations) {
    auto stored = disk.data->get(table::evaluations, key_of(id));
    REQUIRE(stored);
    REQUIRE(*stored);
    // Only the compile's record contains it.
    const auto record = decode_older<evaluation_record>(**stored);
    REQUIRE(record);
    CHECK(record->outcome.evidence.contains("sass") == (record->stage == "compile"));
  }
  CHECK(e->value->last.evidence.at("sass") == "as compiled");
}

TEST_CASE_FIXTURE(laboratory, "a screening's lead to beat is the parent's sure lead over the champion of that moment") {
  const auto screen = [this](const std::string& source, double parent_low, double champion) {
    evaluate_request q;
    q.index = 1;
    q.what.source = source;
    q.parent_low = parent_low;
    q.champion.speedup = champion;
    auto e = ask<evaluation>(tested, atom::evaluate_v, q);
    run();
    REQUIRE(e->value);
    return *e->value;
  };
  screen("one", 1.5, 1.0);
  screen("two", 1.5, 2.0);
  screen("three", 0.0, 1.0);
  CHECK(said->leads == std::vector<double>{1.5, 0.0, 0.0});
  const auto again = screen("one", 0.0, 1.0); // a result that a parent cut short serves no other
  CHECK(screenings() == 4);
  CHECK(again.evaluations.size() == 2);
}

namespace {

// A campaign that knows one object.
campaign_actor::behavior_type paper_campaign(campaign_actor::pointer self, id128 known, uint64_t index) {
  const auto refused = [] { return to_error({errc::unsupported, "of paper"}); };
  return {
      [](atom::begin) {},
      [refused](atom::finished, const node_result&) -> caf::result<node_reply> { return refused(); },
      [](atom::faulted, uint64_t, const fault&) {},
      [](atom::amend, const amendment_record&) {},
      [](atom::profiled, const profiling_record&) {},
      [](atom::progress, uint64_t, const std::string&, const std::string&, const std::vector<id128>&) {
        return uint64_t{0};
      },
      [known, index](atom::lookup, const id128& id) { return id == known ? index : uint64_t{0}; },
      [](atom::lookup, uint64_t, const id128&) { return uint64_t{0}; },
      [](atom::tick, uint64_t) {},
      [](atom::wake) {},
      [](atom::tick) {},
      [refused](atom::pause, const std::string&) -> caf::result<campaign_status> { return refused(); },
      [refused](atom::resume, const std::string&) -> caf::result<campaign_status> { return refused(); },
      [refused](atom::cancel, const std::string&) -> caf::result<campaign_status> { return refused(); },
      [refused](atom::steer, const steer_request&) -> caf::result<steer_answer> { return refused(); },
      [refused](atom::status) -> caf::result<campaign_status> { return refused(); },
      [refused](atom::tree, uint64_t, uint64_t) -> caf::result<tree_page> { return refused(); },
      [refused](atom::node, uint64_t) -> caf::result<node_record> { return refused(); },
      [self](atom::crash) { self->quit(); },
  };
}

} // namespace

TEST_CASE_FIXTURE(laboratory, "a candidate with a known candidate's object is compiled and not measured") {
  const auto known = object_id(sha256_hex("object of candidate"));
  context->campaign = system.spawn(paper_campaign, known, uint64_t{7});
  auto e = evaluate("candidate", 9);
  auto other = evaluate("another", 10);
  auto itself = evaluate("candidate", 7);
  run();
  REQUIRE(e->value);
  CHECK(e->value->same_as == 7);
  CHECK(e->value->evaluations.size() == 1);
  CHECK(e->value->judge_ns == 0);
  REQUIRE(other->value);
  CHECK(other->value->same_as == 0);
  REQUIRE(itself->value);
  CHECK(itself->value->same_as == 0);
  CHECK(screenings() == 2);
  stop(caf::actor_cast<caf::actor>(context->campaign));
  context->campaign = nullptr;
}

TEST_CASE_FIXTURE(laboratory, "the same candidate requested twice at once is evaluated once") {
  auto one = evaluate("candidate", 1);
  auto two = evaluate("candidate", 2);
  auto other = evaluate("another", 3);
  run();
  REQUIRE(one->value);
  REQUIRE(two->value);
  REQUIRE(other->value);
  CHECK(two->value->evaluations == one->value->evaluations);
  CHECK(two->value->result == verdict::pass);
  CHECK(said->compiled.size() == 2);
  CHECK(screenings() == 2);
}

TEST_CASE_FIXTURE(laboratory, "a result of another campaign is reused and says so, unless this one measures anew") {
  auto first = evaluate("candidate", 5);
  run();
  REQUIRE(first->value);
  CHECK_FALSE(first->value->reused_from);
  store_unsaved(*first->value);
  const auto as_campaign = [this](const id128& id, bool fresh) {
    stop(caf::actor_cast<caf::actor>(tested));
    run();
    auto other = std::make_shared<campaign_context>(*context);
    auto spec = std::make_shared<campaign_spec>(*context->spec);
    spec->fresh = fresh;
    other->id = id;
    other->spec = spec;
    context = other;
    start();
    auto e = evaluate("candidate", 1);
    run();
    REQUIRE(e->value);
    store_unsaved(*e->value);
    return *e->value;
  };
  const auto second = as_campaign({3, 4}, false);
  CHECK(second.reused_from == result_owner{{1, 2}, 5});
  CHECK(second.speedup == first->value->speedup);
  CHECK(screenings() == 1);
  CHECK(said->compiled.size() == 1);
  const auto anew = as_campaign({5, 6}, true);
  CHECK_FALSE(anew.reused_from);
  CHECK(screenings() == 2);
  CHECK(said->compiled.size() == 2);
  const auto again = as_campaign({5, 6}, true); // a restart of it finds its own results
  CHECK_FALSE(again.reused_from);
  CHECK(screenings() == 2);
  const auto third = as_campaign({7, 8}, false); // what was measured for one campaign alone serves no other
  CHECK(third.reused_from == result_owner{{1, 2}, 5});
}

TEST_CASE_FIXTURE(laboratory, "a final check is against the reference, or against another candidate if asked") {
  evaluate_request compiled;
  compiled.what.source = "other";
  compiled.compile_only = true;
  auto other = ask<evaluation>(tested, atom::evaluate_v, compiled);
  run();
  REQUIRE(other->value);
  evaluate_request q;
  q.what.source = "candidate";
  q.final_check = true;
  q.champion.object = other->value->object;
  auto plain = ask<evaluation>(tested, atom::evaluate_v, q);
  run();
  REQUIRE(plain->value);
  store_unsaved(*plain->value);
  q.against_champion = true;
  auto beside = ask<evaluation>(tested, atom::evaluate_v, q);
  run();
  REQUIRE(beside->value);
  CHECK(said->baselines == std::vector<std::string>{"", "object of other"});
  CHECK(beside->value->evaluations.back() != plain->value->evaluations.back());
}

TEST_CASE_FIXTURE(laboratory, "a long compile is synced at once, a short one with the next event that must be") {
  said->screenings_end = false; // the other candidates are compiled and wait
  auto first = evaluate("racing", 1);
  run();
  said->compile_ns = 2'000'000'000;
  auto slow = evaluate("slow", 2);
  run();
  CHECK(disk.data->synced_sequence() == disk.data->last_sequence());
  said->compile_ns = 100'000'000;
  auto quick = evaluate("quick", 3);
  run();
  CHECK(said->compiled.size() == 3);
  CHECK(disk.data->synced_sequence() < disk.data->last_sequence());
}

TEST_CASE_FIXTURE(laboratory,
                  "after a gain the next screening is against the new champion, and waits for its promotion") {
  candidates_win();
  auto one = evaluate("fast", 1);
  auto two = evaluate("other", 2);
  run();
  REQUIRE(one->value);
  CHECK(one->value->confirmed);
  CHECK_FALSE(two->value);
  CHECK(screenings() == 1);
  store_unsaved(*one->value);
  champion_info champion;
  champion.index = 1;
  champion.object = one->value->object;
  champion.speedup = 2.0;
  caf::anon_send(tested, atom::champion_changed_v, champion);
  run();
  CHECK(screenings() == 2);
  REQUIRE(two->value);
  CHECK(two->value->baseline.index == 1);
  // A campaign that does not release its lease delays the others only briefly.
  auto three = evaluate("third", 3);
  run();
  CHECK_FALSE(three->value);
  pass(1s);
  REQUIRE(three->value);
  CHECK(three->value->baseline.index == 1);
}

TEST_CASE_FIXTURE(laboratory, "a confirmation replays sanitised builds, which are made once and survive a restart") {
  candidates_win();
  evaluate("fast");
  run();
  CHECK(said->replayed == std::vector<std::string>{"||"}); // the target replays nothing
  stop(caf::actor_cast<caf::actor>(tested));
  context->hardware = std::make_shared<sanitising_target>();
  start();
  auto e = evaluate("quick", 2);
  run();
  REQUIRE(e->value);
  CHECK(e->value->evaluations.size() == 4);
  CHECK(said->sanitised == std::vector<std::string>{"quick", "reference"});
  CHECK(said->replayed.back() == "sanitised object of quick|sanitised object of reference|");
  store_unsaved(*e->value);
  stop(caf::actor_cast<caf::actor>(tested));
  start();
  evaluate_request last;
  last.index = 2;
  last.what.source = "quick";
  last.final_check = true;
  auto confirmed = ask<evaluation>(tested, atom::evaluate_v, last);
  run();
  REQUIRE(confirmed->value);
  // The candidate's build is stored, the reference's is made again.
  CHECK(said->sanitised == std::vector<std::string>{"quick", "reference", "reference"});
  CHECK(said->replayed.back() == "sanitised object of quick|sanitised object of reference|");
}

TEST_CASE_FIXTURE(laboratory, "a confirmation says why nothing is replayed") {
  stop(caf::actor_cast<caf::actor>(tested));
  context->hardware = std::make_shared<sanitising_target>();
  start();
  candidates_win();
  said->sanitised_build = verdict::compile_error;
  evaluate("fast");
  run();
  CHECK(said->replayed == std::vector<std::string>{"||the candidate does not compile with sanitizers: "});
}

TEST_CASE_FIXTURE(laboratory, "after a failed test the next one uses the campaign's current level") {
  candidates_win();
  said->verdict_on_candidates.ci_low = 0.9; // ends in confirmation
  champion_info champion;
  champion.level = 0.02;
  caf::anon_send(tested, atom::champion_changed_v, champion);
  auto one = evaluate("fast", 1);
  auto two = evaluate("other", 2);
  run();
  REQUIRE(one->value);
  CHECK_FALSE(one->value->confirmed);
  CHECK_FALSE(two->value);
  store_unsaved(*one->value);
  champion.level = 0.01;
  caf::anon_send(tested, atom::champion_changed_v, champion);
  run();
  REQUIRE(two->value);
  CHECK(said->alphas == std::vector<double>{0.04, 0.02});
}

TEST_CASE_FIXTURE(laboratory,
                  "a compile-only result is kept for the later evaluation and says nothing about the champion") {
  candidates_win();
  evaluate_request first; // waits for its turn with the campaign's own level
  first.index = 1;
  first.what.source = "first";
  first.champion.level = 0.004;
  auto one = ask<evaluation>(tested, atom::evaluate_v, first);
  evaluate_request lint;
  lint.index = 2;
  lint.what.source = "second";
  lint.compile_only = true;
  auto words = ask<evaluation>(tested, atom::evaluate_v, lint);
  run();
  REQUIRE(words->value);
  CHECK(words->value->result == verdict::none);
  CHECK(!words->value->object.empty());
  CHECK(screenings() == 1);
  REQUIRE(one->value);
  CHECK(said->alphas == std::vector<double>{0.008});
  CHECK(said->compiled.size() == 2);
  store_unsaved(*one->value);
  pass(1s);
  auto two = evaluate("second", 2);
  run();
  pass(1s);
  REQUIRE(two->value);
  CHECK(screenings() == 2);
  CHECK(said->compiled.size() == 2);
}

TEST_CASE_FIXTURE(laboratory, "without a device, candidates are stored and wait, and work that needs none continues") {
  stop(caf::actor_cast<caf::actor>(tested));
  run();
  auto spec = std::make_shared<campaign_spec>(*context->spec);
  spec->generators.push_back({"transform", 1.0});
  context->spec = spec;
  context->batch = true;
  start();
  auto sketch = ask<preparation>(tested, atom::prepare_v);
  run();
  REQUIRE(sketch->value);
  CHECK(sketch->value->admission.result == verdict::none);
  CHECK(!sketch->value->syntax_tree.empty());
  CHECK(sketch->value->reference_object.empty());
  auto waiting = evaluate("candidate");
  auto wrong = evaluate("gibberish", 3);
  evaluate_request lint;
  lint.index = 2;
  lint.what.source = "asked of a model";
  lint.compile_only = true;
  auto words = ask<evaluation>(tested, atom::evaluate_v, lint);
  pass(24h);
  CHECK_FALSE(waiting->come());
  REQUIRE(wrong->value); // no device is needed for it
  CHECK(wrong->value->result == verdict::compile_error);
  CHECK(wrong->value->detail == "paper:1:1: error: gibberish");
  CHECK(wrong->value->unsaved.values.size() == 1);
  CHECK(wrong->value->unsaved.events.size() == 1);
  CHECK(said->judged.empty());
  CHECK(said->compiled == std::vector<std::string>{"asked of a model"});
  REQUIRE(words->value);
  const auto events = disk.data->read_events(context->id, 1, 100);
  REQUIRE(events);
  auto stored = [&](event_kind k) {
    return std::count_if(events->begin(), events->end(),
                         [k](const auto& e) { return e.kind == static_cast<uint16_t>(k); });
  };
  CHECK(stored(event_kind::node_proposed) == 1);
  CHECK(stored(event_kind::evaluation_intent) == 1); // only for the compile
}

TEST_CASE_FIXTURE(laboratory, "repeated screenings go before first ones") {
  candidates_win();
  auto one = evaluate("fast", 1);
  auto two = evaluate("other", 2);
  run();
  REQUIRE(one->value);
  one->value->unsaved.blobs.emplace_back("object of the champion");
  store_unsaved(*one->value);
  said->verdict_on_candidates.decision = comparison_decision::slower;
  evaluate_request q;
  q.index = 1;
  q.what.source = "fast";
  q.champion.index = 7;
  q.champion.object = sha256_hex("object of the champion");
  q.champion.speedup = 3.0;
  auto again = ask<evaluation>(tested, atom::evaluate_v, q);
  run();
  pass(1s);
  REQUIRE(again->value);
  REQUIRE(two->value);
  CHECK(said->compared == std::vector<std::string>{"object of fast", "object of fast", "object of other"});
}

TEST_CASE_FIXTURE(laboratory, "results of a former instance are not computed again") {
  auto before = evaluate("candidate");
  run();
  REQUIRE(before->value);
  store_unsaved(*before->value);
  stop(caf::actor_cast<caf::actor>(tested));
  run();
  start();
  auto after = evaluate("candidate");
  run();
  REQUIRE(after->value);
  CHECK(after->value->evaluations == before->value->evaluations);
  CHECK(after->value->last.evidence.at("sass") == "as compiled");
  CHECK(said->compiled.size() == 1);
  CHECK(screenings() == 1);
  CHECK(said->judged[judge_mode::admit] == 1);
}

TEST_CASE_FIXTURE(laboratory, "a candidate's results are held until the end of each of its nodes is stored") {
  said->screenings_end = false;
  auto racing = evaluate("candidate", 1);
  auto waits = evaluate("candidate", 2);
  run();
  const auto object = sha256_hex("object of candidate");
  CHECK(held(object));
  context->held->release(context->id, 1);
  CHECK(held(object));
  context->held->release(context->id, 2);
  CHECK_FALSE(held(object));
}

TEST_CASE_FIXTURE(laboratory, "adopted results are held like own ones, and released with the campaign's actors") {
  auto before = evaluate("candidate", 1);
  run();
  REQUIRE(before->value);
  store_unsaved(*before->value);
  stop(caf::actor_cast<caf::actor>(tested));
  run();
  context->held->release(context->id);
  start();
  auto again = evaluate("candidate", 3);
  run();
  REQUIRE(again->value);
  CHECK(said->compiled.size() == 1);
  CHECK(held(again->value->object));
  for (const auto& id : again->value->evaluations)
    CHECK(held(key_of(id)));
  context->held->release(context->id);
  CHECK_FALSE(held(again->value->object));
  CHECK_FALSE(held(key_of(again->value->evaluations.front())));
}

TEST_CASE_FIXTURE(laboratory, "a compile whose object is missing is repeated") {
  auto before = evaluate("candidate");
  run();
  REQUIRE(before->value);
  store_unsaved(*before->value);
  erase(table::blobs, before->value->object);
  stop(caf::actor_cast<caf::actor>(tested));
  run();
  start();
  auto after = evaluate("candidate");
  run();
  REQUIRE(after->value);
  CHECK(after->value->result == verdict::pass);
  CHECK(said->compiled.size() == 2);
  CHECK(disk.data->blob(after->value->object)->has_value());
}

TEST_CASE_FIXTURE(laboratory, "a node's own event is stored once and before any job, even if no job is needed") {
  auto bought = evaluate("candidate", 1);
  auto waited = evaluate("candidate", 2);
  run();
  auto looked_up = evaluate("candidate", 3);
  run();
  for (const auto& e : {bought, waited, looked_up}) {
    REQUIRE(e->value);
    store_unsaved(*e->value);
  }
  auto events = disk.data->read_events({1, 2}, 1, 1'000);
  REQUIRE(events);
  std::string proposals;
  auto spent_before = false;
  for (const auto& e : *events) {
    auto kind = static_cast<event_kind>(e.kind);
    spent_before = spent_before || (kind == event_kind::evaluation_intent && proposals.empty());
    if (kind == event_kind::node_proposed)
      proposals += e.payload + "; ";
  }
  CHECK(proposals == "candidate of 1; candidate of 2; candidate of 3; ");
  CHECK_FALSE(spent_before);
}

TEST_CASE_FIXTURE(laboratory, "a last result that is not stored yet is reused, and stored with its next user") {
  auto first = evaluate("candidate", 1);
  run();
  auto second = evaluate("candidate", 2);
  run();
  REQUIRE(second->value);
  CHECK(said->compiled.size() == 1);
  CHECK(screenings() == 1);
  store_unsaved(*second->value); // the first candidate's node is killed before it stored anything
  stop(caf::actor_cast<caf::actor>(tested));
  start();
  auto third = evaluate("candidate", 3);
  run();
  REQUIRE(third->value);
  CHECK(third->value->evaluations == second->value->evaluations);
  CHECK(screenings() == 1);
}

TEST_CASE_FIXTURE(laboratory, "a fault is retried after a back-off and is no verdict") {
  said->faults = 2;
  auto e = evaluate("candidate");
  run();
  CHECK_FALSE(e->come());
  CHECK(said->compiled.size() == 1);
  pass(250ms);
  CHECK(said->compiled.size() == 2);
  pass(250ms);
  REQUIRE(e->value);
  CHECK(e->value->result == verdict::pass);
  CHECK(said->compiled.size() == 3);
}

TEST_CASE_FIXTURE(laboratory, "after four faults all requesters of the evaluation get the error") {
  said->faults = 4;
  auto one = evaluate("candidate", 1);
  auto two = evaluate("candidate", 2);
  for (int i = 0; i < 10; ++i)
    pass(250ms);
  for (const auto& e : {one, two}) {
    REQUIRE(e->value);
    CHECK(e->value->result == verdict::none);
    CHECK(e->value->trouble.kind == "worker_killed");
  }
  CHECK(said->compiled.size() == 4);
  auto again = evaluate("candidate"); // its result was not stored
  run();
  REQUIRE(again->value);
  CHECK(again->value->result == verdict::pass);
}

TEST_CASE_FIXTURE(laboratory, "a job whose resource went away waits for another, however often that is") {
  said->faults = 9;
  said->fault_kind = fault_kind::resource_gone;
  auto e = evaluate("candidate");
  for (int i = 0; i < 10; ++i)
    pass(250ms);
  REQUIRE(e->value);
  CHECK(e->value->result == verdict::pass);
  CHECK(said->compiled.size() == 10);
}

TEST_CASE_FIXTURE(laboratory, "a candidate with its baseline's code is not screened") {
  auto e = evaluate("reference");
  run();
  REQUIRE(e->value);
  CHECK(e->value->result == verdict::pass);
  CHECK(e->value->rule == "same_object");
  CHECK(screenings() == 0);
}

TEST_CASE_FIXTURE(laboratory, "an evaluator that crashes answers waiting requests") {
  said->faults = 1; // makes it wait for a retry
  auto e = evaluate("candidate");
  run();
  CHECK_FALSE(e->come());
  caf::anon_send(tested, atom::crash_v);
  run();
  REQUIRE(e->error);
  CHECK(*e->error == failure{errc::unavailable, "the evaluator has ended"});
}

TEST_CASE_FIXTURE(laboratory, "a cancelled campaign's screening stops") {
  said->screenings_end = false;
  auto e = evaluate("candidate");
  run();
  CHECK(screenings() == 1);
  CHECK_FALSE(e->come());
  caf::anon_send(tested, atom::cancel_v);
  run();
  CHECK(e->error);
  CHECK(said->released == 1);
  said->racing.deliver(judge_outcome{});
}

TEST_CASE_FIXTURE(laboratory,
                  "only a final confirmation beside PyTorch has time for baselines, and the judge's own stays") {
  const auto limits_with = [&](const std::string& language, double baselines_s) {
    auto spec = std::make_shared<campaign_spec>(*context->spec);
    spec->task.task.language = language;
    spec->baselines_limit_s = baselines_s;
    context->spec = spec;
    stop(caf::actor_cast<caf::actor>(tested));
    start();
    said->limits.clear();
    evaluate_request q;
    q.index = 1;
    q.what.source = "final in " + language + std::to_string(baselines_s);
    q.final_check = true;
    ask<evaluation>(tested, atom::evaluate_v, q);
    run();
    REQUIRE(said->limits.size() == 1);
    return said->limits.front();
  };
  judge_request usual;
  ask_for(stage::final_confirm, usual);
  CHECK(limits_with("c", 420.0) == std::pair{usual.limit_ms, 0U});
  CHECK(limits_with("pytorch", 420.0) == std::pair{usual.limit_ms, 420'000U});
  CHECK(limits_with("pytorch", 8.0) == std::pair{usual.limit_ms, 8'000U});
  CHECK(limits_with("pytorch", 0.0) == std::pair{usual.limit_ms, 0U});
}
