// The compiler's own account of what it did to each loop.
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/profile_build.hpp"
#include "backends/cpu/profile/remarks.hpp"

#include <nlohmann/json.hpp>

namespace kevolve {

namespace {

constexpr const char* told_passes = "loop-vectorize|slp-vectorizer|loop-unroll|loop-idiom|licm|gvn|inline|regalloc";
constexpr size_t most_remarks = 400;

result<pass_result> run(const pass_request& q) {
  const std::vector<std::string> flags{"-fsave-optimization-record",
                                       std::string{"-foptimization-record-passes="} + told_passes,
                                       "-foptimization-record-file=remarks.yaml", "-c"};
  auto record = compile_candidate(q, flags, "remarks.o", "remarks.yaml");
  if (!record)
    return tl::unexpected(record.error());
  auto out = nlohmann::json::array();
  for (const auto& r : parse_remarks(*record)) {
    if (out.size() == most_remarks)
      break;
    out.push_back({{"line", r.line},
                   {"column", r.column},
                   {"kind", r.kind},
                   {"pass", r.pass},
                   {"name", r.name},
                   {"function", r.function},
                   {"text", r.text}});
  }
  pass_result made;
  made.made[artefact_kind::remarks] = out.dump();
  return made;
}

} // namespace

profile_pass cpu_remarks_pass() {
  profile_pass p;
  p.name = "cpu.remarks";
  p.summary = "the compiler's remarks on each loop: vectorised, or why not";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.makes = {artefact_kind::remarks};
  p.use = pass_use::compiler;
  p.available = [](const pass_request&) { return profile_builds_available(); };
  p.estimate_s = [](const pass_request&) { return 0.2; };
  p.run = run;
  return p;
}

} // namespace kevolve
