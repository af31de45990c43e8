// Starts the real kevolve-runner-cuda and talks to it as a node does; compiles device candidates in the real sandbox.
// Reports if there is no device or no compiler.
#pragma once

#include "backends/cuda/compiler.hpp"
#include "backends/protocol.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kevolve::testing {

class runner_driver {
public:
  explicit runner_driver(const std::vector<std::string>& arguments = {});
  runner_driver(const runner_driver&) = delete;
  runner_driver& operator=(const runner_driver&) = delete;
  ~runner_driver();

  // Returns false if it ended before its hello; the reason is on stderr.
  bool ready() const { return ready_; }
  const helper_hello& hello() const { return hello_; }
  // Calls `on_progress` for each report of progress while the request is worked on.
  judge_outcome ask(const judge_request& request, const std::function<void()>& on_progress = {});
  // Asks again as long as the clocks disagree: a busy machine delays the fake device, which is a thread of it.
  judge_outcome ask_timed(const judge_request& request);
  // Returns the runner's device samples so far.
  const std::vector<device_sample>& samples() const { return samples_; }
  // Returns the next unsolicited sample; fails the test after half a minute.
  device_sample await_sample();
  // Returns its child that was started in that mode ("--examiner"); 0 if there is none.
  pid_t child(const std::string& mode) const;

private:
  pid_t pid_ = -1;
  channel channel_;
  bool ready_ = false;
  helper_hello hello_;
  std::vector<device_sample> samples_;
};

// Returns why there is no driver or device; empty if there is one.
std::string why_no_device();
// Returns why there is no nvcc; empty if there is one.
std::string why_no_compiler();

compile_outcome compile_cuda(const std::string& source, const std::string& flags = "O3",
                             const std::string& architecture = "sm_90a", uint32_t limit_ms = 600'000,
                             const std::string& disassembler = {}, const contract& task = {},
                             compile_role role = compile_role::candidate);

std::string read_text(const std::string& path);
// Returns the path of a file in tests/cuda.
std::string cuda_path(const std::string& name);

struct cuda_fixture {
  std::string name;
  std::string source;
  std::vector<std::string> expected; // verdicts; "harmless": passes and is no faster than the honest kernel
  std::string rule;
  std::string near;
  bool confirmed = false; // shows in a confirmation alone
};
std::vector<cuda_fixture> load_cuda_fixtures(const std::string& folder);

// Returns the task of void iterate(const float *x, const float *w, float *y, int64_t n)
contract iterate_task(int64_t n = 4'194'304);
extern const char* const iterate_reference; // in C

} // namespace kevolve::testing
