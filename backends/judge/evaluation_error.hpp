// The reason why a request cannot go on: either the object under judgement is refused, or the infrastructure failed.
// Never both, and the second never becomes the first.
#pragma once

#include "backends/judge/rejection.hpp"
#include "backends/protocol.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/result.hpp"

#include <tl/expected.hpp>

#include <string>

namespace kevolve {

struct evaluation_error {
  fault trouble;     // if its kind is not empty
  rejection refused; // else; of the baseline, if the trouble's kind is baseline_failed
};

template <class T>
using attempt = tl::expected<T, evaluation_error>;

inline tl::unexpected<evaluation_error> infrastructure(std::string kind, std::string detail) {
  return tl::unexpected<evaluation_error>(evaluation_error{fault{std::move(kind), std::move(detail), 0}, {}});
}

inline tl::unexpected<evaluation_error> infrastructure(const failure& f) {
  return infrastructure(f.code == errc::no_space      ? fault_kind::no_space
                        : f.code == errc::unsupported ? fault_kind::sandbox
                        : f.code == errc::not_found   ? fault_kind::toolchain_missing
                        : f.code == errc::unavailable ? fault_kind::worker_killed
                                                      : fault_kind::internal,
                        to_string(f));
}

// A rejection without a verdict speaks of the infrastructure.
inline tl::unexpected<evaluation_error> refusal(rejection c) {
  if (c.result == verdict::none)
    return infrastructure(fault_kind::worker_killed, std::move(c.detail));
  return tl::unexpected<evaluation_error>(evaluation_error{{}, std::move(c)});
}

// The reference is what everything is measured by, so its faults name it, as the oracle's name that.
inline evaluation_error about(const std::string& who, evaluation_error s) {
  s.refused.detail = who + ": " + s.refused.detail;
  if (!s.refused.rule.empty())
    s.refused.rule = who + "." + s.refused.rule;
  return s;
}

// Returns an error of the reference on a draw that the contract allows, with what to do about it.
inline evaluation_error on_allowed_draw(evaluation_error s, const std::string& draw) {
  if (s.trouble)
    return s;
  if (s.refused.evidence.try_emplace("draw", draw).second)
    s.refused.detail += ", on the draw '" + draw + "'";
  s.refused.detail += ". The contract allows this draw: mend the reference, or say what it does not mean by sizes = "
                      "\"declared\", a size's minimum or multiple, or the fill rules";
  return s;
}

// The baseline was right and loaded when it became the baseline: a failure now is blamed on it, not on the candidate.
inline evaluation_error blame_baseline(evaluation_error s, bool is_reference) {
  if (s.trouble)
    return s;
  if (is_reference)
    return {{fault_kind::internal,
             "the reference failed in the comparison: " + to_string(s.refused.result) + ": " + s.refused.detail
                 + (s.refused.result == verdict::wrong_result
                        ? "; on rare inputs it misses the task's own tolerance: loosen it"
                        : ""),
             0},
            {}};
  return {{fault_kind::baseline_failed, to_string(s.refused.result) + ": " + s.refused.detail, 0},
          std::move(s.refused)};
}

// In a screening the reference has been admitted: its failing now says nothing about the candidate.
inline evaluation_error blame_reference(evaluation_error s) {
  if (!s.trouble)
    s = {{fault_kind::internal, "while inputs were prepared: " + s.refused.detail, 0}, {}};
  return s;
}

// Returns true if the error has a verdict, a rule and a detail, on the object or on the baseline, to end the request
// with.
inline bool tells_of_conduct(const evaluation_error& s) {
  return !s.trouble || s.trouble.kind == fault_kind::baseline_failed;
}

} // namespace kevolve
