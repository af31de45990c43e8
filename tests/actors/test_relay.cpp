// Tests the relay and the generator that asks it, with a real journal.
#include "actors/journal/journal.hpp"
#include "actors/knowledge/retrieval.hpp"
#include "actors/messages/keys.hpp"
#include "actors/models/model_generator.hpp"
#include "actors/models/relay.hpp"
#include "paper_target.hpp"
#include "runtime/base/codec.hpp"
#include "tests/support/temporary_store.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

constexpr int64_t second = 1'000'000'000;
const id128 campaign{1, 2};

exchange_id prompt_id(uint64_t node) {
  return {campaign, node, 0, 0};
}

relay_prompt waiting(uint64_t node, int64_t asked_s, const id128& of = campaign) {
  relay_prompt p;
  p.id = {of, node, 0, 0};
  p.asked_ns = asked_s * second;
  return p;
}

const std::string reference = "void op(const float *x, float *y) { *y = *x; }\n";
const std::string good = "summary: write it another way\n```c candidate.c\nvoid op(const float *x, float *y) { y[0] = "
                         "x[0]; }\n```\n";

// Returns three documents: about a failed start of a candidate, about vector lanes, and for drafts.
std::shared_ptr<const knowledge::knowledge_base> three_documents() {
  const auto made = [](const char* id, std::vector<std::string> phases, const char* signal, const char* text) {
    knowledge::document d;
    d.id = id;
    d.title = id;
    d.targets = {"any"};
    d.phases = std::move(phases);
    d.signals = {*knowledge::parse_signal(signal)};
    d.sections.push_back({"What to do", text, {"own"}, 1, {}, {}});
    return d;
  };
  auto base = knowledge::knowledge_base::of({made("any/linking", {}, "verdict:load_error", "Name it right.\n"),
                                             made("any/lanes", {}, "bound:scalar_code", "Write wider.\n"),
                                             made("any/op", {"draft"}, "family:matmul", "Begin plainly.\n")});
  REQUIRE(base);
  return std::make_shared<const knowledge::knowledge_base>(std::move(*base));
}

struct post_office : virtual_system {
  temporary_store disk;
  int64_t now = 1'000 * second;
  std::shared_ptr<campaign_context> context = std::make_shared<campaign_context>();
  relay_actor office;
  generator_actor asking;

  post_office() {
    auto spec = std::make_shared<campaign_spec>();
    spec->target = "paper";
    spec->task.task.name = spec->task.task.entry = "op";
    spec->task.task.language = "c";
    spec->task.task.family = "gemm";
    spec->task.reference_source = reference;
    spec->generators.push_back({"relay", 1.0});
    context->id = campaign;
    context->spec = spec;
    context->hardware = std::make_shared<paper_target>();
    context->statuses = statuses;
    context->knowledge = three_documents();
    context->journal =
        spawn_tracked(system, statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});
    preparation prepared;
    prepared.peaks["peak.flops_per_s"] = "1e11";
    append_request a;
    a.campaign = campaign;
    a.values.push_back({keys::index, keys::prepared(campaign), encode(prepared)});
    ask<uint64_t>(context->journal, atom::append_v, a);
    run();
    open();
  }
  // Begins a node's session. Relay and generator know only the journal's content.
  void open() {
    office = spawn_tracked(system, statuses, "relay", "relay", 0, relay, context->journal, [this] { return now; });
    asking = spawn_tracked(system, statuses, "generator", "g", 0, model_generator, campaign_context_ptr{context},
                           uint32_t{0}, caf::actor_cast<model_actor>(office), [this] { return now; });
    run();
  }
  void close() {
    stop(caf::actor_cast<caf::actor>(asking));
    stop(caf::actor_cast<caf::actor>(office));
    run();
    asking = nullptr;
    office = nullptr;
  }
  auto generate(uint64_t index, const std::string& parent = {}, const std::string& verdict = "pass") {
    generate_request q;
    q.index = index;
    q.memory = "both";
    if (!parent.empty()) {
      ancestor p;
      p.index = 1;
      p.source = parent;
      p.verdict = verdict;
      p.flags = "more";
      p.speedup = 1.5;
      p.summary = "the first step";
      q.parents = {p};
    }
    auto out = ask<proposal>(asking, atom::generate_v, q);
    run();
    return out;
  }
  auto next(const std::string& holder, int64_t lease_s = 60) {
    auto out = ask<relay_prompt>(office, atom::next_v, relay_request{{}, holder, lease_s * second});
    run();
    return out;
  }
  auto answer(const exchange_id& id, const std::string& text, const std::string& by = "alice") {
    auto out = ask<relay_receipt>(office, atom::answer_v, relay_answer{id, text, by, "a model"});
    run();
    return out;
  }
  exchange_record stored(const exchange_id& id) {
    auto bytes = disk.data->get(table::index, keys::exchange(id));
    REQUIRE(bytes);
    REQUIRE(*bytes);
    auto record = decode<exchange_record>(**bytes);
    REQUIRE(record);
    return *record;
  }
  std::string blob(const std::string& digest) {
    auto out = ask<std::string>(context->journal, atom::blob_v, digest);
    run();
    REQUIRE(out->value);
    return *out->value;
  }
  ~post_office() {
    close();
    stop(caf::actor_cast<caf::actor>(context->journal));
    run();
    context.reset();
  }
};

} // namespace

