#include "backends/profile/run_passes.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace kevolve;

namespace {

class scratch {
public:
  scratch() {
    std::string pattern = "/tmp/kevolve-profile-test.XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~scratch() { std::filesystem::remove_all(path); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  std::string path;
};

profile_pass named(const char* name, result<pass_result> (*run)(const pass_request&)) {
  profile_pass p;
  p.name = name;
  p.run = run;
  return p;
}

result<pass_result> makes_loops(const pass_request& q) {
  pass_result out;
  out.made[artefact_kind::loops] = "of " + q.source;
  finding f;
  f.bound = bound_class::denormals;
  out.findings.push_back(f);
  return out;
}

result<pass_result> reads_loops(const pass_request& q) {
  pass_result out;
  out.made[artefact_kind::ports] = q.have.at(artefact_kind::loops) + " in "
                                   + (std::filesystem::is_empty(q.folder) ? "an empty folder" : "a used folder");
  return out;
}

// Each reading is so much later than the one before.
std::function<work_time()> clock_that_steps(double passed_s, double worked_s) {
  return [=, now = work_time{}]() mutable {
    now.passed_s += passed_s;
    now.worked_s += worked_s;
    return now;
  };
}

std::map<std::string, pass_outcome> run(const profile_job& job, const std::vector<profile_pass>& known,
                                        std::function<work_time()> clock = work_time_now) {
  const scratch folder;
  std::map<std::string, pass_outcome> out;
  run_passes(
      job, known,
      {nullptr, folder.path, "",
       [](int, const std::function<void()>& go) -> result<void> {
         go();
         return {};
       },
       std::move(clock)},
      [](const std::string&) {}, [&](const pass_outcome& x) { out[x.name] = x; });
  return out;
}

profile_job job_of(std::vector<std::string> passes) {
  profile_job job;
  job.source = "a source";
  job.passes = std::move(passes);
  return job;
}

} // namespace

TEST_CASE("a pass gets what the passes before it made, and an empty folder") {
  auto second = named("second", reads_loops);
  second.reads = {artefact_kind::loops};
  const auto out = run(job_of({"first", "second"}), {named("first", makes_loops), second});
  CHECK(out.at("second").made.at("ports") == "of a source in an empty folder");
  const auto findings = nlohmann::json::parse(out.at("first").findings);
  CHECK(findings[0]["pass"] == "first");
}

TEST_CASE("a pass that fails or throws is skipped with the reason, and the next one runs") {
  const auto out = run(
      job_of({"fails", "throws", "first"}),
      {named("fails", [](const pass_request&) -> result<pass_result> { return fail(errc::io, "the disk said no"); }),
       named("throws", [](const pass_request&) -> result<pass_result> { throw std::bad_alloc{}; }),
       named("first", makes_loops)});
  CHECK(out.at("fails").skipped.find("the disk said no") != std::string::npos);
  CHECK(out.at("throws").skipped.find("the pass failed") != std::string::npos);
  CHECK(out.at("first").skipped.empty());
}

TEST_CASE("a pass whose input a failed pass owed is skipped by the input's name") {
  auto second = named("second", reads_loops);
  second.reads = {artefact_kind::loops};
  const auto out = run(job_of({"second", "unknown"}), {second});
  CHECK(out.at("second").skipped.find("'loops'") != std::string::npos);
  CHECK(out.at("unknown").skipped == "there is no such pass");
}

TEST_CASE("no pass starts once the passes before it have spent the budget") {
  auto job = job_of({"first", "second"});
  job.passes.emplace_back("free");
  job.budget_s = 2.0;
  auto first = named("first", makes_loops);
  auto second = named("second", makes_loops);
  first.use = second.use = pass_use::compiler;
  const auto out = run(job, {first, second, named("free", makes_loops)}, clock_that_steps(2.0, 2.0));
  CHECK(out.at("free").skipped.empty()); // it uses nothing
  CHECK(out.at("first").skipped.empty());
  CHECK(out.at("second").skipped.find("budget") != std::string::npos);
  CHECK(out.at("second").remedy == "a larger --budget");
}

TEST_CASE("the budget is one of work: a pass that waits for a processor spends none of it") {
  auto job = job_of({"first", "second"});
  job.budget_s = 2.0;
  auto first = named("first", makes_loops);
  auto second = named("second", makes_loops);
  first.use = second.use = pass_use::compiler;
  auto out = run(job, {first, second}, clock_that_steps(30.0, 0.5));
  CHECK(out.at("second").skipped.empty());
  CHECK(out.at("first").seconds == doctest::Approx{30.0}); // the time that people see has passed
  // A device works while the processor waits.
  first.use = pass_use::device;
  out = run(job, {first, second}, clock_that_steps(30.0, 0.5));
  CHECK(out.at("second").skipped.find("budget") != std::string::npos);
}

TEST_CASE("a step on processors is limited by its work, one on a device by the clock") {
  static pass_request asked;
  const auto keeps = [](const pass_request& q) -> result<pass_result> {
    asked = q;
    return pass_result{};
  };
  auto job = job_of({"first"});
  job.budget_s = 5.0;
  job.limit_ms = 1'000'000;
  auto first = named("first", keeps);
  first.use = pass_use::compiler;
  const auto begin = std::chrono::steady_clock::now();
  run(job, {first});
  CHECK(asked.step_s == doctest::Approx{20.0});
  CHECK(asked.deadline >= begin + std::chrono::seconds{80});
  job.limit_ms = 30'000;
  run(job, {first});
  CHECK(asked.deadline <= std::chrono::steady_clock::now() + std::chrono::seconds{30}); // the job's own limit
  first.use = pass_use::device;
  run(job, {first});
  CHECK(asked.step_s == 0.0);
  CHECK(asked.deadline <= std::chrono::steady_clock::now() + std::chrono::seconds{20});
}

TEST_CASE("a cheap pass still starts where the passes before it took longer than planned") {
  auto job = job_of({"slow", "cheap", "dear"});
  job.budget_s = 2.0;
  auto slow = named("slow", makes_loops);
  auto cheap = named("cheap", makes_loops);
  auto dear = named("dear", makes_loops);
  slow.use = cheap.use = dear.use = pass_use::compiler;
  cheap.estimate_s = [](const pass_request&) { return 0.3; };
  dear.estimate_s = [](const pass_request&) { return 0.8; };
  const auto out = run(job, {slow, cheap, dear}, clock_that_steps(2.5, 2.5));
  CHECK(out.at("dear").skipped.find("budget") != std::string::npos);
  CHECK(out.at("cheap").skipped.empty());
}

TEST_CASE("the wait for the core is charged to neither the pass nor the job") {
  auto job = job_of({"first", "second"});
  job.limit_ms = 1'000;
  const auto in_time = [](const pass_request& q) -> result<pass_result> {
    return std::chrono::steady_clock::now() < q.deadline ? makes_loops(q) : fail(errc::timed_out, "no time");
  };
  auto first = named("first", in_time);
  auto second = named("second", in_time);
  first.use = second.use = pass_use::core;
  const scratch folder;
  std::map<std::string, pass_outcome> out;
  run_passes(
      job, std::vector{first, second},
      {nullptr, folder.path, "",
       [](int, const std::function<void()>& go) -> result<void> {
         const auto held_until = std::chrono::steady_clock::now() + std::chrono::milliseconds{1'050};
         while (std::chrono::steady_clock::now() < held_until)
           ;
         go();
         return {};
       }},
      [](const std::string&) {}, [&](const pass_outcome& x) { out[x.name] = x; });
  CHECK(out.at("first").skipped.empty());
  CHECK(out.at("second").skipped.empty());
}

TEST_CASE("a pass that uses nothing starts after the job's limit, and no other does") {
  auto job = job_of({"model", "cheap"});
  job.limit_ms = 0;
  auto cheap = named("cheap", makes_loops);
  cheap.use = pass_use::compiler;
  cheap.estimate_s = [](const pass_request&) { return 0.1; };
  const auto out = run(job, {named("model", makes_loops), cheap});
  CHECK(out.at("model").skipped.empty());
  CHECK(out.at("cheap").skipped.find("budget") != std::string::npos);
}

TEST_CASE("a pass that uses the core runs while the core is held, and not at all if it is not free") {
  auto p = named("first", makes_loops);
  p.use = pass_use::core;
  const scratch folder;
  std::string skipped;
  run_passes(
      job_of({"first"}), std::vector{p},
      {nullptr, folder.path, "",
       [](int, const std::function<void()>&) -> result<void> { return fail(errc::timed_out, "held by 4711"); }},
      [](const std::string&) {}, [&](const pass_outcome& x) { skipped = x.skipped; });
  CHECK(skipped.find("held by 4711") != std::string::npos);
}
