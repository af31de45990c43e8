// Starts the real kevolve-judge and speaks to it as a node would; compiles small C sources for it.
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
  // `before` runs in the judge's process just before it is started.
  explicit judge_driver(const std::vector<std::string>& arguments = {}, const std::function<void()>& before = {});
  judge_driver(const judge_driver&) = delete;
  judge_driver& operator=(const judge_driver&) = delete;
  ~judge_driver();

  const helper_hello& hello() const { return hello_; }
  pid_t pid() const { return pid_; }
  channel& socket() { return channel_; }
  // Sends a request and waits for its outcome; progress frames are counted.
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

// The bytes of a shared object; fails the test with the compiler's words if it does not compile.
std::string compile_c(const std::string& source, const std::vector<std::string>& flags = {"-O2"});

std::string read_file(const std::string& path);
// A file of this folder.
std::string fixture(const std::string& name);

} // namespace kevolve