TEST_CASE("a prompt's id is parsed from its text form and from nothing else") {
  const exchange_id id{{0x1234, 0x5678}, 17, 2, 1};
  CHECK(to_string(id) == "00000000000012340000000000005678-17-2-1");
  auto back = parse_exchange_id(to_string(id));
  REQUIRE(back);
  CHECK(*back == id);
  for (const auto* text :
       {"", "17-2-1", "00000000000012340000000000005678", "00000000000012340000000000005678-17-2",
        "00000000000012340000000000005678-17-2-1-", "00000000000012340000000000005678-17-2-x",
        "0000000000001234000000000000567g-17-2-1", "00000000000012340000000000005678-17-2-5000000000",
        "00000000000012340000000000005678--17-2-1"})
    CHECK_FALSE(parse_exchange_id(text));
}

TEST_CASE("the oldest prompt goes first, and again when its lease has expired") {
  synthesis::relay_queue q;
  q.put(waiting(2, 20));
  q.put(waiting(1, 30));
  q.put(waiting(3, 10, {9, 9}));
  const relay_request anybody{{}, "a", 60 * second};
  CHECK(q.take({campaign, "a", 60 * second}, 100 * second)->id.node == 2);
  CHECK(q.take(anybody, 100 * second)->id.node == 3);
  CHECK(q.take(anybody, 100 * second)->id.node == 1);
  CHECK(q.take(anybody, 159 * second) == nullptr);
  CHECK(q.list(159 * second)[1].holder == "a");
  CHECK(q.list(161 * second)[1].holder.empty());
  const auto* again = q.take({{}, "b", 60 * second}, 161 * second);
  REQUIRE(again != nullptr);
  CHECK(again->id.node == 3);
  CHECK(again->holder == "b");
  CHECK(again->handed_out == 2);
  q.erase(again->id);
  CHECK(q.list(161 * second).size() == 2);
}

TEST_CASE("only the lease holder may give a prompt back") {
  synthesis::relay_queue q;
  q.put(waiting(1, 10));
  CHECK_FALSE(q.return_resource(prompt_id(1), "a", 20 * second));
  q.take({{}, "a", 60 * second}, 20 * second);
  CHECK_FALSE(q.return_resource(prompt_id(1), "b", 30 * second));
  CHECK(q.return_resource(prompt_id(1), "a", 30 * second));
  CHECK(q.take({{}, "b", 60 * second}, 30 * second)->holder == "b");
  CHECK_FALSE(q.return_resource(prompt_id(7), "a", 30 * second));
}

TEST_CASE_FIXTURE(post_office, "a prompt waits, is taken under a lease, and its answer becomes the candidate") {
  auto made = generate(5);
  CHECK_FALSE(made->come());
  auto taken = next("alice");
  REQUIRE(taken->value);
  CHECK(taken->value->id == prompt_id(5));
  CHECK(taken->value->held_until_ns == now + 60 * second);
  REQUIRE(taken->value->turns.size() == 2);
  CHECK(taken->value->turns[0].role == "system");
  CHECK(taken->value->turns[0].text.find("100.0 Gflop/s") != std::string::npos);
  CHECK(taken->value->turns[1].role == "user");
  auto nothing = next("bob");
  REQUIRE(nothing->error);
  CHECK(nothing->error->code == errc::not_found);

  auto receipt = answer(prompt_id(5), good);
  REQUIRE(receipt->value);
  CHECK(receipt->value->outcome == "candidate");
  REQUIRE(made->value);
  CHECK(made->value->source.find("y[0] = x[0]") != std::string::npos);
  CHECK(made->value->language == "c");
  CHECK(made->value->flags == "base"); // the reference's flags
  CHECK(made->value->summary == "write it another way");

  auto r = stored(prompt_id(5));
  CHECK(r.answered);
  CHECK(blob(r.reply) == good);
  CHECK(r.answered_by == "alice");
  CHECK(r.model == "a model");
  CHECK(r.outcome == "candidate");
  CHECK(blob(r.turns[0].text) == taken->value->turns[0].text);
  CHECK(r.parts.size() == 10);
}

