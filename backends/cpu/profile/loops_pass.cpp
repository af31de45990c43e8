// Trip counts of every loop and the time of long ones, by probes that our compiler plugin inserts (loop_probes.cpp).
// The first build counts; the second reads the clock around the loops whose entries may take 1 µs.
#include "backends/cpu/profile/loop_times.hpp"
#include "backends/cpu/profile/memory_probes.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/plain_calls.hpp"
#include "backends/cpu/profile/profile_build.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr uint64_t run_ms = 150;

result<call_answer> run_probed(const pass_request& q, const plain_calls& plain, const profile_build& build) {
  if (auto ok = build_calls(q, build); !ok)
    return tl::unexpected(ok.error());
  auto plan = plain.plan;
  plan.program = build.name;
  return run_calls(q, plan);
}

result<pass_result> run(const pass_request& q) {
  auto plain = run_plain_calls(q, run_ms);
  if (!plain)
    return tl::unexpected(plain.error());
  profile_build build;
  build.probes = true;
  build.name = "counted";
  auto counts = run_probed(q, *plain, build);
  if (!counts)
    return tl::unexpected(counts.error());
  const auto timed = q.task.threads ? std::vector<size_t>{} : loops_to_time(*counts, plain->call_ns);
  auto probed = std::move(*counts);
  if (!timed.empty()) {
    build.name = "probed";
    build.probe_request = probe_request_of(timed);
    auto times = run_probed(q, *plain, build);
    if (!times)
      return tl::unexpected(times.error());
    probed = std::move(*times);
  }
  pass_result out;
  const auto probed_ns = probed.fastest_ns(0);
  out.perturbation = plain->call_ns > 0.0 ? std::max(0.0, probed_ns / plain->call_ns - 1.0) : 0.0;
  size_t array_bytes = 0;
  for (const auto& place : plain->image.layout.places)
    array_bytes += place.bytes;
  out.made[artefact_kind::loops] =
      loops_artefact(loop_times(probed, timed), plain->call_ns, probed_ns, array_bytes, cycle_ns());
  return out;
}

} // namespace

profile_pass cpu_loops_pass() {
  profile_pass p;
  p.name = "cpu.loops";
  p.summary = "trip counts of every loop, and the time of loops that take over 1 µs an entry, by inserted probes";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.uses = {artefact_kind::evidence};
  p.makes = {artefact_kind::loops};
  p.use = pass_use::core;
  p.instruments = true;
  p.available = loop_probes_available;
  p.estimate_s = [](const pass_request&) { return 1.2; };
  p.run = run;
  p.version = 2;
  return p;
}

} // namespace kevolve
