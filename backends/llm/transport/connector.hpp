// Opens a connection: name resolution, socket, proxy, TLS. It lives until it is connected, has failed or is stopped.
// Private to the transport.
#pragma once

#include "backends/llm/protocol/failure.hpp"
#include "backends/llm/transport/connection.hpp"
#include "backends/llm/transport/route.hpp"
#include "backends/llm/transport/transport_core.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

struct connect_trouble {
  llm::transport_trouble what = llm::transport_trouble::unreachable;
  std::string detail;
};

class connector : public std::enable_shared_from_this<connector> {
public:
  using then_type = std::function<void(connection_ptr, connect_trouble)>; // gets a connection, or null and the reason

  connector(transport_core& core, const provider_route& way, size_t buffer_bytes);
  void start(then_type then);
  // Stops the attempt; `then` is not called any more.
  void stop();

private:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;

  void connect(const tcp::resolver::results_type& found);
  void opened(model_connection::socket_type socket);
  void ask_proxy();
  void on_proxy(error_code e);
  void secure();
  void on_handshake(error_code e);
  void fail_with(llm::transport_trouble what, std::string detail);
  void done(connection_ptr c, connect_trouble trouble);
  std::string peer() const;

  transport_core& core_;
  const provider_route way_;
  size_t buffer_bytes_;
  then_type then_;
  tcp::resolver resolver_;
  tcp::socket tcp_;
  boost::asio::local::stream_protocol::socket local_;
  connection_ptr one_;
  std::string proxy_head_;
  std::optional<boost::beast::http::response_parser<boost::beast::http::empty_body>> proxy_answer_;
};

} // namespace kevolve