TEST_CASE_FIXTURE(post_office, "the stable part is equal for all nodes, and a parent's code and flags carry over") {
  auto first = generate(5);
  auto a = next("a");
  const auto parent = "void op(const float *x, float *y) { *y = 1.0f * *x; }\n";
  auto second_node = generate(6, parent);
  auto b = next("b");
  REQUIRE(a->value);
  REQUIRE(b->value);
  CHECK(a->value->turns[0].text == b->value->turns[0].text);
  CHECK(b->value->turns[1].text.find(parent) != std::string::npos);
  CHECK(b->value->turns[1].text.find("the first step") != std::string::npos);
  answer(prompt_id(6), good);
  REQUIRE(second_node->value);
  CHECK(second_node->value->flags == "more");
}

TEST_CASE_FIXTURE(post_office, "documents about the diagnosis are in the prompt, and the trace is stored with it") {
  generate(5, "int op;\n", "load_error");
  auto taken = next("a");
  REQUIRE(taken->value);
  CHECK(taken->value->turns[1].text.find("Name it right.") != std::string::npos);
  CHECK(taken->value->turns[1].text.find("Write wider.") == std::string::npos);
  const auto record = stored(taken->value->id);
  CHECK(record.report.by == "measurements");
  REQUIRE(record.report.problems.size() == 1);
  CHECK(record.report.problems[0].problem == "the compiled object cannot be loaded");
  REQUIRE(record.retrievals.size() == 1);
  const auto& trace = record.retrievals[0];
  CHECK(trace.signals == std::vector<std::string>{"language:c", "family:matmul", "phase:repair", "verdict:load_error"});
  REQUIRE(trace.sections.size() == 1);
  CHECK(trace.sections[0].document == "any/linking");
  CHECK(trace.sections[0].outcome == "quoted");
  CHECK(trace.documents == 3);
}

TEST_CASE_FIXTURE(post_office, "a first draft and a clean start are shown documents, too") {
  generate(5);
  auto draft = next("a");
  REQUIRE(draft->value);
  CHECK(draft->value->turns[1].text.find("Begin plainly.") != std::string::npos);
  CHECK(stored(draft->value->id).retrievals.at(0).signals
        == std::vector<std::string>{"language:c", "family:matmul", "phase:draft"});
  generate_request clean;
  clean.index = 6;
  clean.memory = "none";
  clean.parents.emplace_back().verdict = "load_error";
  ask<proposal>(asking, atom::generate_v, clean);
  run();
  auto started = next("b");
  REQUIRE(started->value);
  CHECK(started->value->turns[1].text.find("Begin plainly.") != std::string::npos);
  CHECK(started->value->turns[1].text.find("Name it right.") == std::string::npos);
}

TEST_CASE_FIXTURE(post_office, "prompts quote no documents where the campaign's file says so") {
  close();
  auto spec = std::make_shared<campaign_spec>(*context->spec);
  spec->documents = {0};
  context->spec = spec;
  open();
  generate(5);
  auto draft = next("a");
  REQUIRE(draft->value);
  CHECK(draft->value->turns[1].text.find("Begin plainly.") == std::string::npos);
  CHECK(stored(draft->value->id).retrievals.empty());
}

namespace {

struct diagnosing_office : post_office {
  diagnosing_office() {
    close();
    auto spec = std::make_shared<campaign_spec>(*context->spec);
    spec->diagnosis_tokens = {500};
    context->spec = spec;
    open();
  }
};

} // namespace

