// Measures the cost of judging: the launch of a candidate's process, and the judge's own time for several input sizes.
// Measures the spread of the ratio of champion to reference over fresh judges, too.
#include "backends/cpu/judge/scheduling_priority.hpp"
#include "backends/judge/byte_buffer.hpp"
#include "backends/judge/native/sandboxed_process.hpp"
#include "tools/bench/helper_session.hpp"
#include "tools/bench/launch_floor.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/stage_request.hpp"
#include "tools/bench/sweep.hpp"
#include "tools/command_line/command_line.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace kevolve::bench {

namespace {

using std::chrono::steady_clock;

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(std::chrono::nanoseconds{steady_clock::now() - start}.count());
}

double percentile(std::vector<double> values, double share) {
  if (values.empty())
    return 0.0;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

double figure(const judge_outcome& o, const std::string& name) {
  auto text = o.evidence.find(name);
  return text == o.evidence.end() ? 0.0 : std::strtod(text->second.c_str(), nullptr);
}

constexpr size_t mebibyte = size_t{1} << 20U;

kernel of_bytes(size_t input_bytes, int sweeps) {
  const auto n = static_cast<int64_t>(input_bytes / sizeof(float));
  return {"sweep", "memory", n, n, sweeps};
}

// Returns the minimal cost of one judged call on this machine. Copies its input, fills its output with poison, and
// compares both with the C library's functions.
double floor_of_call_ms(size_t input_bytes) {
  constexpr size_t sets = 4; // each set is used again only after the others
  constexpr int rounds = 24;
  std::vector<byte_buffer> inputs;
  std::vector<byte_buffer> expected;
  for (size_t i = 0; i < sets; ++i) {
    inputs.emplace_back(input_bytes);
    expected.emplace_back(input_bytes);
    std::memset(inputs.back().data(), static_cast<int>(i + 1), input_bytes);
    std::memset(expected.back().data(), 1, input_bytes);
  }
  byte_buffer in{input_bytes};
  byte_buffer out{input_bytes};
  std::vector<double> took;
  for (int i = 0; i < rounds; ++i) {
    const auto set = static_cast<size_t>(i) % sets;
    const auto start = steady_clock::now();
    std::memcpy(in.data(), inputs[set].data(), input_bytes);
    std::memset(out.data(), 1, input_bytes);
    const bool same = std::memcmp(in.data(), inputs[set].data(), input_bytes) == 0
                      && std::memcmp(out.data(), expected[set].data(), input_bytes) == 0;
    took.push_back(same ? ns_since(start) / 1e6 : 0.0);
  }
  return percentile(took, 0.0); // the minimum, since this process has no raised priority as the judge does
}

// Moves this process to the timing core with raised priority if that is allowed, like the judge.
void take_the_judges_place(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(core), &one);
  ::sched_setaffinity(0, sizeof one, &one);
  go_ahead_of_others();
}

