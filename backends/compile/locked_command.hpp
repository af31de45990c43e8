// Runs one compiler step on untrusted text: in the sandbox, in its own process group, with a wall-clock limit.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/base/sandbox.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// Hears the node while a step runs. It lives as long as the server.
class attention {
public:
  virtual ~attention() = default;
  virtual int descriptor() const = 0;
  // Called when the descriptor is readable and at least every half second. Returns false to give the step up.
  virtual bool attend() = 0;
};

struct locked_command {
  std::vector<std::string> argv; // argv[0] is an absolute path
  std::string directory;         // working folder
  std::string output;            // names of the files for stdout and stderr, in the working folder
  std::string diagnostics;
  std::chrono::steady_clock::time_point deadline;
  uint32_t processor_seconds = 0; // the step ends as over time after them; 0: the sandbox's own limit
};

enum class step_end : uint8_t {
  exited = 0, // value: exit status
  signalled,  // value: signal, not sent by us
  over_time,
  given_up,    // attend() returned false
  not_started, // `trouble` holds the reason: an error of the machine, not of the source
};

struct step_result {
  step_end end = step_end::not_started;
  int value = 0;
  failure trouble;
};

step_result run_locked(const locked_command& command, const sandbox& lock, attention& listener);

} // namespace kevolve
