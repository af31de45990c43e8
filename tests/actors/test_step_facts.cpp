#include "actors/synthesis/step_facts.hpp"
#include "actors/synthesis/step_signals.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::synthesis;

namespace {

// Returns a task with two operations and eight bytes an element.
synthesis_context scaling() {
  synthesis_context c;
  c.task.name = "scale";
  c.task.entry = "scale";
  c.task.language = "c";
  c.task.work_flops = "2*n";
  c.task.work_bytes = "8*n";
  c.task.shapes = {{"small", {{"n", 1'000}}, false, 1.0}, {"large", {{"n", 1'000'000}}, false, 1.0}};
  c.hardware = {{"cache.l1d", 32'768}, {"cache.l2", 1'048'576}};
  c.reference_source = "void scale(void) {}\n";
  c.form = c_form(c.task);
  return c;
}

const std::map<std::string, std::string> peaks{
    {"peak.flops_per_s", "1e10"}, {"peak.l1_bytes_per_s", "8e10"}, {"peak.dram_bytes_per_s", "8e9"}};

bool has_line(const std::vector<std::string>& lines, const std::string& what) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.find(what) != std::string::npos; });
}

} // namespace

TEST_CASE("a shape's roof uses the memory level that holds its data") {
  const auto c = scaling();
  const auto f = facts_of({&c, {"machine: a processor"}, false, peaks, nullptr}, {});
  CHECK(f.hardware_notes.front() == "machine: a processor");
  const auto admitted = facts_of({&c, {}, false, peaks, nullptr, {}, 0, {{"reference_ns.small", "1500"}}}, {});
  CHECK(has_line(admitted.hardware_notes, "small: the reference takes about 1.5 us a call"));
  const auto beside = facts_of({&c,
                                {},
                                false,
                                peaks,
                                nullptr,
                                {},
                                0,
                                {{"reference_ns.small", "1500"}, {"eager_ns.small", "700"}},
                                0,
                                {"eager PyTorch", "torch.compile default"}},
                               {});
  CHECK(has_line(beside.hardware_notes, "small: the reference takes about 1.5 us a call"));
  CHECK(has_line(beside.hardware_notes, "small: eager PyTorch takes about 0.7 us a call"));
  CHECK(has_line(beside.hardware_notes, "reported beside the fastest of: eager PyTorch, torch.compile default"));
  CHECK(beside.baselines.size() == 2);
  CHECK(!has_line(f.hardware_notes, "PyTorch"));
  // 2000 operations at 1e10 per second; 8000 bytes at 8e10. A million elements exceed the cache: 8e6 bytes at 8e9.
  CHECK(has_line(f.hardware_notes, "8000 bytes moved; at the peaks 0.2 us for the one, 0.1 us for the other"));
  CHECK(has_line(f.hardware_notes, "8e+06 bytes moved; at the peaks 200 us for the one, 1000 us for the other"));
}

TEST_CASE("every prompt for a GPU has its facts, the roofs, and the precision that is allowed") {
  auto c = scaling();
  c.form.from_reference = false;
  c.hardware.clear();
  argument x;
  x.name = "x";
  x.type = dtype::f32;
  c.task.arguments.push_back(x);
  const std::map<std::string, std::string> probed{{"device.name", "NVIDIA H200"},
                                                  {"device.multiprocessors", "132"},
                                                  {"device.sm_mhz", "1980"},
                                                  {"device.l2_bytes", "62914560"},
                                                  {"device.memory_bytes", "150754820096"},
                                                  {"device.flops_per_s", "4e14"},
                                                  {"copy_bytes_per_second", "4.2e12"},
                                                  {"event_floor_ns", "2912"}};
  for (const auto draft : {true, false}) {
    generate_request step;
    step.memory = draft ? "none" : "parent";
    const auto f = facts_of({&c, {}, false, probed, nullptr}, step);
    CHECK(
        has_line(f.hardware_notes, "NVIDIA H200: 132 multiprocessors at up to 1980 MHz, 60 MiB of second-level cache"));
    CHECK(has_line(f.hardware_notes, "memory, by copies: 4200.0 GB/s"));
    CHECK(has_line(f.hardware_notes, "TF32: 400000.0 Gflop/s"));
    CHECK(has_line(f.hardware_notes, "an empty kernel takes 2.91 us"));
    CHECK(has_line(f.hardware_notes, "large: by its declaration"));
    CHECK(has_line(f.hardware_notes, "as far as the tolerances admit them"));
  }
  c.task.timing.tf32 = tf32_use::off;
  CHECK(has_line(facts_of({&c, {}, false, probed, nullptr}, {}).hardware_notes, "TF32 is not allowed"));
  c.task.timing.tf32 = tf32_use::on;
  CHECK(has_line(facts_of({&c, {}, false, probed, nullptr}, {}).hardware_notes, "TF32 in products of f32 is allowed"));
}

TEST_CASE("the report covers the shape nearest to its roof") {
  const auto c = scaling();
  ancestor node;
  node.shape_ns = {{"small", 400.0}, {"large", 10e6}};
  const auto r = roofline_of(c, peaks, node);
  CHECK(r.flops == doctest::Approx(2'000));
  CHECK(r.seconds == doctest::Approx(400e-9));
  CHECK(r.peak_bytes == doctest::Approx(8e10));
}

TEST_CASE("the judge's bottleneck of a parent comes before our own estimate") {
  const auto c = scaling();
  generate_request step;
  ancestor parent;
  parent.verdict = "pass";
  parent.speedup = 2.0;
  parent.shape_ns = {{"large", 10e6}};
  parent.bound = "occupancy";
  parent.bound_why = "k has 1 block a multiprocessor";
  parent.code_notes = "k: 3 loads of local memory";
  step.parents = {parent};
  const auto judged = facts_of({&c, {}, false, peaks, nullptr}, step).report;
  REQUIRE(judged.findings.size() == 1);
  CHECK(judged.findings[0].problem == "too few threads at work");
  CHECK(judged.findings[0].evidence == "k has 1 block a multiprocessor");
  CHECK(judged.findings[0].topics == std::vector<std::string>{"occupancy"});
  CHECK(judged.code_notes == "k: 3 loads of local memory");
  for (const auto* word : {"memory", "compute", "launch", "occupancy", "latency"})
    CHECK(finding_of_bound(word, "").size() == 1);
  step.parents.front().bound = "a word of tomorrow's";
  CHECK(facts_of({&c, {}, false, peaks, nullptr}, step).report.findings.front().problem != judged.findings[0].problem);
  step.parents.front().bound = "memory";
  step.parents.front().verdict = "wrong_result"; // correctness comes first
  const auto wrong = facts_of({&c, {}, false, peaks, nullptr}, step).report;
  CHECK(wrong.findings.front().problem != "memory bandwidth");
  CHECK(wrong.code_notes.empty());
}

TEST_CASE("without peaks there are no roofs") {
  const auto c = scaling();
  const auto f = facts_of({&c, {}, false, {}, nullptr}, {});
  CHECK(f.hardware_notes.empty());
}

TEST_CASE("a step knows what results are checked on, from the task's admission") {
  const auto c = scaling();
  campaign_facts shared{&c, {}, false, {}, nullptr};
  CHECK(facts_of(shared, {}).checked_on.empty());
  shared.admitted = {{"tried", "Some draws."}, {"not_tried", "Not tried: others."}};
  CHECK(facts_of(shared, {}).checked_on == "Some draws. Not tried: others.");
}

TEST_CASE("a fresh start sees nothing of the tree except that there are others") {
  const auto c = scaling();
  generate_request step;
  step.memory = "none";
  step.unshown = 2;
  step.siblings.emplace_back();
  const auto f = facts_of({&c, {}, true, peaks, nullptr}, step);
  CHECK(f.siblings.empty());
  CHECK(f.unshown == 2);
  CHECK(f.zero_sizes);
}

TEST_CASE("the signals of a step are its phase, its parent's verdict, error and bottleneck, and what was tried") {
  const auto texts = [](const generate_request& step, const memory_report& report) {
    std::vector<std::string> out;
    for (const auto& s : step_signals(step, report))
      out.push_back(knowledge::to_string(s));
    return out;
  };
  using list = std::vector<std::string>;
  generate_request step;
  CHECK(texts(step, {}) == list{"phase:draft"});
  step.parents.emplace_back().verdict = "compile_error";
  step.parents.front().detail = "candidate.c:1: error: use of undeclared identifier 'x'";
  CHECK(texts(step, {}) == list{"phase:repair", "verdict:compile_error", "error:undeclared"});
  step.parents.front().verdict = "pass";
  step.parents.front().bound = "memory"; // a word of the judge's roofline
  CHECK(texts(step, {}) == list{"phase:refine", "bound:memory_bandwidth"});
  step.parents.front().bound = "bank_conflicts"; // of a profile
  memory_report tried;
  tried.neutral.emplace_back();
  tried.failed.emplace_back().result = verdict::pass;
  tried.failed.emplace_back().result = verdict::wrong_result;
  CHECK(texts(step, tried) == list{"phase:refine", "bound:bank_conflicts", "tried:no_gain", "tried:slower"});
  tried.failed.emplace_back().result = verdict::wrong_result;
  step.parents.emplace_back();
  CHECK(texts(step, tried)
        == list{"phase:combine", "bound:bank_conflicts", "tried:no_gain", "tried:slower", "tried:repeated_wrong"});
  step.memory = "none";
  CHECK(texts(step, tried) == list{"phase:draft"});
  CHECK(bound_signal("a word of tomorrow's").empty());
}

TEST_CASE("the roofline names a bottleneck where nothing was measured") {
  generate_request step;
  step.parents.emplace_back().verdict = "pass";
  report_facts r;
  r.result = verdict::pass;
  r.roofline = {1e9, 8e9, 1.0, 1e10, 1e10};
  const auto signals = step_signals(step, make_report(r));
  REQUIRE(signals.size() == 2);
  CHECK(knowledge::to_string(signals[1]) == "bound:memory_bandwidth");
}

TEST_CASE("the signals of a campaign are its target, language, hardware, family and types") {
  auto c = scaling();
  c.form.language = "c";
  c.task.family = "softmax";
  c.task.arguments.emplace_back().type = dtype::f32;
  c.task.arguments.back().shape = {"n"};
  std::vector<std::string> out;
  for (const auto& s : campaign_signals(c, "cpu", "machine: AMD EPYC (family 25, model 1), Linux 6.1, x86_64"))
    out.push_back(knowledge::to_string(s));
  CHECK(std::find(out.begin(), out.end(), "target:cpu") != out.end());
  CHECK(std::find(out.begin(), out.end(), "language:c") != out.end());
  CHECK(std::find(out.begin(), out.end(), "hardware:zen3") != out.end());
  CHECK(std::find(out.begin(), out.end(), "family:softmax") != out.end());
  CHECK(std::find(out.begin(), out.end(), "dtype:f32") != out.end());
}

TEST_CASE("a prompt quotes the skills that its step was given, proven ones first, and stores the trace") {
  const auto c = scaling();
  const auto base = knowledge::knowledge_base::of({}).value();
  offered_skill trial;
  trial.id = {1, 1};
  trial.step = {"", "sums in one go", "a\n", "b\n"};
  trial.weight = 0.9;
  auto proven = trial;
  proven.id = {2, 2};
  proven.state = skill_state::confirmed;
  proven.step.words = "keeps partial sums";
  proven.weight = 0.4;
  proven.gain = 0.4;
  campaign_facts campaign{&c, {}, false, {}, &base};
  generate_request step;
  const auto without = facts_of(campaign, step);
  CHECK(without.retrievals.size() == 1);
  CHECK(without.documents.empty());
  step.skills = {trial, proven};
  const auto with = facts_of(campaign, step);
  REQUIRE(with.documents.size() == 1);
  CHECK(with.documents.front().title == "skill 00000000: keeps partial sums");
  CHECK(with.documents.front().text.find("1.49 times as fast") != std::string::npos);
  CHECK(with.documents.front().text.find("Before:\na\nAfter:\nb\n") != std::string::npos);
  REQUIRE(with.retrievals.size() == 2);
  const auto& trace = with.retrievals.back();
  CHECK(trace.reason == "skills");
  REQUIRE(trace.sections.size() == 2);
  CHECK(trace.sections[0].outcome == "quoted");
  CHECK(trace.sections[1].outcome == "enough");
  CHECK(with.retrievals.front().budget == campaign.document_tokens - trace.sections[0].tokens);
  step.skills = {trial};
  const auto tried = facts_of(campaign, step);
  REQUIRE(tried.documents.size() == 1);
  CHECK(tried.documents.front().text.find("a trial") != std::string::npos);
}
