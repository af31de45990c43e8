// The findings that the artefacts of the other passes support.
#include "backends/nvidia/profile/diagnosis.hpp"
#include "backends/nvidia/profile/passes.hpp"

namespace kevolve {

namespace {

result<pass_result> run(const pass_request& q) {
  pass_result out;
  out.findings = diagnose_device(device_facts_of(q.have));
  return out;
}

} // namespace

profile_pass gpu_diagnosis_pass() {
  profile_pass p;
  p.name = "gpu.diagnosis";
  p.summary = "the bottlenecks that the other passes' figures support";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::resources};
  p.uses = {artefact_kind::source, artefact_kind::assembly, artefact_kind::device_trace, artefact_kind::profile};
  p.run = run;
  return p;
}

} // namespace kevolve
