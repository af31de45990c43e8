// Artefacts: what profile passes read and make. Each is JSON text or bytes, stored by content beside its candidate.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kevolve {

enum class artefact_kind : uint8_t {
  source = 0,       // the candidate's text
  sanitised_object, // its build for the sanitised replay
  object,           // its build that counts: a shared object, a cubin, …
  admission,        // the judge's word on the task's reference: made by a stage alone
  replay,           // the findings of the sanitised replay: made within a stage alone
  evidence,         // figures of the judge and facts of the compiler: {"bound":"latency", "registers":"40", …}
  timings,          // the judge's median time of a call by shape: {"m=512 n=512":{"candidate_ns":…,"baseline_ns":…}}
  remarks,          // optimisation remarks by source line
  loops,            // every loop with source line, trip counts and time
  ceilings,         // measured bandwidths of each level and peak arithmetic of this machine
  counters,         // hardware counters of a call
  exact_counts,     // instructions, branches and cache misses of a simulated run, on other code
  ports,            // port use and dependency chains of the hottest loop
  experiments,      // one thing changed, timed in pairs
  assembly,         // of the hottest loop, or of the kernels
  resources,        // registers, shared memory, spills and occupancy of device code
  device_trace,     // launches, copies and gaps on the device's time line
  verdict,          // the judge's, with its figures: made by stages alone
  roof,             // the least time of a call by work and peaks, by shape
  profile,          // the vendor's profiler on a device's kernels
  diagnosis,        // the structured document that synthesis makes of the others
};
inline constexpr std::array<std::string_view, 21> artefact_texts{
    "source",       "sanitised_object", "object",   "admission",    "replay",   "evidence",    "timings",  "remarks",
    "loops",        "ceilings",         "counters", "exact_counts", "ports",    "experiments", "assembly", "resources",
    "device_trace", "verdict",          "roof",     "profile",      "diagnosis"};
constexpr const auto& enum_texts(artefact_kind) {
  return artefact_texts;
}
constexpr artefact_kind last_value(artefact_kind) {
  return artefact_kind::diagnosis;
}

// The artefacts that a pass may read without another pass that makes them: the candidate, and those of the stages of
// its evaluation.
inline constexpr std::array given_artefacts{
    artefact_kind::source, artefact_kind::sanitised_object, artefact_kind::object,  artefact_kind::admission,
    artefact_kind::replay, artefact_kind::evidence,         artefact_kind::timings, artefact_kind::verdict};

using artefacts = std::map<artefact_kind, std::string>; // JSON text, or bytes

} // namespace kevolve