TEST_CASE_FIXTURE(diagnosing_office, "a diagnosis is asked for first, and what it names is looked up for the step") {
  auto made = generate(5, "int op;\n", "load_error");
  auto first = next("a");
  REQUIRE(first->value);
  CHECK(first->value->id == exchange_id{campaign, 5, 0, diagnosis_round});
  CHECK(first->value->turns[0].text.find("You do not write code") != std::string::npos);
  CHECK(first->value->turns[1].text.find("int op;") != std::string::npos);
  CHECK(first->value->turns[1].text.find("the compiled object cannot be loaded") != std::string::npos);
  auto receipt = answer(first->value->id, "problem: its lanes are idle\nevidence: line 1\ndeferred: the load error\n"
                                          "look up: write wider vectors\n");
  REQUIRE(receipt->value);
  CHECK(receipt->value->outcome == "diagnosis");
  CHECK(stored(first->value->id).purpose == "diagnosis");
  auto after = next("a");
  REQUIRE(after->value);
  CHECK(after->value->id == prompt_id(5));
  const auto& prompt = after->value->turns[1].text;
  CHECK(prompt.find("problem: its lanes are idle") != std::string::npos);
  CHECK(prompt.find("Name it right.") != std::string::npos); // by the signals
  CHECK(prompt.find("Write wider.") != std::string::npos);   // by the diagnosis
  const auto record = stored(after->value->id);
  CHECK(record.report.by == "model");
  REQUIRE(record.report.problems.size() == 3);
  CHECK(record.report.problems[0].problem == "its lanes are idle");
  CHECK_FALSE(record.report.problems[0].deferred);
  CHECK(record.report.problems[1].deferred);
  CHECK(record.report.look_up == std::vector<std::string>{"write wider vectors"});
  REQUIRE(record.retrievals.size() == 2);
  CHECK(record.retrievals[1].reason == "diagnosis");
  CHECK(record.retrievals[1].sections.at(0).document == "any/lanes");

  SUBCASE("after a restart neither is asked again") {
    close();
    open();
    auto again = generate(5, "int op;\n", "load_error");
    CHECK(stored(prompt_id(5)).retrievals == record.retrievals);
    answer(prompt_id(5), good); // it waits for this answer alone
    REQUIRE(again->value);
    CHECK(again->value->summary == "write it another way");
  }
  SUBCASE("the answer to the step itself is its candidate") {
    answer(prompt_id(5), good);
    REQUIRE(made->value);
    CHECK(made->value->summary == "write it another way");
  }
}

TEST_CASE_FIXTURE(diagnosing_office, "without a problem in the reply the step goes on; a draft asks for no diagnosis") {
  generate(5, "int op;\n", "load_error");
  answer({campaign, 5, 0, diagnosis_round}, "I would rather write code.");
  auto step = next("a");
  REQUIRE(step->value);
  CHECK(step->value->id == prompt_id(5));
  CHECK(stored(prompt_id(5)).report.by == "measurements");
  CHECK(stored(prompt_id(5)).retrievals.size() == 1);
  generate(6);
  auto draft = next("b");
  REQUIRE(draft->value);
  CHECK(draft->value->id == prompt_id(6));
}

namespace {

struct distilling_office : post_office {
  distilling_office() {
    close();
    auto spec = std::make_shared<campaign_spec>(*context->spec);
    spec->distil_tokens = {500};
    context->spec = spec;
    open();
  }
  auto word(uint64_t child) {
    gain_texts g;
    g.child = child;
    g.summary = "wider";
    g.before = "a;\n";
    g.after = "b;\n";
    g.log_gain = 0.4;
    auto out = ask<worded_step>(asking, atom::distil_v, g);
    run();
    return out;
  }
};

} // namespace

TEST_CASE_FIXTURE(distilling_office, "a gain is put into words by a question of its own") {
  auto words = word(5);
  auto question = next("a");
  REQUIRE(question->value);
  CHECK(question->value->id == exchange_id{campaign, 5, 0, distil_round});
  auto receipt = answer(question->value->id, "words: both lanes at once\npattern: innermost\n");
  REQUIRE(receipt->value);
  CHECK(receipt->value->outcome == "distil");
  CHECK(stored(question->value->id).purpose == "distil");
  REQUIRE(words->value);
  CHECK(words->value->step.words == "both lanes at once");
  CHECK(words->value->step.after == "b;\n");
  CHECK(words->value->pattern == "innermost");
  auto silent = word(6);
  answer({campaign, 6, 0, distil_round}, "I would rather not.");
  REQUIRE(silent->error);
  CHECK(silent->error->code == errc::bad_input);
}

TEST_CASE_FIXTURE(distilling_office, "a withdrawn gain ends its question, and another goes on") {
  auto first = word(5);
  auto other = word(6);
  caf::anon_send(asking, atom::cancel_v, uint64_t{5});
  run();
  REQUIRE(first->error);
  CHECK(first->error->code == errc::cancelled);
  CHECK_FALSE(other->come());
  auto left = next("a");
  REQUIRE(left->value);
  CHECK(left->value->id.node == 6);
  CHECK(next("b")->error);
}

