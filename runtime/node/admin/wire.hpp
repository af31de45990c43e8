// A connection's bytes, plain or through TLS. It is one type, so that everything above is compiled once. Private to the
// HTTP server.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <optional>
#include <utility>

namespace kevolve {

class wire {
public:
  using tcp = boost::asio::ip::tcp;
  using executor_type = boost::beast::tcp_stream::executor_type;

  wire(tcp::socket socket, boost::asio::ssl::context* tls) : tcp_(std::move(socket)) {
    if (tls != nullptr)
      tls_.emplace(tcp_, *tls);
  }
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  executor_type get_executor() { return tcp_.get_executor(); }
  bool secure() const { return tls_.has_value(); }
  tcp::socket& socket() { return tcp_.socket(); }
  // Sets the time limit of the following operations, until it is called again.
  void expires_after(std::chrono::milliseconds limit) { tcp_.expires_after(limit); }
  void close() { tcp_.close(); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    else
      tcp_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    else
      tcp_.async_write_some(buffers, std::forward<Handler>(handler));
  }
  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }
  // Tells the peer that nothing was cut off.
  template <class Handler>
  void async_shutdown(Handler&& handler) {
    tls_->async_shutdown(std::forward<Handler>(handler));
  }

private:
  boost::beast::tcp_stream tcp_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;
};

} // namespace kevolve
