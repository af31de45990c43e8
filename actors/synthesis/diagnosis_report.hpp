// The part of a candidate's stored diagnosis that a prompt tells: its bottleneck with the evidence, the lines of the
// loop that takes the time, and that loop's machine code. Pure. The document comes from helpers: wrong members are left
// out.
#pragma once

#include "actors/synthesis/memory_report.hpp"

#include <string>
#include <vector>

namespace kevolve::synthesis {

struct diagnosis_report {
  std::vector<finding> findings;    // as the diagnosis orders them; those that name no bottleneck are left out
  std::vector<std::string> signals; // "bound:latency_chain": for the retrieval of documents
};

// Reads a diagnosis in JSON (docs/diagnosis.schema.json) with the candidate's source. Both empty without a diagnosis.
diagnosis_report report_of_diagnosis(const std::string& diagnosis, const std::string& source);

} // namespace kevolve::synthesis
