// Measures the error rates of the judge's screenings. A candidate identical to the reference must not be called faster,
// and one with more work must be found slower. The requests are those of a campaign. The power at 1, 2 and 3 % more
// work and at 3 % less is measured with a hundred pairs.
#include "backends/host_machine.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"
#include "tools/bench/sweep.hpp"
#include "tools/command_line/command_line.hpp"

#include <fmt/core.h>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <vector>

namespace kevolve::bench {

namespace {

// Keeps the other cores busy while it lives.
class load {
public:
  explicit load(int timing_core) {
    for (auto core : usable_cores()) {
      if (core == timing_core)
        continue;
      auto pid = ::fork();
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<size_t>(core), &one);
        ::sched_setaffinity(0, sizeof one, &one);
        // Adds memory traffic, as a compiler on the next core does to a shared cache.
        std::vector<uint64_t> words(1U << 20U, 1);
        for (volatile uint64_t sum = 0;;)
          for (auto w : words)
            sum = sum + w;
      }
      if (pid > 0)
        pids_.push_back(pid);
    }
  }
  load(const load&) = delete;
  load& operator=(const load&) = delete;
  ~load() {
    for (auto pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

private:
  std::vector<pid_t> pids_;
};

// One of the candidates compared in turns: the reference with more work.
struct contender {
  std::string name;
  int more_percent = 0;
};

// The common parameters of the sessions of one row.
struct plan {
  std::string part; // "trials", "aa", "power" or "threads"
  kernel work;
  bool loaded = false;
  int trials = 0;
  uint32_t pairs = 0; // 0: as in a campaign
  std::vector<contender> contenders;
};

struct tally {
  std::map<comparison_decision, int> decisions;
  int refused = 0;
  int disturbed = 0; // sessions that stayed disturbed
  int repeated = 0;  // repeated sessions
  std::vector<double> speedups;
  std::vector<double> pairs;
  std::vector<double> seconds;
  std::vector<double> reference_us;
  std::string last_refusal;

  int of(comparison_decision d) const {
    auto i = decisions.find(d);
    return i == decisions.end() ? 0 : i->second;
  }
};

void count(tally& t, const judge_outcome& o) {
  t.seconds.push_back(static_cast<double>(o.judge_ns) / 1e9);
  if (o.result != verdict::pass) {
    ++t.refused;
    t.last_refusal = to_string(o.result) + " " + o.rule + ": " + o.detail;
    return;
  }
  ++t.decisions[o.decision];
  t.disturbed += o.evidence.contains("disturbed") ? 1 : 0;
  if (auto again = o.evidence.find("repeated_sessions"); again != o.evidence.end() && again->second != "0")
    ++t.repeated;
  t.speedups.push_back(o.speedup);
  for (const auto& s : o.timings) {
    t.pairs.push_back(static_cast<double>(s.baseline_ns.size()));
    t.reference_us.push_back(median(s.baseline_ns) / 1e3);
  }
}

json row(const plan& p, const std::string& candidate, const tally& t) {
  const auto& k = p.work;
  return {{"part", p.part},
          {"kernel", k.name},
          {"bound", k.bound},
          {"candidate", candidate},
          {"other_core", p.loaded ? "busy" : "left alone"},
          {"trials", p.trials},
          {"faster", t.of(comparison_decision::faster)},
          {"slower", t.of(comparison_decision::slower)},
          {"screened", t.of(comparison_decision::screened)},
          {"undecided", t.of(comparison_decision::undecided)},
          {"disturbed", t.disturbed},
          {"repeated_sessions", t.repeated},
          {"refused", t.refused},
          {"refusal", t.last_refusal},
          {"median_speedup", median(t.speedups)},
          {"median_pairs", median(t.pairs)},
          {"median_race_s", median(t.seconds)},
          {"reference_us", median(t.reference_us)}};
}

// Writes one session's pairs as a line of JSON, "baseline/candidate" in ns.
void file(std::ostream& samples, const plan& p, const std::string& candidate, const judge_outcome& o) {
  auto pairs = json::array();
  for (const auto& s : o.timings)
    for (size_t i = 0; i < s.baseline_ns.size(); ++i)
      pairs.push_back(fmt::format("{:.0f}/{:.0f}", s.baseline_ns[i], s.candidate_ns[i]));
  samples << json{{"part", p.part},
                  {"kernel", p.work.name},
                  {"candidate", candidate},
                  {"other_core", p.loaded ? "busy" : "left alone"},
                  {"called_faster", o.decision == comparison_decision::faster},
                  {"pairs", pairs}}
                 .dump()
          << '\n';
}

// Screens each candidate, in turns so that all see the same noise.
result<json> measure(workbench& bench, const plan& p, std::ostream& samples) {
  const auto& k = p.work;
  auto task = task_of(k);
  auto flags = baseline_flags(bench);
  auto reference = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::reference);
  if (!reference)
    return tl::unexpected(reference.error());
  auto oracle = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::oracle);
  if (!oracle)
    return tl::unexpected(oracle.error());
  std::vector<std::string> objects;
  for (const auto& c : p.contenders) {
    auto object =
        compile(bench, task, "c", text_of(k.sweeps + k.sweeps * c.more_percent / 100), flags, compile_role::candidate);
    if (!object)
      return tl::unexpected(object.error());
    objects.push_back(std::move(*object));
  }
  std::optional<load> busy;
  if (p.loaded)
    busy.emplace(bench.device.cores.front());
  std::vector<tally> tallies(p.contenders.size());
  for (int i = 0; i < p.trials; ++i)
    for (size_t c = 0; c < tallies.size(); ++c) {
      auto q = stage_request(task, stage::screening);
      q.reference = *reference;
      q.oracle = *oracle;
      q.candidate = objects[c];
      if (p.pairs > 0) {
        q.max_pairs = p.pairs;
        q.screening_ms = 20'000; // the number of pairs is the limit
      }
      auto o = bench.judge->ask(q);
      if (!o)
        return tl::unexpected(o.error());
      count(tallies[c], *o);
      file(samples, p, p.contenders[c].name, *o);
    }
  auto out = json::array();
  for (size_t c = 0; c < tallies.size(); ++c)
    out.push_back(row(p, p.contenders[c].name, tallies[c]));
  return out;
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  std::string bin;
  int trials = 20;
  int aa = 0;
  int power = 0;
  int threads = 0;
  kevolve::declared_program app{"Compares a candidate that is identical to its reference, and one with 5 % more work"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--trials", trials, "comparisons of each candidate on an idle and on a busy machine, over two kernels")
      ->capture_default_str();
  app.add_option("--aa", aa, "sessions of the identical candidate with a busy other core, over two kernels")
      ->capture_default_str();
  app.add_option("--threads", threads, "comparisons of each candidate with a thread on every core")
      ->capture_default_str();
  app.add_option("--power", power,
                 "sessions of each of 1, 2 and 3 % more work and 3 % less on the compute-bound kernel")
      ->capture_default_str();
  std::string samples_to;
  app.add_option("--samples", samples_to, "file for the pairs of every session, a line of JSON each");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  const std::vector<kernel> kernels{{"sweep-l1", "compute and L1", 491'520, 2'048, 100},
                                    {"sweep-l3", "L2 and L3", 393'216, 393'216, 40}};
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  std::ofstream samples{samples_to};
  auto before = machine();
  auto rows = json::array();
  const auto each = [&](int n) { return n > 0 ? std::max(1, n / static_cast<int>(kernels.size())) : 0; };
  std::vector<plan> plans;
  for (auto loaded : {false, true})
    for (const auto& k : kernels)
      plans.push_back({"trials", k, loaded, each(trials), 0, {{"identical", 0}, {"5 % more work", 5}}});
  for (const auto& k : kernels)
    plans.push_back({"aa", k, true, each(aa), 0, {{"identical", 0}}});
  plans.push_back({"power",
                   kernels.front(),
                   true,
                   power,
                   100,
                   {{"1 % more work", 1}, {"2 % more work", 2}, {"3 % more work", 3}, {"3 % less work", -3}}});
  plans.push_back({"threads",
                   {"sweep-threads", "compute and L1", 1'966'080, 2'048, 100, true},
                   false,
                   threads,
                   0,
                   {{"identical", 0}, {"5 % more work", 5}}});
  for (const auto& p : plans) {
    if (p.trials == 0)
      continue;
    auto r = measure(*bench, p, samples);
    if (!r)
      return give_up(to_string(r.error()));
    for (auto& x : *r)
      rows.push_back(std::move(x));
  }
  return print({{"benchmark", "aa"},
                {"seed", "the judge's own, from the kernel"},
                {"machine", before},
                {"load_after", machine()["load_1min"]},
                {"rows", rows}});
}
