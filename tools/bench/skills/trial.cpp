#include "tools/bench/skills/trial.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "actors/synthesis/step_signals.hpp"
#include "config/campaign.hpp"
#include "tools/bench/landscape/screening.hpp"
#include "tools/bench/skills/call_pair.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;

constexpr double never = 1e-300;         // an error level at which no comparison is decided early
constexpr uint64_t first_lesson = 1'000; // its seed; others follow

double rounded(double x) {
  return std::round(1e4 * x) / 1e4;
}

json json_of(const campaign_course& c) {
  auto curve = json::array();
  for (const auto& [candidates, speedup] : c.curve)
    curve.push_back({{"candidates", candidates}, {"speedup", rounded(speedup)}});
  auto trials = json::array();
  for (const auto& t : c.trials)
    trials.push_back({{"candidates", t.judged},
                      {"skill", t.skill},
                      {"from", rounded(t.from)},
                      {"to", rounded(t.to)},
                      {"moves", t.moves}});
  return {{"best", rounded(c.best)}, {"judged", c.judged},        {"valid", c.valid},
          {"given", c.given},        {"applied", c.applied},      {"applied_first", c.first_steps},
          {"by_skill", c.by_skill},  {"without", c.without},      {"propose_s", rounded(c.propose_s)},
          {"refused", c.refused},    {"curve", std::move(curve)}, {"trials", std::move(trials)}};
}

// The helpers of a task, while its campaigns run.
struct open_task {
  campaign_ground ground;
  std::optional<screening_bench> bench; // the judge measures
  std::optional<call_pair> calls;       // or plain calls do

  compiler_of compiled() {
    return [this](const proposal& what) {
      return calls ? calls->compiled(what.source, what.flags)
                   : compile(bench->compilers().front(), bench->spec().task, what.language, what.source, what.flags,
                             compile_role::candidate);
    };
  }
  measurement_of measured() {
    return [this](const std::string& object, const std::string& source, uint32_t ms) -> result<score> {
      if (calls)
        return calls->measure(object, ms);
      auto o = bench->screen(object, source, ms, never);
      return o ? result<score>{score{*o}} : tl::unexpected(o.error());
    };
  }
};

// The state of one task over all its campaigns.
struct task_state {
  const trial_task* what = nullptr;
  known_figures known;
  double best = 0.0; // of its lessons
  double wall_s = 0.0;
  std::vector<json> lessons;
  std::deque<open_task> helpers; // while its lessons or its campaigns run
};

std::vector<std::string> signals_of(const synthesis_context& context, const target& hardware) {
  std::string about;
  for (const auto& [what, words] : hardware.about())
    about += what + ": " + words + "\n";
  std::vector<std::string> out;
  for (const auto& s : synthesis::campaign_signals(context, hardware.name(), about))
    out.push_back(knowledge::to_string(s));
  return out;
}

result<open_task> open(const trial_options& o, const trial_task& t) {
  auto spec = small_task(t.file, t.sizes);
  if (!spec)
    return tl::unexpected(spec.error());
  open_task out;
  if (!o.calls) {
    auto bench = screening_bench::open(o.bin, std::move(*spec), 1);
    if (!bench)
      return tl::unexpected(bench.error());
    out.bench.emplace(std::move(*bench));
    out.ground = {out.bench->context(), signals_of(out.bench->context(), out.bench->hardware())};
    return out;
  }
  const auto hardware = make_target("cpu", o.bin);
  if (!hardware)
    return tl::unexpected(hardware.error());
  out.ground.context = context_of(**hardware, *spec);
  out.ground.signals = signals_of(out.ground.context, **hardware);
  auto pair = call_pair::make(o.bin + "/bench-call-runner", out.ground.context, o.seed);
  if (!pair)
    return tl::unexpected(pair.error());
  auto tree = pair->syntax_tree(spec->reference_source);
  if (!tree)
    return tl::unexpected(tree.error());
  out.ground.context.syntax_tree = std::make_shared<const std::string>(std::move(*tree));
  out.calls = std::move(*pair);
  return out;
}

class trial {
public:
  trial(const trial_options& o, policy_options policy) : options_(o), policy_(std::move(policy)) {
    for (size_t h = 0; h < 2; ++h)
      for (const auto& t : o.halves[h])
        tasks_[h].emplace_back().what = &t;
  }

