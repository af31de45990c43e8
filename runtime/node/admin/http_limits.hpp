// Limits on a client of the admin: sizes, times, connections. Together they bound the cost of one connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct http_limits {
  size_t connections = 256;
  size_t reserved = 64;  // of `connections`, only for those that have shown the token
  size_t per_peer = 192; // connections of one address that have not shown the token
  size_t streams = 16;
  uint32_t header_bytes = 16U << 10U; // also limits the extensions of chunks
  uint64_t body_bytes = 1U << 20U;
  uint64_t campaign_bytes = 12U << 20U;    // of a body that submits a campaign: it may hold a module's weights
  unsigned requests = 10'000;              // on one connection
  std::chrono::milliseconds header{5'000}; // from the accept, or from the header's first byte, to its end; also for the
                                           // TLS handshake
  std::chrono::milliseconds body{15'000};
  std::chrono::milliseconds idle{60'000};   // between requests of a connection that has shown the token; others get
                                            // `header`
  std::chrono::milliseconds answer{30'000}; // until a reading request is answered
  std::chrono::milliseconds write{15'000};  // for a whole answer
  std::chrono::milliseconds alive{10'000};  // a stream without events sends a sign of life after this time
};

struct tls_files {
  std::string certificate; // PEM, the whole chain; empty: no TLS
  std::string key;
  std::vector<std::string> hosts; // names by which requests may address this node
};

} // namespace kevolve
