// Candidate and baseline on one device: two workers, two contexts, one stream each, never at once. The baseline may be
// the reference in its framework. Lives for one request; a baseline's worker may outlive it.
#pragma once

#include "backends/judge/paired_comparison.hpp"
#include "backends/judge/process_pair.hpp"
#include "backends/nvidia/runner/checked_device_call.hpp"
#include "backends/nvidia/runner/clock_report.hpp"
#include "runtime/base/baseline_figure.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace kevolve::cuda {

// A baseline's worker, for as long as there are sets that it has not met: those of several screenings, each against a
// candidate in a process of its own.
struct standing_baseline {
  id128 task;
  id128 what; // that and the package
  program code;
  device_process worker;
  bool loaded = false;
  uint64_t arena = 0;               // which it works in
  std::unordered_set<uint64_t> met; // sets, by number
};

class device_process_pair final : public process_pair {
public:
  device_process_pair(gpu_judge_context& b, const judge_request& request, correctness_report& report);

  // Reads both packages, readies the exchange for the largest of these inputs, and starts the workers.
  attempt<void> open(const std::vector<std::shared_ptr<const input_sets>>& all_inputs);
  // Makes room for larger inputs, with a fresh candidate.
  attempt<void> reopen(const input_sets& inputs);
  // Does the same: a call looks at no more memory than its set has.
  attempt<void> reopen_alone(const input_sets& inputs) { return reopen(inputs); }
  // Calls the candidate alone, `runs` times on one set, each with other poison, fully checked, bit for bit the same.
  attempt<void> screen(const input_sets& inputs, size_t set, int runs);
  // Calls the candidate alone, in its one process, on one set after another for so long, each call with other poison
  // and fully checked. Returns the number of calls.
  attempt<uint64_t> screen_for(const input_sets& inputs, std::chrono::milliseconds time);
  // Gives the candidate a fresh process, which has met no set.
  attempt<void> renew();
  // Ends the candidate's worker. The baseline's stays for the next screening if all went well.
  void end(bool well);

  bool has_baseline() const override { return has_baseline_; }
  attempt<bool> ready(const std::vector<compared_shape>& shapes, size_t index, bool exhausted) override;
  bool unmet(const input_set& set) const override;
  void note_met(const input_set& set) override;
  void wait_until_quiet(size_t index) override;
  attempt<timed_call> call(timed_side who, const compared_shape& shape, size_t index, const input_set& set,
                           call_purpose purpose) override;
  void forget_samples() override;

  bool against_framework() const { return against_framework_; }
  // Times the candidate beside the reference in this mode of the framework, on shapes()[index]. An error of the
  // baseline is a note of the figure and says nothing of the candidate. A call of the baseline that lasts beyond
  // `until` is ended with its process.
  attempt<baseline_figure> against(paired_comparison& comparison, size_t index, framework_mode mode, uint32_t pairs,
                                   std::chrono::steady_clock::time_point until);

  const std::map<std::string, kernel_facts>& kernels() const { return candidate_.kernels(); } // the candidate's
  const std::vector<clock_samples>& clocks() const { return clocks_; }                        // by shape
  std::map<std::string, std::string> costs() const;
  double own_ns() const { return calls_.costs().call_ns + start_ns_; } // of the request's time
  uint32_t pairs_of_workers() const { return launches_; }              // that were started

private:
  attempt<void> start_workers();
  attempt<void> ready_baseline(const std::vector<compared_shape>& shapes);
  attempt<void> start_baseline(const std::vector<compared_shape>& shapes);
  attempt<void> fresh_workers(const input_sets& inputs);
  bool serves(standing_baseline& r, const id128& what, const std::vector<compared_shape>& shapes) const;
  void terminate_baseline();
  clock_samples& clocks_of(size_t index);
  attempt<call_time> call_on(timed_side who, const compared_shape& shape, size_t index, const input_set& set,
                             const call_wish& wish);

  gpu_judge_context& judge_;
  const judge_request& request_;
  correctness_report& report_;
  checked_device_call calls_;
  double examined_before_;
  uint64_t uploads_before_;
  uint64_t drawn_before_;
  random_stream random_;
  id128 task_;
  program candidate_code_;
  bool has_baseline_ = false;
  bool against_framework_ = false; // the baseline is the reference, in its framework
  bool baseline_ready_ = false;
  size_t arena_bytes_ = 0;
  device_process candidate_;
  std::unordered_set<uint64_t> met_; // sets, by the candidate's worker
  std::unique_ptr<timed_process> framework_;
  std::shared_ptr<standing_baseline> baseline_; // else
  uint32_t baselines_ = 0;                      // workers that were started for it
  std::vector<clock_samples> clocks_;
  uint32_t launches_ = 0;
  double start_ns_ = 0.0; // waiting for contexts and loading
};

} // namespace kevolve::cuda
