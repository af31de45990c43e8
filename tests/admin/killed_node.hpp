// A node in a process of its own, to be killed without warning.
#pragma once

#include "tests/admin/raw_http.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace kevolve::test {

class killed_node {
public:
  explicit killed_node(const std::string& data_dir);
  ~killed_node() { kill(); }
  killed_node(const killed_node&) = delete;
  killed_node& operator=(const killed_node&) = delete;

  // SIGKILL, and waits for the end.
  void kill();
  raw_answer post(const std::string& target, const std::string& key, const std::string& body);
  raw_answer get(const std::string& target);

private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
  std::string token_;
};

// The other process's main.
int serve_until_killed(const std::string& data_dir);

} // namespace kevolve::test
