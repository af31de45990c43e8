// The findings that the artefacts of the other passes support.
#include "backends/cpu/profile/diagnosis.hpp"
#include "backends/cpu/profile/passes.hpp"

namespace kevolve {

namespace {

result<pass_result> run(const pass_request& q) {
  pass_result out;
  out.findings = diagnose(facts_of(q.have));
  return out;
}

} // namespace

profile_pass cpu_diagnosis_pass() {
  profile_pass p;
  p.name = "cpu.diagnosis";
  p.summary = "the bottlenecks that the other passes' figures support";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::loops};
  p.uses = {artefact_kind::ports,       artefact_kind::remarks,      artefact_kind::ceilings, artefact_kind::counters,
            artefact_kind::experiments, artefact_kind::exact_counts, artefact_kind::evidence};
  p.run = run;
  return p;
}

} // namespace kevolve