// Launches processes of one object as the judge does: clone, lock, load, freeze, end.
result<json> launches(workbench& bench, const std::string& bin, int count) {
  const auto k = of_bytes(mebibyte, 1);
  const auto task = task_of(k);
  auto bytes = compile(bench, task, "c", text_of(k.sweeps), baseline_flags(bench), compile_role::candidate);
  if (!bytes)
    return tl::unexpected(bytes.error());
  take_the_judges_place(bench.device.cores.front());
  zygote_client zygote{bin + "/kevolve-zygote", bench.device.cores};
  if (auto ok = zygote.start(); !ok)
    return tl::unexpected(ok.error());
  shared_arena arena;
  if (auto ok = arena.prepare(4 * mebibyte); !ok)
    return tl::unexpected(ok.error());
  auto object = object_file::create(*bytes);
  if (!object)
    return tl::unexpected(object.error());
  launch_options options;
  options.task = &task;
  options.memory_bytes = uint64_t{1} << 30U;
  options.cores = {bench.device.cores.front()};
  std::vector<double> launch;
  std::vector<double> load;
  for (int i = 0; i < count; ++i) {
    std::optional<rejection> refused;
    const auto start = steady_clock::now();
    auto process = sandboxed_process::launch(zygote, arena, *object, options, refused);
    const auto took = ns_since(start);
    if (!process)
      return tl::unexpected(process.error());
    if (refused)
      return fail(errc::internal, refused->detail);
    launch.push_back(took);
    load.push_back(static_cast<double>(process->load_time().count()));
    process->end();
  }
  auto floor = launch_floor(bench.device.cores.front(), count);
  if (!floor)
    return tl::unexpected(floor.error());
  return json{{"launches", count},
              {"floor", *floor},
              {"median_ns", median(launch)},
              {"p90_ns", percentile(launch, 0.9)},
              {"loading_median_ns", median(load)},
              {"sandbox_level", zygote.sandbox_level()},
              {"wanted_ns", 500'000}};
}

// Judges candidates one after another on inputs of one size. The input sets exist already, as for every candidate of a
// campaign but the first.
result<json> judged(workbench& bench, size_t input_bytes, judge_mode mode, int count) {
  const auto k = of_bytes(input_bytes, 2);
  auto task = task_of(k);
  const auto flags = baseline_flags(bench);
  auto reference = compile(bench, task, "c", text_of(k.sweeps), flags, compile_role::reference);
  auto candidate = compile(bench, task, "c", "/* another */" + text_of(1), flags, compile_role::candidate);
  if (!reference || !candidate)
    return tl::unexpected(reference ? candidate.error() : reference.error());
  task.tolerances.front().absolute = 1e9; // one sweep passes as well as two, since only time is measured
  std::vector<double> beyond;
  std::vector<double> per_call;
  std::vector<double> whole;
  std::vector<double> kernel;
  std::vector<double> launch;
  std::vector<double> set_up;
  std::vector<double> check;
  double calls = 0.0;
  for (int i = -1; i < count; ++i) {
    auto q = stage_request(task, stage::screening);
    q.mode = mode;
    q.reference = *reference;
    q.candidate = *candidate;
    auto o = bench.judge->ask(q);
    if (!o)
      return tl::unexpected(o.error());
    if (o->result != verdict::pass)
      return fail(errc::internal, to_string(o->result) + ": " + o->detail);
    if (i < 0)
      continue; // the first run made the input sets
    calls = figure(*o, "calls");
    whole.push_back(figure(*o, "ms.whole"));
    kernel.push_back(figure(*o, "ms.kernel"));
    launch.push_back(figure(*o, "ms.launch"));
    set_up.push_back(figure(*o, "ms.set_up"));
    check.push_back(figure(*o, "ms.check"));
    beyond.push_back(whole.back() - kernel.back() - launch.back());
    per_call.push_back(beyond.back() / std::max(calls, 1.0));
  }
  return json{{"input_bytes", input_bytes},
              {"mode", mode == judge_mode::check ? "check" : "race"},
              {"candidates", count},
              {"calls", calls},
              {"whole_ms", median(whole)},
              {"kernel_ms", median(kernel)},
              {"launch_ms", median(launch)},
              {"set_up_ms", median(set_up)},
              {"check_ms", median(check)},
              {"floor_ms", calls * floor_of_call_ms(input_bytes)},
              {"beyond_least_ms", percentile(beyond, 0.0)},
              {"beyond_ms", median(beyond)},
              {"beyond_per_call_ms", median(per_call)}};
}

// Compares champion and reference on data in the second-level cache, with a fresh judge every time.
result<json> steadiness(const std::string& bin, int runs, double over_s) {
  const kernel k{"sweep-l2", "L2", 49'152, 49'152, 400};
  constexpr int champion_sweeps = 320;
  const auto begin = steady_clock::now();
  std::vector<double> ratios;
  int disturbed = 0;
  for (int i = 0; i < runs; ++i) {
    if (i > 0) // spreads the runs over the given time, to include slow changes of the machine
      std::this_thread::sleep_until(begin
                                    + std::chrono::duration_cast<steady_clock::duration>(
                                        std::chrono::duration<double>(over_s * i / std::max(1, runs - 1))));
    auto bench = open_workbench(bin);
    if (!bench)
      return tl::unexpected(bench.error());
    const auto task = task_of(k);
    const auto flags = baseline_flags(*bench);
    auto reference = compile(*bench, task, "c", text_of(k.sweeps), flags, compile_role::reference);
    auto champion = compile(*bench, task, "c", text_of(champion_sweeps), flags, compile_role::candidate);
    if (!reference || !champion)
      return tl::unexpected(reference ? champion.error() : reference.error());
    auto q = stage_request(task, stage::final_confirm);
    q.reference = *reference;
    q.candidate = *champion;
    auto o = bench->judge->ask(q);
    if (!o)
      return tl::unexpected(o.error());
    if (o->result != verdict::pass)
      return fail(errc::internal, to_string(o->result) + ": " + o->detail);
    ratios.push_back(o->speedup);
    disturbed += o->evidence.contains("disturbed") ? 1 : 0;
  }
  const auto middle = median(ratios);
  return json{{"runs", runs},
              {"over_s", std::chrono::duration<double>(steady_clock::now() - begin).count()},
              {"ratios", ratios},
              {"median", middle},
              {"interquartile_range", (percentile(ratios, 0.75) - percentile(ratios, 0.25)) / middle},
              {"disturbed", disturbed},
              {"wanted", 0.02}};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string bin;
  int launch_count = 100;
  int candidates = 5;
  int runs = 3;
  double over_s = 3.0;
  kevolve::declared_program app{"What judging costs, and how steady its ratios are"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--launches", launch_count)->capture_default_str();
  app.add_option("--candidates", candidates, "judged for every size and mode")->capture_default_str();
  app.add_option("--runs", runs, "fresh judges of the same two kernels")->capture_default_str();
  app.add_option("--over", over_s, "seconds that the runs are spread over")->capture_default_str();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto before = machine();
  auto sizes = json::array();
  {
    auto bench = open_workbench(bin);
    if (!bench)
      return give_up(to_string(bench.error()));
    for (auto mode : {judge_mode::check, judge_mode::screening})
      for (size_t mib : {4U, 16U, 64U}) {
        auto r = judged(*bench, mib * mebibyte, mode, candidates);
        if (!r)
          return give_up(to_string(r.error()));
        sizes.push_back(std::move(*r));
      }
  }
  auto steady = steadiness(bin, runs, over_s);
  if (!steady)
    return give_up(to_string(steady.error()));
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  auto launch = launches(*bench, bin, launch_count); // comes last, since it moves this process
  if (!launch)
    return give_up(to_string(launch.error()));
  return print({{"benchmark", "judge"},
                {"machine", before},
                {"launch", *launch},
                {"sizes", sizes},
                {"steadiness", *steady},
                {"load_after", machine()["load_1min"]}});
}
