// Candidate against rival on one device: two workers, two contexts, one stream each, never at once. Interleaved in
// random order, every call on data that its process has not met, every output checked.
#pragma once

#include "backends/judge/random_stream.hpp"
#include "backends/judge/sequential_test.hpp"
#include "backends/nvidia/runner/device_process.hpp"

#include <unordered_set>

namespace kevolve::cuda {

struct raced_shape {
  std::shared_ptr<const shape_pool> pool;
  double floor_ns = 0.0;
  sign_test test;
  std::vector<double> rival_ns;
  std::vector<double> candidate_ns;
  // Beside what counts, call by call: what the runner's own clock saw beyond it.
  std::vector<double> candidate_excess_ns;
  std::vector<double> rival_excess_ns;
  // Of calls that count for nobody, the first of each process: the device's own records, and the events around them.
  std::vector<double> recorded_span_ns;
  std::vector<double> recorded_event_ns;

  raced_shape(std::shared_ptr<const shape_pool> p, double floor, double delta)
      : pool(std::move(p)), floor_ns(floor), test(delta) {}
};

// A rival's worker, for as long as there are sets that it has not met: those of several races, each against a candidate
// in a process of its own.
struct standing_rival {
  id128 task;
  id128 what; // that and the package
  program code;
  contestant_on_device worker;
  bool loaded = false;
  uint64_t arena = 0;               // which it works in
  std::unordered_set<uint64_t> met; // sets, by number
};

class duel_on_device {
public:
  duel_on_device(bench& b, const judge_request& request, correctness_report& report)
      : bench_(b), request_(request), report_(report), random_(secret_seed()), examined_before_(b.examiner.work_ns()),
        uploads_before_(b.examiner.uploads()) {}

  // Reads both packages, readies the exchange for the largest of these pools, and starts the workers.
  attempt<void> open(const std::vector<std::shared_ptr<const shape_pool>>& pools);
  // Makes room for a larger pool, with a fresh candidate.
  attempt<void> reopen(const shape_pool& pool);
  bool has_rival() const { return has_rival_; }
  const std::map<std::string, kernel_facts>& kernels() const { return candidate_.kernels(); } // the candidate's

  // The candidate alone: `runs` calls on one set, each with other poison, fully checked, bit for bit the same.
  attempt<void> screen(const shape_pool& pool, size_t set, int runs);
  void add_shape(std::shared_ptr<const shape_pool> pool, double floor_ns);
  std::vector<raced_shape>& shapes() { return shapes_; }
  // One pair on shapes()[index]; the log of t_rival / t_candidate. Without a rival: one call, and 0.
  attempt<double> pair(size_t index);
  void forget_pairs();
  bool against_framework() const { return against_framework_; }
  // Candidate and the reference as torch.compile makes it, interleaved on shapes()[index]: medians, ns.
  struct compiled_times {
    double compiled_ns = 0.0;
    double candidate_ns = 0.0;
  };
  attempt<compiled_times> against_compiled(size_t index, uint32_t pairs);

  // Ends the candidate's worker. The rival's stays for the next race if all went well.
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
  attempt<void> ready_rival();
  attempt<void> fresh_workers(size_t index);
  void shuffle_all();
  bool unmet(const pool_set& set) const;
  bool serves(standing_rival& r, const id128& what) const;
  void dismiss_rival();
  const pool_set& draw(size_t index);
  timed_contestant& rival();
  attempt<const pool_set*> deal(size_t index);
  // What is wanted of one call beside its verdict.
  struct wish {
    bool full = false; // every number for the report, which may be null
    correctness_report* report = nullptr;
    rerun again = rerun::no;
    bool records = false; // by the device's own records, which slow it down
    double usual_ns = 0.0;
  };
  attempt<call_time> call(timed_contestant& who, const shape_pool& pool, const pool_set& set, uint64_t poison,
                          const wish& w);
  // Both find what is wrong with what a call left.
  attempt<void> check_in_arena(const shape_pool& pool, const pool_set& set, uint64_t poison, uint64_t rotation,
                               const wish& w);
  attempt<void> check_on_host(const call_memory& memory, const shape_pool& pool, const pool_set& set, const wish& w);
  attempt<void> refuse_rerun(size_t argument) const;
  attempt<call_time> play(bool candidate, size_t index, const pool_set& set, bool full, bool timed = true);
  void shuffle(size_t index);

  bench& bench_;
  const judge_request& request_;
  correctness_report& report_;
  random_stream random_;
  id128 task_;
  program candidate_code_;
  bool has_rival_ = false;
  bool against_framework_ = false; // the rival is the reference, in its framework
  bool rival_ready_ = false;
  size_t arena_bytes_ = 0;
  contestant_on_device candidate_;
  std::unordered_set<uint64_t> met_; // sets, by the candidate's worker
  std::unique_ptr<timed_contestant> framework_;
  std::shared_ptr<standing_rival> rival_; // else
  uint32_t rivals_ = 0;                   // workers that were started for it
  std::vector<raced_shape> shapes_;
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
