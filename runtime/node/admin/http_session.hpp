// One connection of the admin. Private to the HTTP server, because it includes Beast.
#pragma once

#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/guard.hpp"
#include "runtime/node/admin/http_limits.hpp"
#include "runtime/node/admin/token.hpp"
#include "runtime/node/admin/wire.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace kevolve {

class session;

struct server_state {
  server_state(std::unique_ptr<admin_api> a, token_check t) : api(std::move(a)), token(std::move(t)) {}
  void leave(const std::shared_ptr<session>& s);

  boost::asio::io_context io{1}; // outlives the sessions below
  std::unique_ptr<admin_api> api;
  token_check token;
  own_names names;
  http_limits limits;
  std::shared_ptr<boost::asio::ssl::context> tls; // null: no TLS
  size_t streams = 0;
  uint64_t requests = 0;
  std::string run;                             // distinguishes this process's request ids from those of others
  std::set<std::shared_ptr<session>> sessions; // used only on the I/O thread
};

// Lives in the server's set; callbacks from actors hold it weakly.
class session : public std::enable_shared_from_this<session> {
public:
  using clock = std::chrono::steady_clock;
  using error_code = boost::beast::error_code;

  session(wire::tcp::socket socket, std::string peer, server_state& server, std::weak_ptr<server_state> life);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  void begin();
  void close();
  // Closes the connection and counts the reason.
  void drop(connection_drop why);

  // Returns the time since which it has waited for a whole request; nothing while it answers or streams.
  std::optional<clock::time_point> reading_since() const { return reading_since_; }
  // Returns true if it has shown the token.
  bool trusted() const { return trusted_; }
  const std::string& peer() const { return peer_; }

private:
  using request_type = boost::beast::http::request<boost::beast::http::string_body>;

  void read();
  void read_header();
  void on_header(error_code e);
  void read_body();
  void on_body(error_code e);
  void on_request();
  // Handles a read error: sends an answer where HTTP has one, else closes the connection.
  void on_read_error(error_code e);
  std::optional<problem> refusal(const request_type& q, std::string_view target);
  // Returns the most bytes of the body of the request whose header was read.
  uint64_t most_body() const;
  void refuse(const problem& why);
  void tell(const api_response& x) const;
  // Asks the API one question at a time. A reading request that takes too long is answered with 504, and its late
  // answer is dropped.
  void ask(api_request r, void (*then)(session&, api_response));
  void respond(api_response x);
  void finish();

  void follow(api_request r, std::string_view last_event);
  void begin_stream(api_response x);
  void watch();
  void write_stream(std::string text);
  void wait();
  void look();
  void seen(api_response x);
  void end_stream(const api_response& why);

  server_state& server_;
  std::weak_ptr<server_state> life_;
  std::shared_ptr<boost::asio::ssl::context> tls_; // outlives the wire
  std::string peer_;
  wire wire_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  uint64_t beside_chunks_ = 0; // bytes of chunk extensions of this request
  std::function<void(uint64_t, boost::beast::string_view, boost::beast::error_code&)> on_chunk_ =
      [this](uint64_t, boost::beast::string_view extensions, boost::beast::error_code& e) {
        beside_chunks_ += extensions.size();
        if (beside_chunks_ > server_.limits.header_bytes)
          e = boost::beast::http::error::buffer_overflow;
      };
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> response_;
  boost::asio::steady_timer timer_;
  std::optional<clock::time_point> reading_since_;
  clock::time_point asked_at_;
  uint64_t asked_ = 0; // number of the question whose answer is expected
  std::string request_id_;
  bool knows_path_ = false; // the path of the last request is known
  bool trusted_ = false;
  bool keep_alive_ = true;
  unsigned served_ = 0;
  size_t headers_ = 0; // number of headers of a request whose body is still to come
  bool streaming_ = false;
  bool dropped_ = false;
  std::string follow_;
  uint64_t last_event_ = 0;
  std::string outgoing_;
  clock::time_point last_written_;
};

} // namespace kevolve
