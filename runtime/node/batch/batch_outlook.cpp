#include "runtime/node/batch/batch_outlook.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/records.hpp"
#include "backends/judge/device_demand.hpp"
#include "config/campaign.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kevolve {

double expected_gain(double best_speedup, uint64_t judged, uint64_t waiting) {
  constexpr double without_results = 0.1;
  const auto gained = std::log(std::max(best_speedup, 1.0)) + without_results;
  return static_cast<double>(waiting) * gained / static_cast<double>(judged + 1);
}

batch_outlook outlook_of(const batch_bundle& batch) {
  batch_outlook out;
  out.candidates = batch.candidates;
  double best = 1.0;
  uint64_t judged = 0;
  std::optional<device_demand> demand;
  for (const auto& v : batch.values) {
    if (static_cast<table>(v.where) == table::nodes) {
      const auto node = decode_older<node_record>(v.value);
      if (!node || node->evaluations.empty())
        continue;
      ++judged;
      best = std::max(best, node->result == verdict::pass ? node->speedup : 1.0);
    } else if (v.key == keys::campaign(batch.campaign))
      if (const auto submission = decode_older<campaign_submission>(v.value))
        if (const auto spec = decode_older<campaign_spec>(submission->spec))
          demand = demand_of(spec->task.task);
  }
  out.gain = expected_gain(best, judged, batch.candidates);
  if (demand) {
    out.first = demand->first_seconds;
    out.seconds = demand->first_seconds + demand->candidate_seconds * static_cast<double>(batch.candidates);
  }
  return out;
}

std::vector<size_t> order_by_gain(const std::vector<batch_outlook>& batches) {
  std::vector<size_t> out(batches.size());
  std::iota(out.begin(), out.end(), 0);
  const auto rate = [&](size_t i) { return batches[i].gain / std::max(batches[i].seconds, 1.0); };
  std::sort(out.begin(), out.end(), [&](size_t a, size_t b) { return rate(a) != rate(b) ? rate(a) > rate(b) : a < b; });
  return out;
}

bool fits_in(const batch_outlook& batch, double seconds_left, double scale) {
  return batch.first * scale <= seconds_left;
}

} // namespace kevolve
