// Runs our own program that launches a candidate's device code, for passes that use a device. Such a program runs no
// host code of a candidate, so that it runs beside the sandbox, as the workers of a judge do: a profiler needs the
// driver, its own sockets and its rights. In kevolve-profiler a child process that was forked before the confinement
// starts it.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct device_command {
  std::vector<std::string> argv; // argv[0] is an absolute path
  std::string directory;         // HOME and TMPDIR; the program's output goes to the file `output` there
  std::map<std::string, std::string> environment; // further variables
  uint32_t limit_ms = 0;
};

struct device_end {
  int status = -1; // exit status, or 128 and the signal
  bool timed_out = false;
};

template <class I>
typename I::result_type inspect(I& f, device_command& x) {
  return f(x.argv, x.directory, x.environment, x.limit_ms);
}
template <class I>
typename I::result_type inspect(I& f, device_end& x) {
  return f(x.status, x.timed_out);
}

// Forks the child process. Call it once, while this process is single-threaded and not confined.
result<void> start_device_host();
// Runs the program and waits for it, in the child process if there is one. All processes of its group end with it.
// errc::unavailable: it does not start.
result<device_end> run_on_device(const device_command& command);

} // namespace kevolve
