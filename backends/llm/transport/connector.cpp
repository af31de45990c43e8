#include "backends/llm/transport/connector.hpp"

#include "runtime/base/base64.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <openssl/crypto.h>

#include <utility>

namespace kevolve {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using llm::transport_trouble;

constexpr uint32_t most_proxy_header = 16U << 10U;

} // namespace

connector::connector(transport_core& core, const provider_route& way, size_t buffer_bytes)
    : core_(core), way_(way), buffer_bytes_(buffer_bytes), resolver_(core.io), tcp_(core.io), local_(core.io) {}

std::string connector::peer() const {
  if (!way_.unix_socket.empty())
    return way_.unix_socket;
  return way_.proxy ? "the proxy " + way_.proxy->host + ":" + std::to_string(way_.proxy->port)
                    : way_.authority_with_port();
}

void connector::start(then_type then) {
  then_ = std::move(then);
  auto self = shared_from_this();
  if (!way_.unix_socket.empty()) {
    local_.async_connect({way_.unix_socket}, [self](error_code e) {
      if (e)
        self->fail_with(transport_trouble::unreachable, self->peer() + ": " + e.message());
      else
        self->opened(model_connection::socket_type{std::move(self->local_)});
    });
    return;
  }
  const auto& host = way_.proxy ? way_.proxy->host : way_.host;
  const auto port = way_.proxy ? way_.proxy->port : way_.port;
  error_code not_literal;
  if (const auto address = asio::ip::make_address(host, not_literal); !not_literal) {
    connect(tcp::resolver::results_type::create(tcp::endpoint{address, port}, host, std::to_string(port)));
    return;
  }
  resolver_.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                          [self](error_code e, const tcp::resolver::results_type& found) {
                            if (e)
                              self->fail_with(transport_trouble::name_not_found, self->peer() + ": " + e.message());
                            else
                              self->connect(found);
                          });
}

void connector::connect(const tcp::resolver::results_type& found) {
  if (!then_)
    return;
  asio::async_connect(tcp_, found, [self = shared_from_this()](error_code e, const tcp::endpoint&) {
    if (e) {
      self->fail_with(transport_trouble::unreachable, self->peer() + ": " + e.message());
      return;
    }
    error_code ignored;
    self->tcp_.set_option(tcp::no_delay{true}, ignored);
    self->opened(model_connection::socket_type{std::move(self->tcp_)});
  });
}

void connector::opened(model_connection::socket_type socket) {
  if (!then_)
    return;
  ++core_.connections_opened;
  one_ = std::make_shared<model_connection>(std::move(socket), way_.origin(), buffer_bytes_);
  if (way_.proxy)
    ask_proxy();
  else
    secure();
}

void connector::ask_proxy() {
  const auto there = way_.authority_with_port();
  proxy_head_ = "CONNECT " + there + " HTTP/1.1\r\nHost: " + there + "\r\n";
  if (!way_.proxy->user_info.empty())
    proxy_head_ += "Proxy-Authorization: Basic " + to_base64(way_.proxy->user_info.reveal()) + "\r\n";
  proxy_head_ += "\r\n";
  asio::async_write(*one_, asio::buffer(proxy_head_), [self = shared_from_this()](error_code e, size_t) {
    OPENSSL_cleanse(self->proxy_head_.data(), self->proxy_head_.size());
    if (e) {
      self->fail_with(transport_trouble::reset, self->peer() + ": " + e.message());
      return;
    }
    self->proxy_answer_.emplace();
    self->proxy_answer_->header_limit(most_proxy_header);
    self->proxy_answer_->skip(true); // an answer to CONNECT has no body
    http::async_read_header(*self->one_, self->one_->buffer(), *self->proxy_answer_,
                            [self](error_code e2, size_t) { self->on_proxy(e2); });
  });
}

void connector::on_proxy(error_code e) {
  if (e) {
    fail_with(transport_trouble::reset, peer() + " gave no answer: " + e.message());
    return;
  }
  const auto status = proxy_answer_->get().result_int();
  if (status < 200 || status > 299)
    fail_with(transport_trouble::unreachable,
              peer() + " refused with HTTP " + std::to_string(status)
                  + (status == 407 ? ": it wants a user and password, from the variable that proxy_env names" : ""));
  else if (one_->buffer().size() > 0)
    fail_with(transport_trouble::unreachable, peer() + " spoke out of turn");
  else
    secure();
}

void connector::secure() {
  if (!way_.tls) {
    done(std::move(one_), {});
    return;
  }
  auto context = core_.tls.get(way_.ca_file);
  if (!context) {
    fail_with(transport_trouble::tls_failed, context.error().detail);
    return;
  }
  one_->secure(std::move(*context));
  if (auto named = expect_host(one_->tls(), way_.host); !named) {
    fail_with(transport_trouble::tls_failed, named.error().detail);
    return;
  }
  one_->async_handshake([self = shared_from_this()](error_code e) { self->on_handshake(e); });
}

void connector::on_handshake(error_code e) {
  if (!then_)
    return;
  if (!e) {
    done(std::move(one_), {});
    return;
  }
  // Only an error of TLS itself needs a person. A connection that breaks meanwhile counts as reset.
  const bool by_tls = e.category() == asio::error::get_ssl_category();
  const auto certificate = by_tls ? certificate_trouble(one_->tls()) : std::string{};
  fail_with(by_tls ? transport_trouble::tls_failed : transport_trouble::reset,
            way_.host + ": " + (certificate.empty() ? e.message() : certificate));
}

void connector::fail_with(transport_trouble what, std::string detail) {
  if (one_)
    one_->close();
  done(nullptr, {what, std::move(detail)});
}

void connector::done(connection_ptr c, connect_trouble trouble) {
  if (auto then = std::exchange(then_, nullptr))
    then(std::move(c), std::move(trouble));
}

void connector::stop() {
  then_ = nullptr;
  error_code ignored;
  resolver_.cancel();
  tcp_.close(ignored);
  local_.close(ignored);
  if (one_)
    one_->close();
}

} // namespace kevolve