  result<json> run() {
    std::array<result<void>, 2> learnt;
    {
      std::vector<std::jthread> both;
      for (size_t h = 0; h < 2; ++h)
        both.emplace_back([&, h] { learnt[h] = learn(h); });
    }
    for (const auto& ok : learnt)
      if (!ok)
        return tl::unexpected(ok.error());
    const auto after_lessons = elapsed();
    auto rows = json::array();
    const auto longest = std::max(tasks_[0].size(), tasks_[1].size());
    for (size_t i = 0; i < longest; ++i)
      for (const size_t h : {size_t{1}, size_t{0}}) // the halves in turn, so that a cut leaves some of both
        if (i < tasks_[h].size() && (h == 1 || options_.swap)) {
          auto row = compare(tasks_[h][i], 1 - h);
          if (!row)
            return tl::unexpected(row.error());
          rows.push_back(std::move(*row));
        }
    return json{{"lessons_s", std::round(after_lessons)},
                {"wall_s", std::round(elapsed())},
                {"books", books()},
                {"tasks", std::move(rows)},
                {"cost", cost()}};
  }

private:
  double elapsed() const { return std::chrono::duration<double>(steady::now() - begun_).count(); }
  bool is_over() const { return elapsed() > options_.seconds; }

  campaign_plan plan_of(const std::string& task, const std::string& what, uint64_t seed) const {
    campaign_plan p;
    p.policy = policy_;
    p.seed = seed;
    p.candidates = options_.candidates;
    p.plans = options_.plans;
    p.id = derive_id("bench-skills", task + " " + what + " " + std::to_string(seed));
    return p;
  }

  // Only its half's own thread writes to a half's shelf and tasks.
  result<void> learn(size_t half) {
    for (auto& t : tasks_[half]) {
      const auto from = steady::now();
      auto opened = open(options_, *t.what);
      if (!opened)
        return tl::unexpected(opened.error());
      auto& at = t.helpers.emplace_back(std::move(*opened));
      for (uint64_t i = 0; i < options_.lessons; ++i) {
        screened_judge judge{at.compiled(), at.measured(), t.known, options_.times};
        auto p = plan_of(t.what->name, "lesson", options_.seed + first_lesson + i);
        auto done = run_campaign(at.ground, p, judge, shelves_[half]);
        if (!done)
          return fail(done.error().code, t.what->name + ": " + done.error().detail);
        t.best = std::max(t.best, done->best);
        t.lessons.push_back(json_of(*done));
      }
      if (!options_.calls)
        t.helpers.clear(); // a judge ends with the thread that started it
      t.wall_s += std::chrono::duration<double>(steady::now() - from).count();
      std::cerr << t.what->name + ": lessons to " + std::to_string(t.best) + ", "
                       + std::to_string(shelves_[half].size()) + " skills in all, "
                       + std::to_string(static_cast<int>(elapsed())) + " s\n";
    }
    return {};
  }

  struct job {
    uint64_t seed = 0;
    bool with = false;
    std::optional<result<campaign_course>> done;
  };

  result<json> compare(task_state& t, size_t other) {
    std::deque<job> jobs;
    for (uint64_t i = 0; i < options_.seeds; ++i)
      for (const bool with : {false, true}) // in turn, so that both see the same noise of the machine
        jobs.push_back({options_.seed + i, with, {}});
    const auto from = steady::now();
    // Judges take turns at the timing core, so that one compiles while others time; plain calls need one set of
    // helpers.
    while (t.helpers.size() < (options_.calls ? 1 : options_.threads) && !is_over())
      if (auto at = open(options_, *t.what))
        t.helpers.push_back(std::move(*at));
      else
        return tl::unexpected(at.error());
    work_off(jobs, t, shelves_[other]);
    t.helpers.clear();
    t.wall_s += std::chrono::duration<double>(steady::now() - from).count();
    t.known.made.clear();
    auto runs = json::array();
    for (auto j = jobs.begin(); j != jobs.end(); j += 2) {
      const auto& without = j->done;
      const auto& with = (j + 1)->done;
      if (!without || !with)
        continue; // no time was left
      for (const auto* one : {&*without, &*with})
        if (!*one)
          return fail(one->error().code, t.what->name + ": " + one->error().detail);
      runs.push_back({{"seed", j->seed}, {"without", json_of(**without)}, {"with", json_of(**with)}});
    }
    std::cerr << t.what->name + ": " + std::to_string(runs.size()) + " seeds, "
                     + std::to_string(static_cast<int>(elapsed())) + " s\n";
    return json{{"task", t.what->name},
                {"goal", rounded(options_.share * t.best)},
                {"best_of_lessons", rounded(t.best)},
                {"lessons", t.lessons},
                {"runs", std::move(runs)}};
  }

