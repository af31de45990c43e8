// Measures the floor of a campaign's run time: two plain threads repeat its paid compiles and judge runs over the same
// channels, without daemon, actors, journal and search. Compiling runs on the other cores while the judge times, at
// most as many candidates ahead as the campaign had in flight.
#include "tools/bench/helper_session.hpp"
#include "tools/bench/recording.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"
#include "tools/command_line/command_line.hpp"

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;

// The loop's complete input, loaded before the clock starts.
struct script {
  recording from;
  std::map<uint64_t, std::string> sources; // by node
  std::string reference;
  std::string oracle;
};

result<script> read_script(const std::string& data_dir) {
  store_options options;
  options.create = false;
  auto data = store::open(data_dir, options);
  if (!data)
    return tl::unexpected(data.error());
  auto r = read_recording(**data);
  if (!r)
    return tl::unexpected(r.error());
  script out;
  out.from = std::move(*r);
  for (const auto& job : out.from.compiles) {
    auto source = read_blob(**data, out.from.proposals[job.node].source);
    if (!source)
      return tl::unexpected(source.error());
    out.sources[job.node] = std::move(*source);
  }
  auto reference = read_blob(**data, out.from.fixed.reference_object);
  if (!reference)
    return tl::unexpected(reference.error());
  out.reference = std::move(*reference);
  if (!out.from.fixed.oracle_object.empty()) {
    auto oracle = read_blob(**data, out.from.fixed.oracle_object);
    if (!oracle)
      return tl::unexpected(oracle.error());
    out.oracle = std::move(*oracle);
  }
  return out;
}

class loop {
public:
  loop(workbench& bench, const script& s) : bench_(bench), script_(s) {
    for (const auto& jobs : {&s.from.compiles, &s.from.judgements})
      for (const auto& j : *jobs)
        ++left_[j.node];
  }

  result<double> run() {
    auto begin = steady::now();
    std::thread compiling{[this] { compile_all(); }};
    judge_all();
    compiling.join();
    if (trouble_)
      return tl::unexpected(*trouble_);
    return std::chrono::duration<double>(steady::now() - begin).count();
  }

  double compile_s() const { return static_cast<double>(compile_ns_) / 1e9; }
  double judge_s() const { return static_cast<double>(judge_ns_) / 1e9; }
  json each() const { return each_; } // per judgement: the campaign's time and this loop's

private:
  void give_up(failure f) {
    std::lock_guard hold{guard_};
    if (!trouble_)
      trouble_ = std::move(f);
    changed_.notify_all();
  }

  void job_done(uint64_t node) {
    if (--left_[node] == 0)
      in_flight_.erase(node);
    changed_.notify_all();
  }

  void compile_all() {
    const auto ahead = static_cast<size_t>(script_.from.spec.search.in_flight);
    for (const auto& job : script_.from.compiles) {
      {
        std::unique_lock hold{guard_};
        changed_.wait(hold, [&] { return trouble_ || in_flight_.size() < ahead; });
        if (trouble_)
          return;
        in_flight_.insert(job.node);
      }
      const auto& p = script_.from.proposals.at(job.node);
      compile_request q;
      q.job = random_id();
      q.language = p.language;
      q.source = script_.sources.at(job.node) + c_call_check(script_.from.spec.task.task, q.language);
      q.flags = p.flags;
      q.entry = script_.from.spec.task.task.entry;
      q.threads = script_.from.spec.task.task.threads;
      auto o = bench_.compiler->ask(q);
      if (!o)
        return give_up(o.error());
      std::lock_guard hold{guard_};
      compile_ns_ += o->compile_ns;
      objects_[job.object] = std::move(o->artifact);
      job_done(job.node);
    }
  }

