// Proton's instrumentation inside kernels. A locked process of its own, which has the device, compiles the candidate
// just in time. A scope stands around each kernel and each of its outermost loops. It has run on an H200.
#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/profile/device_call.hpp"
#include "backends/profile/tool_output.hpp"
#include "backends/triton/profile/passes.hpp"
#include "backends/triton/profile/scopes.hpp"
#include "backends/triton/profile/scopes_program.hpp"

namespace kevolve {

namespace {

constexpr double usual_s = 8.0; // mostly imports and the compiler

const cuda::framework_python& the_python() {
  static const auto found = cuda::find_framework_python();
  return found;
}

availability available(const pass_request& q) {
  if (auto there = device_there(q); !there.available)
    return there;
  return proton_there(the_python());
}

result<void> write_call(const pass_request& q, const triton_plan& plan, const std::string& source,
                        const cuda_wire::replay_call& call) {
  const auto order = scopes_order(plan, call);
  if (!order)
    return tl::unexpected(order.error());
  const auto buffers = buffers_of(call);
  for (size_t i = 0; i < call.arguments.size(); ++i)
    if (!buffers[i].file.empty())
      if (auto ok = write_pass_file(q, buffers[i].file, call.arguments[i].content); !ok)
        return ok;
  for (const auto& [name, content] : {std::pair<const char*, std::string>{"order", *order},
                                      {"candidate.py", source},
                                      {"scopes.py", std::string{triton_scopes_program()}},
                                      {"python", the_python().path}})
    if (auto ok = write_pass_file(q, name, content); !ok)
      return ok;
  return {};
}

// Python names the error in its last lines.
std::string last_of(const std::string& text) {
  constexpr size_t told = 300;
  return text.size() <= told ? text : text.substr(text.size() - told);
}

result<pass_result> run(const pass_request& q) {
  const auto parts = split_triton_candidate(q.source);
  if (!parts)
    return tl::unexpected(parts.error());
  const auto plan = parse_triton_plan(parts->plan, q.task);
  if (!plan)
    return fail(errc::bad_input, to_string(plan.error()));
  const auto call = device_call(q, milliseconds_left(q));
  if (!call)
    return tl::unexpected(call.error());
  if (auto ok = write_call(q, *plan, parts->source, call->calls.front()); !ok)
    return tl::unexpected(ok.error());
  device_command command;
  command.argv = {runner_of(q), "--instrument", q.folder};
  command.directory = q.folder;
  command.limit_ms = milliseconds_left(q);
  const auto end = run_on_device(command);
  if (!end)
    return tl::unexpected(end.error());
  pass_result out;
  if (end->timed_out) {
    out.skipped = "the instrumented call did not end in time";
    out.remedy = "a larger --budget";
    return out;
  }
  std::vector<std::string> names;
  for (const auto& k : plan->kernels)
    names.push_back(k.name);
  auto loops = loops_of_scopes(read_pass_file(q, "scopes.json"), names);
  if (loops)
    out.made[artefact_kind::loops] = std::move(*loops);
  else
    out.skipped = loops.error().detail + ": it ended with " + std::to_string(end->status)
                  + ", and said: " + last_of(read_pass_file(q, "output")) + last_of(read_pass_file(q, "jit.errors"));
  return out;
}

double estimate(const pass_request&) {
  return usual_s;
}

} // namespace

profile_pass gpu_proton_pass() {
  profile_pass p;
  p.name = "gpu.proton";
  p.summary = "cycles of the loops inside a Triton kernel, by Proton's instrumentation";
  p.targets = {"triton"};
  p.reads = {artefact_kind::source, artefact_kind::object};
  p.makes = {artefact_kind::loops};
  p.use = pass_use::device;
  p.instruments = true;
  p.version = 2;
  p.available = available;
  p.estimate_s = estimate;
  p.run = run;
  return p;
}

} // namespace kevolve
