// Starts the real kevolve-judge and talks to it as a node does; compiles small C sources for it.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

class judge_driver {
public:
  // `before` runs in the judge's process just before exec.
  explicit judge_driver(const std::vector<std::string>& arguments = {}, const std::function<void()>& before = {});
  judge_driver(const judge_driver&) = delete;
  judge_driver& operator=(const judge_driver&) = delete;
  ~judge_driver();

  const helper_hello& hello() const { return hello_; }
  pid_t pid() const { return pid_; }
  channel& socket() { return channel_; }
  // Sends a request and waits for its outcome; sends it again if other processes kept the candidate from running.
  // Counts progress frames.
  judge_outcome ask(const judge_request& request);
  void send(const judge_request& request);
  judge_outcome await();
  uint32_t progress_frames() const { return progress_; }

private:
  pid_t pid_ = -1;
  channel channel_;
  helper_hello hello_;
  uint32_t progress_ = 0;
};

// Returns the bytes of a shared object. If it does not compile, fails the test with the compiler's messages.
std::string compile_c(const std::string& source, const std::vector<std::string>& flags = {"-O2"});

std::string read_file(const std::string& path);
// Returns the path of a file in this folder.
std::string fixture(const std::string& name);

} // namespace kevolve
