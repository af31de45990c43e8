// The programs as an operator and a service manager run them.
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

// bin/NAME with these words, to its end.
finished run_program(const std::string& name, const std::vector<std::string>& words);

// kevolved on a directory of its own, and the socket that it tells a service manager's side of things to.
class daemon_process {
public:
  // `settings`: more lines of its file. A watchdog of 1.5 s.
  explicit daemon_process(const std::string& settings = {});
  ~daemon_process();
  daemon_process(const daemon_process&) = delete;
  daemon_process& operator=(const daemon_process&) = delete;

  void write_settings(const std::string& settings) const;
  // The next datagram; fails the test after a minute without one.
  std::string next();
  // Datagrams up to the one that has `text`; that one.
  std::string until(const std::string& text);
  void signal(int number) const;
  int wait();
  // SIGKILL, and the same again.
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
