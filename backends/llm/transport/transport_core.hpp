// The state shared by all attempts of a transport. Only the transport's thread uses it, except where stated. Private:
// it includes Asio.
#pragma once

#include "backends/llm/transport/connection_pool.hpp"
#include "backends/llm/transport/model_transport.hpp"
#include "backends/llm/transport/tls_client.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>

namespace kevolve {

class model_call;

constexpr size_t read_bytes = size_t{8} << 10U; // per read from one connection

struct transport_core {
  explicit transport_core(transport_options o) : options(std::move(o)), pool(io, options.pool) {}

  llm::instant wall_now() const {
    return options.wall_clock ? options.wall_clock()
                              : std::chrono::floor<llm::milliseconds>(std::chrono::system_clock::now());
  }
  // Returns the thread's CPU time since the previous call; called at the end of each turn of the loop.
  std::chrono::nanoseconds lap();
  void publish();

  boost::asio::io_context io{1}; // must outlive all members below
  transport_options options;
  tls_contexts tls;
  connection_pool pool;
  std::map<uint64_t, std::shared_ptr<model_call>> calls;
  std::array<char, read_bytes> piece{}; // a piece of a body, between parser and decoder
  std::chrono::nanoseconds cpu{0};
  size_t most_buffer_bytes = 0;
  uint64_t connections_opened = 0;
  std::thread thread;

  // The members below may be used from any thread.
  std::atomic<uint64_t> next_id{1};
  std::atomic<size_t> seen_in_flight{0};
  std::atomic<size_t> seen_idle{0};
  std::atomic<size_t> seen_buffer{0};
  std::atomic<uint64_t> seen_opened{0};
  std::atomic<int64_t> seen_cpu_ns{0};
};

} // namespace kevolve
