// How honest the judge's races are: a candidate identical to the reference must not be called faster, and one with
// 5 % more work must be seen to be slower. The requests are those of a campaign.
#include "backends/cpu/machine.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"

#include <CLI/CLI.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <vector>

namespace kevolve::bench {

namespace {

// y moves half-way to x in every sweep; after twenty sweeps one more changes nothing beyond rounding.
constexpr const char* source = R"(#include <stdint.h>
void sweep(const float *x, float *y, int64_t n, int64_t block) {
  for (int64_t b = 0; b < n; b += block) {
    for (int64_t i = 0; i < block; ++i)
      y[b + i] = 0.5f * x[b + i];
    for (int64_t s = 1; s < SWEEPS; ++s)
      for (int64_t i = 0; i < block; ++i)
        y[b + i] = 0.5f * y[b + i] + 0.5f * x[b + i];
  }
}
)";

struct kernel {
  std::string name;
  std::string bound;
  int64_t n = 0;
  int64_t block = 0; // elements swept at a time: what the working set of a sweep is
  int sweeps = 0;
};

argument array(const char* name, argument_role role) {
  argument a;
  a.name = name;
  a.role = role;
  a.shape = {"n"};
  return a;
}

argument size(const char* name) {
  argument a;
  a.name = name;
  a.role = argument_role::size;
  a.type = dtype::i64;
  return a;
}

contract task_of(const kernel& k) {
  contract c;
  c.name = k.name;
  c.entry = "sweep";
  c.language.assign(1, 'c');
  c.arguments = {array("x", argument_role::input), array("y", argument_role::output), size("n"), size("block")};
  shape_case s;
  s.name = "n=" + std::to_string(k.n);
  s.sizes = {{"n", k.n}, {"block", k.block}};
  c.shapes = {s};
  tolerance t;
  t.relative = 1e-4;
  t.absolute = 1e-5;
  c.tolerances = {t};
  return c;
}

std::string text_of(int sweeps) {
  return "#define SWEEPS " + std::to_string(sweeps) + "\n" + source;
}

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
        // Memory traffic too: that is what a compiler on the next core does to a shared cache.
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

struct tally {
  std::map<race_decision, int> decisions;
  int refused = 0;
  std::vector<double> speedups;
  std::vector<double> pairs;
  std::vector<double> seconds;
  std::vector<double> reference_us;
  std::string last_refusal;

  int of(race_decision d) const {
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
  t.speedups.push_back(o.speedup);
  for (const auto& s : o.timings) {
    t.pairs.push_back(static_cast<double>(s.rival_ns.size()));
    t.reference_us.push_back(median(s.rival_ns) / 1e3);
  }
}

json row(const kernel& k, const std::string& candidate, bool loaded, int trials, const tally& t) {
  return {{"kernel", k.name},
          {"bound", k.bound},
          {"candidate", candidate},
          {"other_core", loaded ? "busy" : "left alone"},
          {"trials", trials},
          {"faster", t.of(race_decision::faster)},
          {"slower", t.of(race_decision::slower)},
          {"screened", t.of(race_decision::screened)},
          {"undecided", t.of(race_decision::undecided)},
          {"refused", t.refused},
          {"refusal", t.last_refusal},
          {"median_speedup", median(t.speedups)},
          {"median_pairs", median(t.pairs)},
          {"median_race_s", median(t.seconds)},
          {"reference_us", median(t.reference_us)}};
}

// `trials` races of each candidate, the two in turns so that both see the same weather.
result<json> measure(workbench& bench, const kernel& k, bool loaded, int trials) {
  auto task = task_of(k);
  auto flags = baseline_flags(bench);
  auto reference = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::reference);
  auto same = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::candidate);
  auto more = compile(bench, task, "c", text_of(k.sweeps + k.sweeps / 20), flags, compile_role::candidate);
  auto oracle = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::oracle);
  for (const auto* x : {&reference, &same, &more, &oracle})
    if (!*x)
      return tl::unexpected(x->error());
  std::optional<load> busy;
  if (loaded)
    busy.emplace(bench.device.cores.front());
  tally of_same;
  tally of_more;
  for (int i = 0; i < trials; ++i)
    for (auto* t : {&of_same, &of_more}) {
      auto q = stage_request(task, stage::race);
      q.reference = *reference;
      q.oracle = *oracle;
      q.candidate = t == &of_same ? *same : *more;
      auto o = bench.judge->ask(q);
      if (!o)
        return tl::unexpected(o.error());
      count(*t, *o);
    }
  return json::array({row(k, "identical", loaded, trials, of_same), row(k, "5 % more work", loaded, trials, of_more)});
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  std::string bin;
  int trials = 20;
  CLI::App app{"Races of a candidate identical to its reference, and of one with 5 % more work"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--trials", trials, "races of each candidate on an idle and on a busy machine, over two kernels")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<kernel> kernels{{"sweep-l1", "compute and L1", 491'520, 2'048, 100},
                                    {"sweep-l3", "L2 and L3", 393'216, 393'216, 40}};
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  auto before = machine();
  auto rows = json::array();
  for (auto loaded : {false, true})
    for (const auto& k : kernels) {
      auto r = measure(*bench, k, loaded, std::max(1, trials / static_cast<int>(kernels.size())));
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
