// A connection to a provider: TCP or a Unix socket, plain or through TLS, as one type, so that its users are compiled
// once. Private to the transport: it includes Asio and Beast.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kevolve {

class model_connection {
public:
  using socket_type = boost::asio::generic::stream_protocol::socket;
  using error_code = boost::system::error_code;
  using executor_type = socket_type::executor_type;

  model_connection(socket_type socket, std::string origin, size_t buffer_bytes)
      : socket_(std::move(socket)), origin_(std::move(origin)), buffer_(buffer_bytes) {}
  model_connection(const model_connection&) = delete;
  model_connection& operator=(const model_connection&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  const std::string& origin() const { return origin_; }
  boost::beast::flat_buffer& buffer() { return buffer_; }
  socket_type& socket() { return socket_; }
  SSL* tls() { return tls_ ? tls_->native_handle() : nullptr; }

  void secure(std::shared_ptr<boost::asio::ssl::context> context) {
    context_ = std::move(context);
    tls_.emplace(socket_, *context_);
  }
  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

  // Reads more bytes that already arrived into the buffer and returns their number. TLS returns one record per read,
  // and each piece of a stream is a record; this saves turns of the loop.
  size_t read_more(size_t most) {
    size_t out = 0;
    while (tls_ && out < most) {
      const auto space = buffer_.prepare(most - out);
      const int n = SSL_read(tls_->native_handle(), space.data(), static_cast<int>(space.size()));
      if (n <= 0)
        break; // the next async_read_some reports the error
      buffer_.commit(static_cast<size_t>(n));
      out += static_cast<size_t>(n);
    }
    return out;
  }
  template <class Handler>
  void async_handshake(Handler&& handler) {
    tls_->async_handshake(boost::asio::ssl::stream_base::client, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    else
      socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    else
      socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

private:
  socket_type socket_;
  std::string origin_;
  boost::beast::flat_buffer buffer_;                   // bytes read and not parsed yet
  std::shared_ptr<boost::asio::ssl::context> context_; // must outlive tls_
  std::optional<boost::asio::ssl::stream<socket_type&>> tls_;
};
using connection_ptr = std::shared_ptr<model_connection>; // pending operations hold it as well

} // namespace kevolve
