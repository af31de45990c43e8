// Judges a sanitised replay by the tools' logs and the replay's own progress. Pure.
#pragma once

#include "backends/judge/rejection.hpp"
#include "backends/nvidia/sanitizer_log.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct replay_buffer {
  std::string name;
  uint64_t at = 0;
  uint64_t bytes = 0;
};

struct replay_progress {
  bool ready = false;   // the code was loaded
  size_t done = 0;      // calls
  bool stopped = false; // by its limit
  bool ended = false;   // after all calls
  std::string failure;  // of the driver; empty: none
  std::vector<replay_buffer> buffers;
};
replay_progress read_replay_progress(std::string_view text);

// One tool's run over all calls.
struct replay_run {
  sanitizer_tool tool = sanitizer_tool::memcheck;
  std::string not_run;    // why the tool was not started; empty: it was
  bool timed_out = false; // and was killed
  int status = 0;         // exit status; 128 + signal number if a signal ended it
  std::string log;
  std::string progress;
  size_t calls = 0; // that were asked for
};

// The evidence has "sanitised": the tools that found nothing, and in how many calls; "unsanitised": the reasons of
// tools that did not run; "sanitised.note": their warnings.
struct replay_result {
  std::map<std::string, std::string> evidence;
  std::optional<rejection> refused;
};
// Refuses the candidate for an error that a tool reports. Warnings are notes. A tool that did not run, or whose report
// cannot be believed, leaves the verdict.
replay_result judge_replay(const std::vector<replay_run>& runs);

// Returns the result without any run.
replay_result unsanitised(const std::string& why);

} // namespace kevolve
