// Candidate against baseline on one device: two workers, two contexts, one stream each, never at once. Interleaved in
// random order, every call on data that its process has not met, every output checked.
#pragma once

#include "backends/judge/random_stream.hpp"
#include "backends/judge/sequential_test.hpp"
#include "backends/nvidia/runner/device_process.hpp"

#include <unordered_set>

namespace kevolve::cuda {

struct compared_shape {
  std::shared_ptr<const input_sets> pool;
  double floor_ns = 0.0;
  sign_test test;
  std::vector<double> baseline_ns;
  std::vector<double> candidate_ns;
  // Beside what counts, call by call: what the runner's own clock saw beyond it.
  std::vector<double> candidate_excess_ns;
  std::vector<double> baseline_excess_ns;
  // Of calls that count for nobody, the first of each process: the device's own records, and the events around them.
  std::vector<double> recorded_span_ns;
  std::vector<double> recorded_event_ns;

  compared_shape(std::shared_ptr<const input_sets> p, double floor, double delta)
      : pool(std::move(p)), floor_ns(floor), test(delta) {}
};

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

class device_comparison {
public:
  device_comparison(gpu_judge_context& b, const judge_request& request, correctness_report& report)
      : judge_(b), request_(request), report_(report), random_(secret_seed()), examined_before_(b.examiner.work_ns()),
        uploads_before_(b.examiner.uploads()) {}

  // Reads both packages, readies the exchange for the largest of these pools, and starts the workers.
  attempt<void> open(const std::vector<std::shared_ptr<const input_sets>>& pools);
  // Makes room for a larger pool, with a fresh candidate.
  attempt<void> reopen(const input_sets& pool);
  bool has_baseline() const { return has_baseline_; }
  const std::map<std::string, kernel_facts>& kernels() const { return candidate_.kernels(); } // the candidate's

  // The candidate alone: `runs` calls on one set, each with other poison, fully checked, bit for bit the same.
  attempt<void> screen(const input_sets& pool, size_t set, int runs);
  void add_shape(std::shared_ptr<const input_sets> pool, double floor_ns);
  std::vector<compared_shape>& shapes() { return shapes_; }
  // One pair on shapes()[index]; the log of t_baseline / t_candidate. Without a baseline: one call, and 0.
  attempt<double> pair(size_t index);
  void forget_pairs();
  bool against_framework() const { return against_framework_; }
  // Candidate and the reference as torch.compile makes it, interleaved on shapes()[index]: medians, ns.
  struct compiled_times {
    double compiled_ns = 0.0;
    double candidate_ns = 0.0;
  };
  attempt<compiled_times> against_compiled(size_t index, uint32_t pairs);

  // Ends the candidate's worker. The baseline's stays for the next screening if all went well.
  void end(bool well);
  std::map<std::string, std::string> costs() const;
  double own_ns() const { return call_ns_ + start_ns_; }  // of the request's time
  uint32_t pairs_of_workers() const { return launches_; } // that were started

private:
  struct deck {
    std::vector<size_t> order;
    bool warm = false;
    double longest_ns = 0.0; // of any call
  };

  attempt<void> start_workers();
  attempt<void> ready_baseline();
  attempt<void> fresh_workers(size_t index);
  void shuffle_all();
  bool unmet(const input_set& set) const;
  bool serves(standing_baseline& r, const id128& what) const;
  void terminate_baseline();
  const input_set& draw(size_t index);
  timed_process& baseline();
  attempt<const input_set*> deal(size_t index);
  // What is wanted of one call beside its verdict.
  struct wish {
    bool full = false; // every number for the report, which may be null
    correctness_report* report = nullptr;
    rerun again = rerun::no;
    bool records = false; // by the device's own records, which slow it down
    double usual_ns = 0.0;
  };
  attempt<call_time> call(timed_process& who, const input_sets& pool, const input_set& set, uint64_t poison,
                          const wish& w);
  // Both find what is wrong with what a call left.
  attempt<void> check_in_arena(const input_sets& pool, const input_set& set, uint64_t poison, uint64_t rotation,
                               const wish& w);
  attempt<void> check_on_host(const call_memory& memory, const input_sets& pool, const input_set& set, const wish& w);
  attempt<void> refuse_rerun(size_t argument) const;
  attempt<call_time> play(bool candidate, size_t index, const input_set& set, bool full, bool timed = true);
  void shuffle(size_t index);

  gpu_judge_context& judge_;
  const judge_request& request_;
  correctness_report& report_;
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
  std::vector<compared_shape> shapes_;
  std::vector<deck> decks_;
  uint32_t launches_ = 0;
  std::vector<byte_buffer> kept_; // outputs, by argument, where the host compares
  uint64_t calls_ = 0;
  uint64_t calls_on_host_ = 0; // that the host laid out and compared
  double examined_before_ = 0.0;
  uint64_t uploads_before_ = 0;
  double kernel_ns_ = 0.0;
  double lay_out_ns_ = 0.0;
  double stage_ns_ = 0.0; // the worker's own part before and after its order to run
  double order_ns_ = 0.0; // from the order to run to its answer
  double check_ns_ = 0.0;
  double back_ns_ = 0.0;  // of that: copies for the host to look at, and its look
  double call_ns_ = 0.0;  // all of a call
  double work_ns_ = 0.0;  // of the device, for sweeps and kernels
  double start_ns_ = 0.0; // waiting for contexts and loading
};

} // namespace kevolve::cuda
