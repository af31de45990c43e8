// Nsight Compute's counters of one call, on request: those few that findings are made of.
#include "backends/nvidia/profile.hpp"
#include "backends/nvidia/profile/device_call.hpp"
#include "backends/nvidia/profile/passes.hpp"
#include "backends/nvidia/runner/replay.hpp"
#include "backends/nvidia/toolchain.hpp"
#include "backends/profile/tool_output.hpp"

namespace kevolve {

namespace {

constexpr double usual_s = 1.0; // of counting, beside the profiler's own start of nearly two seconds

availability available(const pass_request& q) {
  if (auto there = device_there(q); !there.available)
    return there;
  if (cuda::find_ncu().empty())
    return {false, "Nsight Compute (ncu) is missing",
            "install the toolkit's nsight-compute, or name its ncu in KEVOLVE_NCU"};
  if (auto why = cuda::counters_forbidden(); !why.empty())
    return {false, why, cuda::counters_remedy};
  return {};
}

result<pass_result> run(const pass_request& q) {
  const auto call = device_call(q, milliseconds_left(q));
  if (!call)
    return tl::unexpected(call.error());
  auto argv = ncu_command(cuda::find_ncu(), q.folder + "/table", counter_choice::requested);
  argv.insert(argv.end(), {runner_of(q), "--replay"});
  const auto end = run_order(q, encode(*call), std::move(argv));
  if (!end)
    return tl::unexpected(end.error());
  pass_result out;
  if (end->timed_out) {
    out.skipped = "Nsight Compute did not end in time";
    out.remedy = "a larger --budget";
    return out;
  }
  const auto kernels = read_ncu_table(read_pass_file(q, "table"));
  if (kernels)
    out.made[artefact_kind::profile] = profile_json(*kernels);
  else {
    out.skipped = "Nsight Compute: " + kernels.error().detail;
    const auto progress = read_pass_file(q, std::string{"order"} + cuda::replay_progress_suffix);
    if (const auto failed = progress.find("failed "); failed != std::string::npos)
      out.skipped += "; the call " + progress.substr(failed, 120);
    if (out.skipped.find("ERR_NVGPUCTRPERM") != std::string::npos)
      out.remedy = cuda::counters_remedy;
  }
  return out;
}

double estimate(const pass_request&) {
  return usual_s;
}

} // namespace

profile_pass gpu_ncu_pass() {
  profile_pass p;
  p.name = "gpu.ncu";
  p.summary = "Nsight Compute's counters of each kernel, with the campaign's inputs";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::object};
  p.makes = {artefact_kind::profile};
  p.use = pass_use::device;
  p.available = available;
  p.estimate_s = estimate;
  p.run = run;
  return p;
}

} // namespace kevolve
