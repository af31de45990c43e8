// How much a client of the admin may take: sizes, times, connections. One connection's worst case is bounded by each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct http_limits {
  size_t connections = 256;
  size_t reserved = 64;  // of them, for connections that have shown the token
  size_t per_peer = 192; // of one address that have not
  size_t streams = 16;
  uint32_t header_bytes = 16U << 10U; // also of what a chunk says beside its bytes
  uint64_t body_bytes = 1U << 20U;
  unsigned requests = 10'000;              // of one connection
  std::chrono::milliseconds header{5'000}; // from the accept, or from its first byte, to the header's end; and TLS's
  std::chrono::milliseconds body{15'000};
  std::chrono::milliseconds idle{60'000};   // of a connection that has shown the token; others get `header`
  std::chrono::milliseconds answer{30'000}; // until a reading is answered
  std::chrono::milliseconds write{15'000};  // a whole answer
  std::chrono::milliseconds alive{10'000};  // of a stream with nothing to tell: then it says that it lives
};

struct tls_files {
  std::string certificate; // PEM, the chain; empty: no TLS
  std::string key;
  std::vector<std::string> hosts; // names that requests may call this node by
};

} // namespace kevolve
