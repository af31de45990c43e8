// Reads the rest of an HTTP body after a reply's terminal marker, mostly the final empty chunk, so that the connection
// can be reused. Gives up after a short time. Private to the transport.
#pragma once

#include "backends/llm/transport/connection.hpp"
#include "backends/llm/transport/transport_core.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <memory>

namespace kevolve {

class connection_drain : public std::enable_shared_from_this<connection_drain> {
public:
  using parser_type = boost::beast::http::response_parser<boost::beast::http::buffer_body>;

  connection_drain(transport_core& core, connection_ptr c, std::shared_ptr<parser_type> parser)
      : core_(core), one_(std::move(c)), parser_(std::move(parser)), timer_(core.io) {}
  void start();

private:
  void parse();
  void read();

  transport_core& core_;
  connection_ptr one_;
  std::shared_ptr<parser_type> parser_;
  boost::asio::steady_timer timer_;
  size_t left_ = read_bytes;
};

} // namespace kevolve