  void judge_all() {
    for (const auto& job : script_.from.judgements) {
      auto q = stage_request(script_.from.spec.task.task, job.what);
      if (job.alpha > 0.0)
        q.alpha = job.alpha; // a confirmation uses the campaign's error budget at that moment
      q.reference = script_.reference;
      q.oracle = script_.oracle;
      {
        std::unique_lock hold{guard_};
        changed_.wait(hold, [&] { return trouble_ || objects_.contains(job.object); });
        if (trouble_)
          return;
        q.candidate = objects_[job.object];
        if (!job.baseline.empty())
          q.baseline = objects_[job.baseline];
      }
      auto o = bench_.judge->ask(q);
      if (!o)
        return give_up(o.error());
      std::lock_guard hold{guard_};
      judge_ns_ += o->judge_ns;
      each_.push_back({{"node", job.node},
                       {"stage", to_string(job.what)},
                       {"campaign", {{"ns", job.wall_ns}, {"pairs", job.pairs}}},
                       {"bare", {{"ns", o->judge_ns}, {"pairs", pairs_of(*o)}}}});
      job_done(job.node);
    }
  }

  workbench& bench_;
  const script& script_;
  std::mutex guard_; // guards the members below
  std::condition_variable changed_;
  std::map<std::string, std::string> objects_; // recorded digest → bytes compiled here
  std::map<uint64_t, size_t> left_;            // node → remaining jobs
  std::set<uint64_t> in_flight_;
  std::optional<failure> trouble_;
  int64_t compile_ns_ = 0;
  int64_t judge_ns_ = 0;
  json each_ = json::array();
};

// Does a node's preparation: starts the helpers and measures the peaks.
result<void> warm(workbench& bench, const script& s) {
  const auto& spec = s.from.spec;
  auto object = compile(bench, spec.task.task, spec.task.task.language, spec.task.reference_source,
                        baseline_flags(bench), compile_role::reference);
  if (!object)
    return tl::unexpected(object.error());
  judge_request q;
  q.job = random_id();
  q.mode = judge_mode::probe;
  if (auto o = bench.judge->ask(q); !o)
    return tl::unexpected(o.error());
  q.job = random_id();
  q.mode = judge_mode::admit;
  q.task = spec.task.task;
  q.reference = s.reference;
  q.oracle = s.oracle;
  q.limit_ms = 600'000;
  if (auto o = bench.judge->ask(q); !o)
    return tl::unexpected(o.error());
  return {};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string bin;
  std::string data;
  kevolve::declared_program app{"Does a finished campaign's compiles and judge runs again without a node"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--data", data, "data directory that holds one finished campaign")->required();
  auto each = false;
  app.add_flag("--each", each, "list every judge run, the campaign's beside the loop's");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto s = read_script(data);
  if (!s)
    return give_up(to_string(s.error()));
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  if (auto ok = warm(*bench, *s); !ok)
    return give_up(to_string(ok.error()));
  loop l{*bench, *s};
  auto seconds = l.run();
  if (!seconds)
    return give_up(to_string(seconds.error()));
  const auto& r = s->from;
  auto candidates = static_cast<double>(r.candidates);
  auto campaign_s = static_cast<double>(r.last_finished_ns - r.first_selected_ns) / 1e9;
  return print({{"task", r.spec.task.task.name},
                {"seed", r.spec.seed},
                {"candidates", r.candidates},
                {"compiles", r.compiles.size()},
                {"judgements", r.judgements.size()},
                {"first_selected_ns", r.first_selected_ns},
                {"last_finished_ns", r.last_finished_ns},
                {"campaign",
                 {{"seconds", campaign_s},
                  {"candidates_per_minute", 60 * candidates / campaign_s},
                  {"compile_s", static_cast<double>(r.compile_ns) / 1e9},
                  {"judge_s", static_cast<double>(r.judge_ns) / 1e9},
                  {"propose_s", static_cast<double>(r.propose_ns) / 1e9}}},
                {"bare",
                 {{"seconds", *seconds},
                  {"candidates_per_minute", 60 * candidates / *seconds},
                  {"compile_s", l.compile_s()},
                  {"judge_s", l.judge_s()}}},
                {"each", each ? l.each() : json{}}});
}