TEST_CASE_FIXTURE(post_office, "nothing is put into words where the campaign has no tokens for it") {
  auto refused = ask<worded_step>(asking, atom::distil_v, gain_texts{});
  run();
  REQUIRE(refused->error);
  CHECK(refused->error->code == errc::unsupported);
  CHECK(next("a")->error);
}

TEST_CASE_FIXTURE(post_office, "the first answer counts; repeating it is no conflict") {
  auto made = generate(5);
  REQUIRE(answer(prompt_id(5), good)->value);
  auto again = answer(prompt_id(5), good);
  REQUIRE(again->value);
  CHECK(again->value->repeated);
  auto other = answer(prompt_id(5), "another", "bob");
  REQUIRE(other->error);
  CHECK(other->error->code == errc::conflict);
  auto unknown = answer(prompt_id(77), good);
  REQUIRE(unknown->error);
  CHECK(unknown->error->code == errc::not_found);
}

TEST_CASE_FIXTURE(post_office, "an unreadable answer is requested once more, then given up") {
  auto made = generate(5);
  auto receipt = answer(prompt_id(5), "I would tile the loop.");
  REQUIRE(receipt->value);
  CHECK(receipt->value->outcome == "no_code");
  auto mend = next("alice");
  REQUIRE(mend->value);
  CHECK(mend->value->id == exchange_id{campaign, 5, 0, 1});
  REQUIRE(mend->value->turns.size() == 4);
  CHECK(mend->value->turns[2].role == "assistant");
  CHECK(mend->value->turns[2].text == "I would tile the loop.");
  CHECK_FALSE(made->come());

  SUBCASE("mended") {
    answer(mend->value->id, good);
    REQUIRE(made->value);
    CHECK(made->value->summary == "write it another way");
  }
  SUBCASE("in vain") {
    answer(mend->value->id, "```c candidate.c\nvoid other(void) {}\n```\n");
    REQUIRE(made->error);
    CHECK(made->error->code == errc::bad_input);
    CHECK(made->error->detail.starts_with("no_code: "));
  }
}

TEST_CASE_FIXTURE(post_office, "after a restart, waiting prompts are identical and leases still hold") {
  generate(5);
  auto before = next("alice", 600);
  REQUIRE(before->value);
  close();
  now += second;
  open();
  auto made = generate(5, "a parent that the first prompt did not show\n");
  auto held = next("bob");
  REQUIRE(held->error);
  CHECK(held->error->detail == "every prompt that waits is held");
  now += 600 * second;
  auto after = next("bob");
  REQUIRE(after->value);
  CHECK(after->value->handed_out == 2);
  REQUIRE(after->value->turns.size() == 2);
  CHECK(after->value->turns[1].text == before->value->turns[1].text);
}

TEST_CASE_FIXTURE(post_office, "an acknowledged answer is not requested again, whichever actors lived") {
  SUBCASE("the generator has received it") {
    generate(5);
    answer(prompt_id(5), good);
    close();
  }
  SUBCASE("nobody has asked in this session") {
    generate(5);
    close();
    open();
    auto receipt = answer(prompt_id(5), good);
    REQUIRE(receipt->value);
    CHECK(receipt->value->outcome.empty()); // nobody waits for the outcome
    close();
  }
  open();
  auto made = generate(5);
  REQUIRE(made->value);
  CHECK(made->value->summary == "write it another way");
  CHECK(next("bob")->error->detail == "no prompt waits");
}

TEST_CASE_FIXTURE(post_office, "a withdrawn question stops waiting; a late answer is kept") {
  auto made = generate(5);
  caf::anon_send(asking, atom::cancel_v, uint64_t{5});
  caf::anon_send(asking, atom::cancel_v, uint64_t{6});
  run();
  REQUIRE(made->error);
  CHECK(made->error->code == errc::cancelled);
  CHECK(next("alice")->error->detail == "no prompt waits");
  auto receipt = answer(prompt_id(5), good);
  REQUIRE(receipt->value);
  CHECK(stored(prompt_id(5)).answered);
  auto late = generate(6); // was under way
  REQUIRE(late->error);
  CHECK(late->error->code == errc::cancelled);
  CHECK(next("alice")->error->detail == "no prompt waits");
}

TEST_CASE_FIXTURE(post_office, "a dead generator's questions are withdrawn") {
  generate(5);
  stop(caf::actor_cast<caf::actor>(asking));
  run();
  auto nothing = next("alice");
  REQUIRE(nothing->error);
  CHECK(nothing->error->detail == "no prompt waits");
}
