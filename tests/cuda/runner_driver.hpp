// Starts the real kevolve-runner-cuda and speaks to it as a node would; compiles device candidates for it in the real
// sandbox. Where there is no device or no compiler, says so.
#pragma once

#include "backends/cuda/compiler.hpp"
#include "backends/protocol.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::testing {

class runner_driver {
public:
  explicit runner_driver(const std::vector<std::string>& arguments = {});
  runner_driver(const runner_driver&) = delete;
  runner_driver& operator=(const runner_driver&) = delete;
  ~runner_driver();

  // False: it ended instead of greeting, with its reason on stderr.
  bool ready() const { return ready_; }
  const helper_hello& hello() const { return hello_; }
  judge_outcome ask(const judge_request& request);
  // What the runner has said of its device so far.
  const std::vector<device_sample>& samples() const { return samples_; }
  // The next that it says unasked; fails the test after half a minute.
  device_sample await_sample();
  // Of its children, the one started in that mode: "--examiner"; 0: none.
  pid_t child(const std::string& mode) const;

private:
  pid_t pid_ = -1;
  channel channel_;
  bool ready_ = false;
  helper_hello hello_;
  std::vector<device_sample> samples_;
};

// Empty: this machine has a driver and a device. Else why not.
std::string why_no_device();
// Empty: there is an nvcc.
std::string why_no_compiler();

compile_outcome compile_cuda(const std::string& source, const std::string& flags = "O3",
                             const std::string& architecture = "sm_90a", uint32_t limit_ms = 60'000,
                             const std::string& disassembler = {}, const contract& task = {});

std::string read_text(const std::string& path);
// A file of tests/cuda.
std::string cuda_path(const std::string& name);

struct cuda_fixture {
  std::string name;
  std::string source;
  std::vector<std::string> expected; // verdicts; "harmless": judged right, and no faster than the honest kernel
  std::string rule;
  std::string near;
};
std::vector<cuda_fixture> load_cuda_fixtures(const std::string& folder);

// void iterate(const float *x, const float *w, float *y, int64_t n)
contract iterate_task(int64_t n = 4'194'304);
extern const char* const iterate_reference; // C

} // namespace kevolve::testing
