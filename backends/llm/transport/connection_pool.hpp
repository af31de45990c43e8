// A bounded pool of idle connections. Used by one thread. Private to the transport.
#pragma once

#include "backends/llm/transport/connection.hpp"
#include "backends/llm/transport/model_transport.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>

namespace kevolve {

class connection_pool {
public:
  connection_pool(boost::asio::io_context& io, const pool_limits& limits) : limits_(limits), timer_(io) {}

  // Returns the most recently used connection that the other side has not closed; null if there is none.
  connection_ptr take(const std::string& origin);
  void give(connection_ptr c);
  void clear();
  size_t size() const { return idle_.size(); }

private:
  using clock = std::chrono::steady_clock;
  struct idle {
    connection_ptr one;
    clock::time_point since;
  };
  void watch();

  pool_limits limits_;
  boost::asio::steady_timer timer_;
  std::list<idle> idle_; // oldest first
};

} // namespace kevolve
