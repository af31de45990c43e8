#include "actors/evaluation/retention.hpp"

#include "actors/evaluation/plan.hpp"

#include <algorithm>

namespace kevolve {

namespace {

bool to_median(std::vector<double>& samples) {
  if (samples.size() < 2)
    return false;
  std::sort(samples.begin(), samples.end());
  const auto n = samples.size();
  samples = {n % 2 == 1 ? samples[n / 2] : 0.5 * (samples[n / 2 - 1] + samples[n / 2])};
  return true;
}

} // namespace

void count_node(sample_ledger& ledger, const node_record& r) {
  if (r.confirmed)
    ledger.promoted.insert(r.evaluations.begin(), r.evaluations.end());
  else if (!r.evaluations.empty())
    ledger.unpromoted.push_back(r.evaluations);
}

std::vector<id128> take_stale(sample_ledger& ledger, uint64_t keep, size_t nodes) {
  std::vector<id128> out;
  for (; nodes > 0 && ledger.unpromoted.size() > keep; --nodes) {
    for (const auto& id : ledger.unpromoted.front())
      if (!ledger.promoted.contains(id))
        out.push_back(id);
    ledger.unpromoted.pop_front();
  }
  return out;
}

bool thin(evaluation_record& record) {
  if (record.stage == to_string(stage::final_confirm))
    return false;
  bool changed = false;
  for (auto& t : record.outcome.timings) {
    const auto pairs = t.baseline_ns.size();
    const bool baseline = to_median(t.baseline_ns);
    if (to_median(t.candidate_ns) || baseline) {
      changed = true;
      record.outcome.evidence["thinned." + t.shape] = std::to_string(pairs) + " pairs";
    }
  }
  const auto discarded = std::erase_if(record.outcome.evidence, [](const auto& e) {
    return e.first.starts_with("discarded.") && e.first.find(".samples.") != std::string::npos;
  });
  return changed || discarded > 0;
}

} // namespace kevolve
