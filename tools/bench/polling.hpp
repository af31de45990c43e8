// Clients that ask a node for pages again and again, as many at once as wanted, in one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::bench {

struct polling {
  uint16_t port = 0; // on the loopback
  std::string token_file;
  uint64_t clients = 50;
  uint64_t pause_ms = 500; // between the answer and a client's next question
  std::vector<std::string> paths;
};

// Until standard input ends. Prints every answer's microseconds, how many were no 200, and the processor time of its
// own.
int poll(const polling& what);

} // namespace kevolve::bench
