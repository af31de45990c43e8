#include "runtime/node/admin/interval_json.hpp"

#include "backends/judge/outcome_figures.hpp"

#include <cmath>

namespace kevolve {

json interval_json(double low, double high) {
  if (low == 0.0 && high == 0.0)
    return nullptr;
  return json::array({low, high});
}

namespace {

interval_basis known_basis(const interval_basis& stored, const std::vector<shape_timing>& shapes) {
  if (stored.pairs > 0)
    return stored;
  for (const auto& t : shapes)
    if (!t.held_out)
      return basis_of(t);
  return {};
}

} // namespace

interval_basis basis_of(const campaign_status& s) {
  return known_basis(s.basis, s.shapes);
}

interval_basis basis_of(const finish_record& r) {
  return known_basis(r.basis, r.shapes);
}

void add_interval(json& out, const speedup_interval& x, const interval_basis& basis) {
  const auto interval = interval_json(x.ci_low, x.ci_high);
  const bool known = !interval.is_null() && basis.pairs > 0;
  out["interval"] = interval;
  out["coverage"] = known ? json(basis.coverage) : json(nullptr);
  out["pairs"] = known ? json(basis.pairs) : json(nullptr);
  out["sessions"] = known ? json(basis.sessions) : json(nullptr);
  out["ci95"] = known && basis.coverage >= 0.95 ? interval : json(nullptr);
}

void add_baselines(json& out, const baseline_figures& all) {
  auto list = json::array();
  for (const auto& x : all) {
    const bool timed = x.speedup > 0.0;
    const auto known = [&](double figure) { return timed ? json(figure) : json(nullptr); };
    list.push_back({{"name", x.name},
                    {"speedup", known(x.speedup)},
                    {"interval", interval_json(x.ci_low, x.ci_high)},
                    {"coverage", known(x.coverage)},
                    {"time_ns", known(x.time_ns)},
                    {"candidate_ns", known(x.candidate_ns)},
                    {"note", or_null(x.note)}});
  }
  const auto* best = best_baseline(all);
  out["baselines"] = std::move(list);
  out["best_baseline"] = best == nullptr ? json(nullptr) : json(best->name);
  out["speedup_vs_best_baseline"] = best == nullptr ? json(nullptr) : json(best->speedup);
  out["baseline_headline"] = or_null(baseline_headline(all));
}

json outputs_json(const outputs_figures& x, double headline) {
  if (x.not_read.speedup == 0.0)
    return nullptr;
  const auto one = [](const speedup_interval& f) {
    return f.speedup == 0.0 ? json(nullptr)
                            : json{{"speedup", f.speedup}, {"interval", interval_json(f.ci_low, f.ci_high)}};
  };
  const bool read =
      x.read.speedup > 0.0 && std::abs(headline - x.read.speedup) < std::abs(headline - x.not_read.speedup);
  return {{"headline", read ? "read" : "not_read"}, {"not_read", one(x.not_read)}, {"read", one(x.read)}};
}

} // namespace kevolve
