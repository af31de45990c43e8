// Clients that request pages of a node repeatedly, with the given concurrency, in one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::bench {

struct polling {
  uint16_t port = 0; // port on the loopback interface
  std::string token_file;
  uint64_t clients = 50;
  uint64_t pause_ms = 500; // pause between an answer and the client's next request
  std::vector<std::string> paths;
};

// Runs until standard input ends. Prints every answer's time in microseconds, the number of answers other than 200, and
// its own processor time.
int poll(const polling& what);

} // namespace kevolve::bench
