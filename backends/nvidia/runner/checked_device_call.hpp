// One judged call on the device: secret data in, the kernels, everything that came out checked, in the arena or on the
// host. Used for every call of every candidate and baseline, timed or not.
#pragma once

#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/runner/device_process.hpp"

#include <vector>

namespace kevolve::cuda {

// The wishes for one call beside its verdict.
struct call_wish {
  bool full = false;                    // every number for the report, which may be null
  correctness_report* report = nullptr; // counts the call
  rerun again = rerun::no;
  bool records = false;  // by the device's own records, which slow it down
  double usual_ns = 0.0; // of such a call; 0: nobody knows yet
};

// A request's time on the device.
struct device_call_costs {
  uint64_t calls = 0;
  uint64_t calls_on_host = 0; // that the host laid out and compared
  double kernel_ns = 0.0;
  double lay_out_ns = 0.0;
  double stage_ns = 0.0; // the worker's own part before and after its order to run
  double order_ns = 0.0; // from the order to run to its answer
  double check_ns = 0.0;
  double back_ns = 0.0; // of that: copies for the host to look at, and its look
  double call_ns = 0.0; // all of a call
  double work_ns = 0.0; // of the device, for sweeps and kernels
};

class checked_device_call {
public:
  checked_device_call(gpu_judge_context& b, const contract& task);

  // Returns the call's time, or why it is refused.
  attempt<call_time> run(timed_process& who, const input_sets& inputs, const input_set& set, uint64_t poison,
                         const call_wish& wish);
  const device_call_costs& costs() const { return costs_; }

private:
  attempt<void> check_in_arena(const input_sets& inputs, const input_set& set, uint64_t poison, uint64_t rotation,
                               const call_wish& w);
  attempt<void> check_on_host(const call_memory& memory, const input_sets& inputs, const input_set& set,
                              const call_wish& w);
  attempt<void> refuse_rerun(size_t argument) const;

  gpu_judge_context& judge_;
  const contract& task_;
  random_stream random_;          // of the place in the arena
  std::vector<byte_buffer> kept_; // outputs, by argument, where the host compares
  device_call_costs costs_;
};

} // namespace kevolve::cuda
