// Proton's instrumentation inside kernels: named, and not run here yet.
#include "backends/nvidia/profile/passes.hpp"

namespace kevolve {

namespace {

availability available(const pass_request&) {
  return {
      false,
      "Proton instruments kernels that Triton compiles just in time: the candidate's host code would run beside the "
      "device, and no sandbox here allows that",
      "no process that compiles just in time exists yet"};
}

result<pass_result> run(const pass_request&) {
  return fail(errc::unsupported, "Proton is not run here");
}

} // namespace

profile_pass gpu_proton_pass() {
  profile_pass p;
  p.name = "gpu.proton";
  p.summary = "time inside a Triton kernel, by Proton's instrumentation";
  p.targets = {"triton"};
  p.reads = {artefact_kind::source};
  p.makes = {artefact_kind::loops};
  p.use = pass_use::device;
  p.instruments = true;
  p.available = available;
  p.run = run;
  return p;
}

} // namespace kevolve
