// The stored profile of a candidate: its passes in order, their artefacts by content, and the diagnosis.
#pragma once

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/ids.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct profiled_pass {
  std::string name;
  id128 key;       // pass_key()
  std::string use; // to_string(pass_use)
  bool instruments = false;
  std::map<std::string, std::string> artefacts; // kind → blob
  std::string findings;                         // JSON array
  double seconds = 0.0;
  double perturbation = 0.0;
  std::string skipped; // the reason why it made nothing; empty: it ran
  std::string remedy;
  bool reused = false; // of an earlier profile
};

struct profile_record {
  uint64_t index = 0;
  id128 candidate;
  std::string shape;
  double budget_s = 0.0;
  int64_t time_ns = 0; // wall clock
  std::vector<profiled_pass> passes;
  std::string diagnosis; // blob
  std::string sandbox_level;
};

template <class I>
typename I::result_type inspect(I& f, profiled_pass& x) {
  return f(x.name, x.key, x.use, x.instruments, x.artefacts, x.findings, x.seconds, x.perturbation, x.skipped, x.remedy,
           x.reused);
}
template <class I>
typename I::result_type inspect(I& f, profile_record& x) {
  return f(x.index, x.candidate, x.shape, x.budget_s, x.time_ns, x.passes, x.diagnosis, x.sandbox_level);
}

namespace keys {

// index: the latest profile of a candidate
inline constexpr const char* profiles = "profile/";
inline std::string profile(const id128& campaign, uint64_t number) {
  return profiles + of(campaign) + big_endian(number);
}

} // namespace keys

} // namespace kevolve
