#include "tools/kevolve/client/http_client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <charconv>
#include <optional>

namespace kevolve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

constexpr uint64_t most_answer = 256U << 20U;

struct address {
  bool tls = false;
  std::string host;
  uint16_t port = 0;
};

result<address> parse(const std::string& url) {
  auto wrong = fail(errc::bad_input, "--url " + url + ": expected http://HOST:PORT or https://HOST:PORT");
  address out;
  out.tls = url.starts_with("https://");
  if (!out.tls && !url.starts_with("http://"))
    return wrong;
  auto rest = url.substr(out.tls ? 8 : 7);
  if (!rest.empty() && rest.back() == '/')
    rest.pop_back();
  auto colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return wrong;
  out.host = rest.substr(0, colon);
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  auto digits = std::string_view{rest}.substr(colon + 1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (error != std::errc{} || end != digits.data() + digits.size() || out.port == 0)
    return wrong;
  return out;
}

// Sets which certificates are trusted: the node must prove its identity before it gets the token.
result<void> trust(asio::ssl::context& context, const http_peer& peer) {
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  context.set_verify_mode(asio::ssl::verify_peer);
  beast::error_code e;
  if (const auto& file = peer.pinned_file.empty() ? peer.ca_file : peer.pinned_file; !file.empty()) {
    context.load_verify_file(file, e);
    if (e)
      return fail(errc::bad_input, "certificates in " + file + ": " + e.message());
    // The file may hold the node's own certificate rather than its authority's.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.native_handle()), X509_V_FLAG_PARTIAL_CHAIN);
  } else
    context.set_default_verify_paths(e);
  return {};
}

// One request on one connection; the stream's deadline covers all of it.
class exchange {
public:
  exchange(const address& to, const http_peer& peer, const api_request& request, std::chrono::milliseconds limit)
      : resolver_(io_), stream_(io_) {
    if (to.tls) {
      if (auto trusted = trust(context_, peer); !trusted) {
        refused_ = trusted.error();
        return;
      }
      tls_.emplace(stream_, context_);
      // This call is the expansion of the macro SSL_set_tlsext_host_name.
      SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(to.host.c_str()));
      if (peer.pinned_file.empty())
        tls_->set_verify_callback(asio::ssl::host_name_verification{to.host});
    }
    request_.method_string(request.method);
    request_.target(request.target);
    request_.version(11);
    auto host = to.host.find(':') == std::string::npos ? to.host : "[" + to.host + "]";
    request_.set(http::field::host, host + ":" + std::to_string(to.port));
    request_.set(http::field::user_agent, "kevolve");
    if (!peer.token.empty())
      request_.set(http::field::authorization, "Bearer " + peer.token);
    if (!request.body.empty())
      request_.set(http::field::content_type, "application/json");
    if (!request.idempotency_key.empty())
      request_.set("Idempotency-Key", request.idempotency_key);
    request_.set(http::field::connection, "close");
    request_.body() = request.body;
    request_.prepare_payload();
    parser_.body_limit(most_answer);
    stream_.expires_after(limit);
    resolver_.async_resolve(
        to.host, std::to_string(to.port), [this](beast::error_code e, tcp::resolver::results_type r) {
          if (step(e))
            stream_.async_connect(r, [this](beast::error_code e2, const tcp::endpoint&) { connected(e2); });
        });
    io_.run_for(limit + std::chrono::seconds{1}); // resolving has no deadline of its own
  }

  result<api_response> take(const std::string& url) {
    if (refused_)
      return tl::unexpected(*refused_);
    if (!finished_ && !error_)
      return fail(errc::timed_out, url + " did not answer in time");
    if (error_ == beast::error::timeout)
      return fail(errc::timed_out, url + " did not answer in time");
    if (error_ && !connected_)
      return fail(errc::unavailable, "no node answers at " + url + ": " + error_.message());
    if (error_ && tls_ && !secured_)
      return fail(errc::unauthorised,
                  url + " has not proved who it is: " + error_.message() + "; name its authority with --ca-file");
    if (error_)
      return fail(errc::protocol, url + ": " + error_.message());
    api_response out;
    auto message = parser_.release();
    out.status = message.result_int();
    auto type = message[http::field::content_type];
    out.content_type = std::string{type.data(), type.size()};
    out.body = std::move(message.body());
    return out;
  }

private:
  bool step(beast::error_code e) {
    error_ = e;
    return !e;
  }
  void connected(beast::error_code e) {
    if (!step(e))
      return;
    connected_ = true;
    if (!tls_) {
      speak(stream_);
      return;
    }
    tls_->async_handshake(asio::ssl::stream_base::client, [this](beast::error_code e2) {
      if (step(e2)) {
        secured_ = true;
        speak(*tls_);
      }
    });
  }
  template <class Stream>
  void speak(Stream& stream) {
    http::async_write(stream, request_, [this, &stream](beast::error_code e2, size_t) {
      // A server that will not read it all says why, and closes.
      const bool cut = e2 == beast::errc::broken_pipe || e2 == beast::errc::connection_reset;
      if (cut || step(e2))
        http::async_read(stream, buffer_, parser_, [this, cut, e2](beast::error_code e3, size_t) {
          if (step(cut && e3 ? e2 : e3))
            finished_ = true;
        });
    });
  }

  asio::io_context io_{1};
  tcp::resolver resolver_;
  beast::tcp_stream stream_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  std::optional<asio::ssl::stream<beast::tcp_stream&>> tls_;
  std::optional<failure> refused_;
  http::request<http::string_body> request_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  beast::error_code error_;
  bool connected_ = false;
  bool secured_ = false;
  bool finished_ = false;
};

} // namespace

result<api_response> http_ask(const http_peer& peer, const api_request& request, std::chrono::milliseconds limit) {
  auto to = parse(peer.url);
  if (!to)
    return tl::unexpected(to.error());
  exchange x{*to, peer, request, limit};
  return x.take(peer.url);
}

} // namespace kevolve
