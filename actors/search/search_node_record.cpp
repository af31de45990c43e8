#include "actors/search/search_node_record.hpp"

#include "actors/evaluation/plan.hpp"
#include "actors/search/novelty.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"

#include <string>

namespace kevolve {

namespace {

// Describes for people how a candidate equals a known one.
std::string same_words(const node_record& r, const node_record& known) {
  const auto index = std::to_string(known.index);
  if (r.proposal.candidate == known.proposal.candidate)
    return "same as candidate " + index;
  if (r.normalised == known.normalised)
    return "same as candidate " + index + " but for comments, white space or names of locals";
  return "compiles to the same code as candidate " + index;
}

} // namespace

void note_proposal(node_record& r, const candidate& what, int64_t propose_ns) {
  auto& p = r.proposal;
  p.index = r.index;
  p.candidate = candidate_id(what);
  p.source = sha256_hex(what.source);
  p.language = what.language;
  p.flags = what.flags;
  p.generator = what.generator;
  p.genome = what.genome;
  p.summary = what.summary;
  p.propose_ns = propose_ns;
  r.normalised = normalised_id(what.source, p.language, p.flags);
  r.propose_ns = propose_ns;
  r.state = candidate_state::proposed;
}

void note_build(node_record& r, const evaluation& e) {
  r.object = e.object;
  r.evaluations.insert(r.evaluations.end(), e.evaluations.begin(), e.evaluations.end());
  r.compile_ns += e.compile_ns;
  r.judge_ns += e.judge_ns;
}

void note_verdict(node_record& r, const evaluation& e) {
  r.set_measurement(e);
  r.set_speedup(speedup_of(e, e.baseline.speedup));
  r.basis = r.result == verdict::pass ? basis_of(e.last) : interval_basis{};
  r.confirmed = e.confirmed;
  r.reused_from = e.reused_from;
  r.baseline = e.baseline.index;
  note_build(r, e);
}

void note_known_verdict(node_record& r, const node_record& known) {
  r.duplicate_of = known.index;
  r.features.clear(); // a node judged for the same candidate has them
  r.set_measurement(known);
  r.reused_from = known.reused_from;
  r.basis = known.basis;
  if (r.result == verdict::pass)
    r.detail = same_words(r, known);
  r.baseline = known.baseline;
}

} // namespace kevolve
