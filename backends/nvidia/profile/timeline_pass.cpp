// The device's time line of one call: each kernel's begin and end by the activity records of CUPTI, else by events, and
// the time that launches cost by themselves.
#include "backends/nvidia/profile/device_call.hpp"
#include "backends/nvidia/profile/passes.hpp"
#include "backends/nvidia/runner/timeline.hpp"
#include "backends/profile/tool_output.hpp"

#include <nlohmann/json.hpp>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr double usual_s = 0.9; // mostly the context

result<pass_result> run(const pass_request& q) {
  auto call = device_call(q, milliseconds_left(q));
  if (!call)
    return tl::unexpected(call.error());
  const cuda_wire::timeline_order order{std::move(*call), q.task.timing.cold_cache};
  const auto end = run_order(q, encode(order), {runner_of(q), "--timeline"});
  if (!end)
    return tl::unexpected(end.error());
  pass_result out;
  const auto text = read_pass_file(q, std::string{"order"} + cuda::timeline_suffix);
  const auto made = json::parse(text, nullptr, false);
  if (end->timed_out)
    out.skipped = "the call did not end in time";
  else if (!made.is_object())
    out.skipped =
        "the runner ended with " + std::to_string(end->status) + ": " + read_pass_file(q, "output").substr(0, 200);
  else if (made.contains("failed"))
    out.skipped = "the call failed: " + made["failed"].get<std::string>();
  else
    out.made[artefact_kind::device_trace] = text;
  return out;
}

double estimate(const pass_request&) {
  return usual_s;
}

} // namespace

profile_pass gpu_timeline_pass() {
  profile_pass p;
  p.name = "gpu.timeline";
  p.summary = "begin and end of each kernel of a call, and what launches cost";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::object};
  p.makes = {artefact_kind::device_trace};
  p.use = pass_use::device;
  p.available = device_there;
  p.estimate_s = estimate;
  p.run = run;
  return p;
}

} // namespace kevolve
