// The same streams as a node's, with a minimal client: the floor that the node is measured against.
#pragma once

#include "tools/bench/streams_server.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::bench {

struct stream_answer {
  int64_t asked_ns;
  int64_t begun_ns; // the server has received the question
  size_t number;
  int64_t stored_ns;
};

// Holds the answers to the questions of all streams.
struct measured_streams {
  std::vector<stream_answer> answers;
  double most_resident_kib = 0.0;
  std::string failed; // the first failure

  void add(const std::string& answer, int64_t asked_ns);
};

// Returns the time of the first question of each stream. The streams start spread out, as in a campaign, and not in
// step with each other's pieces.
std::chrono::microseconds first_of(const stream_plan& p, int stream);

// Asks the server of that port by the minimal client.
measured_streams floor_of(const stream_plan& p, uint16_t port);

} // namespace kevolve::bench
