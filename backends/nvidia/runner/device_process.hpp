// The runner's view of a device candidate or its baseline: checked code and plan, and a worker of its own to run in.
#pragma once

#include "backends/nvidia/runner/gpu_judge_context.hpp"
#include "backends/nvidia/runner/wire.hpp"

#include <functional>
#include <memory>

namespace kevolve::cuda {

// A package that may be run: read, checked, and its plan understood. Reading it takes no device.
struct program {
  std::vector<std::string> modules;
  cubin_facts facts; // of all of them
  launch_plan plan;
};
attempt<program> read_program(const std::string& package, const contract& task);

struct call_time {
  double ns = 0.0;                    // what counts: the longer of the two below
  double event_ns = 0.0;              // between two events on the stream
  double span_ns = 0.0;               // as the device's activity records have it; 0: not recorded
  std::vector<double> kernel_ns = {}; // of each launch, as those records have it; empty: not recorded
  double wall_ns = 0.0;               // of the runner's own clock, around the order
  double work_ns = 0.0;               // of the device: the sweep and the kernels
  double copy_ns = 0.0;               // before and after it, likewise: copies, scratch memory, tensor maps
};

// Returns a call's time by both clocks of the device, or why they are not believed. There were more kernels than the
// plan launches, or work that the events did not see.
attempt<call_time> read_clocks(const cuda_wire::done& done, size_t launches);

// A process that is called on data in the arena or the exchange, and timed.
class timed_process {
public:
  virtual ~timed_process() = default;
  virtual attempt<void> load(gpu_judge_context& b) = 0;
  // Tells if it works in the examiner's arena, else in the exchange; known once it is loaded.
  virtual bool in_arena() const = 0;
  // Returns why it does not work in the arena, where the other process might.
  virtual std::string why_on_host() const { return {}; }
  // `records`: by the device's own activity records as well, which slow it down: not where it is timed for anybody.
  // `laid_out` is asked once, before anything runs on the data.
  using last_word = std::function<attempt<void>()>;
  virtual attempt<call_time> call(const contract& task, const input_set& set, uint64_t poison, uint64_t rotation,
                                  bool records, std::chrono::milliseconds limit, const last_word& laid_out) = 0;
};

class device_process final : public timed_process {
public:
  // Starts the process; its context is made meanwhile.
  static attempt<device_process> start(gpu_judge_context& b, const program& code);
  // Starts it in a worker under a profiler, which works in the exchange alone.
  static attempt<device_process> start_profiled(const worker_options& options, const program& code);
  // Waits for the context, then loads the code.
  attempt<void> load(gpu_judge_context& b) override;
  bool in_arena() const override { return in_arena_; }

  // Runs the kernels on what lies in the arena; or copies everything there from the exchange, runs them, copies it
  // back.
  attempt<call_time> call(const contract& task, const input_set& set, uint64_t poison, uint64_t rotation, bool records,
                          std::chrono::milliseconds limit, const last_word& laid_out) override;

  // Runs the kernels alone on the data in the exchange, untimed and unchecked; returns how many were launched.
  attempt<size_t> run_plain(const contract& task, const input_set& set, uint64_t poison,
                            std::chrono::milliseconds limit);
  // Lets its process, and the profiler's around it, end by itself.
  void leave(std::chrono::milliseconds limit) { worker_.leave(limit); }

  bool alive() const { return worker_.alive(); }
  bool runs() { return worker_.runs(); }
  void terminate(gpu_judge_context& b) { kevolve::cuda::terminate(b, worker_); }
  int64_t ready_ns() const { return ready_ns_; }
  int64_t load_ns() const { return load_ns_; }
  const std::map<std::string, kernel_facts>& kernels() const { return kernels_; }

private:
  attempt<cuda_wire::stage> order_for(const contract& task, const input_set& set, uint64_t poison) const;
  attempt<resolved_plan> resolve(const contract& task, const call_data& data) const;
  // Fetches what the call left behind: copies where there is no common arena, and the guards of its scratch memory.
  attempt<void> fetch();

  worker_client worker_;
  const program* code_ = nullptr;
  device_limits limits_;
  std::map<std::string, kernel_facts> kernels_;
  int64_t ready_ns_ = 0;
  int64_t load_ns_ = 0;
  bool in_arena_ = false;
  bool profiled_ = false;
};

// Returns the rejection of a call that wrote where none of its data lies.
rejection strayed_far();
// Decides from a worker's answer who is at fault.
evaluation_error judge_answer(const cuda_wire::answer& how);
// Returns true if the error leaves the device in doubt: its health is then asked before anybody is blamed.
bool doubts_device(const evaluation_error& s);

} // namespace kevolve::cuda
