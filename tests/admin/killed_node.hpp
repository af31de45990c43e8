// A node in a separate process that can be killed without warning.
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

  // Kills it with SIGKILL and waits for its end.
  void kill();
  raw_answer post(const std::string& target, const std::string& key, const std::string& body);
  raw_answer get(const std::string& target);

private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
  std::string token_;
};

// Runs the main function of the other process.
int serve_until_killed(const std::string& data_dir);

} // namespace kevolve::test