  void work_off(std::deque<job>& jobs, task_state& t, const skill_shelf& earned) {
    std::atomic<size_t> next{0};
    std::vector<std::jthread> workers;
    for (uint32_t worker = 0; worker < options_.threads && !t.helpers.empty(); ++worker)
      workers.emplace_back([&, worker] {
        auto& at = t.helpers[worker % t.helpers.size()];
        for (size_t i = next++; i < jobs.size() && !is_over(); i = next++) {
          auto& j = jobs[i];
          auto own = earned; // what a campaign finds does not reach another
          screened_judge judge{at.compiled(), at.measured(), t.known, options_.times};
          auto p = plan_of(t.what->name, j.with ? "with" : "without", j.seed);
          p.goal = options_.share * t.best;
          p.with_skills = j.with;
          j.done = run_campaign(at.ground, p, judge, own);
        }
      });
  }

  json books() const {
    auto out = json::array();
    for (size_t h = 0; h < 2; ++h) {
      auto names = json::array();
      for (const auto& t : tasks_[h])
        names.push_back(t.what->name);
      auto skills = json::array();
      for (const auto& s : shelves_[h].skills())
        skills.push_back({{"id", short_string(s->id)},
                          {"task", s->provenance.task},
                          {"state", to_string(s->state)},
                          {"from_reference", s->provenance.parent == 0},
                          {"gain", rounded(std::exp(s->applications.front().log_gain))},
                          {"applications", s->applications.size()},
                          {"moves", s->step.moves},
                          {"pattern", s->conditions.pattern}});
      out.push_back({{"learnt_on", std::move(names)}, {"states", shelves_[h].states()}, {"skills", std::move(skills)}});
    }
    return out;
  }

  // Where the time went, over all tasks.
  json cost() const {
    double wall = 0.0;
    double compiling = 0.0;
    double judging = 0.0;
    uint64_t asked = 0;
    uint64_t compiled = 0;
    uint64_t screened = 0;
    uint64_t confirmed = 0;
    for (const auto& half : tasks_)
      for (const auto& t : half) {
        wall += t.wall_s;
        compiling += t.known.compile_s;
        judging += t.known.judge_s;
        asked += t.known.asked;
        compiled += t.known.compiled;
        screened += t.known.first.size();
        confirmed += t.known.second.size();
      }
    return {{"task_s", rounded(wall)},     {"compile_s", rounded(compiling)},
            {"judge_s", rounded(judging)}, {"asked", asked},
            {"compiled", compiled},        {"screened", screened},
            {"confirmed", confirmed}};
  }

  const trial_options& options_;
  policy_options policy_;
  steady::time_point begun_ = steady::now();
  std::array<std::deque<task_state>, 2> tasks_;
  std::array<skill_shelf, 2> shelves_;
};

} // namespace

result<void> read_plan(const std::string& text, trial_options& to) {
  try {
    const auto plan = json::parse(text);
    plan.at("campaign").get_to(to.campaign);
    for (size_t h = 0; h < 2; ++h)
      for (const auto& t : plan.at("halves").at(h))
        to.halves[h].push_back({t.at("name").get<std::string>(), t.at("file").get<std::string>(),
                                t.at("sizes").get<std::map<std::string, int64_t>>()});
    plan.at("seed").get_to(to.seed);
    plan.at("seeds").get_to(to.seeds);
    plan.at("candidates").get_to(to.candidates);
    plan.at("lessons").get_to(to.lessons);
    plan.at("share").get_to(to.share);
    plan.at("seconds").get_to(to.seconds);
    plan.at("swap").get_to(to.swap);
    plan.at("plans").get_to(to.plans);
    plan.at("calls").get_to(to.calls);
    plan.at("first_ms").get_to(to.times.first_ms);
    plan.at("second_ms").get_to(to.times.second_ms);
  } catch (const std::exception& e) {
    return fail(errc::bad_input, e.what());
  }
  return {};
}

result<json> run_trial(const trial_options& options) {
  auto spec = load_campaign(options.campaign, {"search.in_flight=1"});
  if (!spec)
    return fail(errc::bad_input, to_string(spec.error()));
  return trial{options, policy_of(*spec)}.run();
}

} // namespace kevolve::bench
