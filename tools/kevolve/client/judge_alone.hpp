// Judges without a search, for the verbs that have a single candidate.
#pragma once

#include "runtime/node/evaluate_once.hpp"
#include "tools/kevolve/scratch_directory.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// Starts a node of one target that serves only this verb.
result<std::unique_ptr<node>> start_judge(const std::string& data_dir, const std::string& target,
                                          const std::vector<std::string>& weak_sandbox);

struct judge_watch {
  const stop_signal& stop;
  std::vector<scratch_directory*> data; // removed when the person stops it
  bool quiet = false;                   // says not even what it waits for
  bool json = false;                    // errors are told as JSON
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};

// Blocks until the candidate is judged, against the reference or the given candidate. A signal ends the process, with
// exit code 130. So do a helper program that cannot start, with exit code 1, and the end of the time, with 7.
result<single_evaluation> judge_alone(node& where, const campaign_spec& spec, const candidate& what,
                                      const judge_watch& watch, const candidate* baseline = nullptr);

} // namespace kevolve
