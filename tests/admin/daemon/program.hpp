// Runs the programs as an operator and a service manager do.
#pragma once

#include "tests/admin/temporary_folder.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace kevolve::test {

struct finished {
  int code = -1;
  std::string out;
  std::string err;
};

// Runs bin/NAME with these arguments to its end.
finished run_program(const std::string& name, const std::vector<std::string>& words);

// A kevolved process with its own directory, and its notification socket (sd_notify).
class daemon_process {
public:
  // `settings` are more lines of its file. The watchdog interval is 1.5 s.
  explicit daemon_process(const std::string& settings = {});
  ~daemon_process();
  daemon_process(const daemon_process&) = delete;
  daemon_process& operator=(const daemon_process&) = delete;

  void write_settings(const std::string& settings) const;
  // Returns the next datagram; fails the test after a minute without one.
  std::string next();
  // Reads datagrams up to the first that contains `text` and returns it.
  std::string until(const std::string& text);
  void signal(int number) const;
  int wait();
  // Kills it with SIGKILL and starts it again.
  void kill_and_restart();
  std::string data() const { return folder.path() + "/data"; }
  std::string settings_file() const { return folder.path() + "/kevolved.toml"; }

  temporary_folder folder;

private:
  void begin();

  pid_t pid_ = -1;
  int socket_ = -1;
};

} // namespace kevolve::test
