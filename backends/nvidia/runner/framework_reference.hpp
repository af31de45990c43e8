// A PyTorch reference as the runner uses it: it computes expected outputs, and it is a baseline that is timed.
#pragma once

#include "backends/nvidia/runner/device_process.hpp"

#include <chrono>
#include <string>

namespace kevolve::cuda {

// Tells if the compile server made the reference from a framework's program, and not from native code.
bool is_framework(const judge_request& request);

// Returns the judge context's one framework process with this program loaded; starts it when it is first needed.
attempt<framework_client*> framework_with(gpu_judge_context& b, framework_client::program which,
                                          const std::string& package);

// Returns a launcher of references in the judge context's one framework process, which is started when first needed.
reference_launcher framework_launcher(gpu_judge_context& b);

// Returns the words on a task's use of TF32, which is the same for the reference and every baseline.
std::string numerics_text(tf32_use x);

// The reference as the baseline: called as it is, or as torch.compile makes it.
class framework_baseline final : public timed_process {
public:
  // No call lasts beyond `until`, and the first one in a mode takes its time to compile.
  framework_baseline(const judge_request& request, framework_mode mode, size_t arena_bytes,
                     std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max())
      : request_(request), mode_(mode), arena_bytes_(arena_bytes), until_(until) {}
  attempt<void> load(gpu_judge_context& b) override;
  bool in_arena() const override { return in_arena_; }
  std::string why_on_host() const override { return why_on_host_; }
  attempt<call_time> call(const contract& task, const input_set& set, uint64_t poison, uint64_t rotation, bool records,
                          std::chrono::milliseconds limit, const last_word& laid_out) override;

private:
  const judge_request& request_;
  framework_mode mode_;
  size_t arena_bytes_;
  std::chrono::steady_clock::time_point until_;
  bool in_arena_ = false;
  std::string why_on_host_;
  framework_client* process_ = nullptr;
};

} // namespace kevolve::cuda
