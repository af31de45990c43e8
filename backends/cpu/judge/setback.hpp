// Why a request cannot go on: either the object under judgement is refused, or the infrastructure failed.
// Never both, and the second never becomes the first.
#pragma once

#include "backends/cpu/judge/contestant.hpp"
#include "runtime/base/verdict.hpp"

#include <tl/expected.hpp>

#include <string>

namespace kevolve {

struct setback {
  fault trouble;     // if its kind is not empty
  complaint refused; // else; of the rival, if the trouble's kind is rival_failed
};

template <class T>
using attempt = tl::expected<T, setback>;

inline tl::unexpected<setback> infrastructure(std::string kind, std::string detail) {
  return tl::unexpected<setback>(setback{fault{std::move(kind), std::move(detail), 0}, {}});
}

inline tl::unexpected<setback> infrastructure(const failure& f) {
  return infrastructure(f.code == errc::no_space      ? "no_space"
                        : f.code == errc::unsupported ? "sandbox"
                        : f.code == errc::not_found   ? "toolchain_missing"
                        : f.code == errc::unavailable ? "worker_killed"
                                                      : "internal",
                        to_string(f));
}

// A complaint without a verdict speaks of the infrastructure.
inline tl::unexpected<setback> refusal(complaint c) {
  if (c.result == verdict::none)
    return infrastructure("worker_killed", std::move(c.detail));
  return tl::unexpected<setback>(setback{{}, std::move(c)});
}

} // namespace kevolve
