#include "runtime/node/admin/http_listener.hpp"

#include "runtime/base/log.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

namespace kevolve {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr uint32_t most_header = 16U << 10U;
constexpr uint64_t most_body = 64U << 10U;
constexpr size_t most_connections = 128;
constexpr size_t most_streams = 16;
constexpr unsigned most_requests = 10'000; // of one connection
constexpr auto read_limit = 15s;           // idle, header and body together
constexpr auto write_limit = 15s;
constexpr auto look_every = 200ms; // at the journal, for streams
constexpr auto stream_idle = 10s;  // then a comment tells that the stream lives

class session;

struct server_state {
  server_state(std::unique_ptr<admin_api> a, token_check t) : api(std::move(a)), token(std::move(t)) {}

  asio::io_context io{1}; // outlives the sessions below
  std::unique_ptr<admin_api> api;
  token_check token;
  uint16_t port = 0;
  size_t streams = 0;
  std::set<std::shared_ptr<session>> sessions; // of the I/O thread
};

// One connection. Lives in the server's set; callbacks from actors hold it weakly.
class session : public std::enable_shared_from_this<session> {
public:
  session(tcp::socket socket, server_state& server, std::weak_ptr<server_state> life)
      : server_(server), life_(std::move(life)), stream_(std::move(socket)), timer_(server.io) {}
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() {
    if (streaming_)
      --server_.streams;
  }

  // Since when it has waited for a whole request; nothing while it answers or streams.
  std::optional<std::chrono::steady_clock::time_point> reading_since() const { return reading_since_; }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    timer_.cancel();
    server_.sessions.erase(shared_from_this());
  }

  void read() {
    reading_since_ = std::chrono::steady_clock::now();
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(most_body);
    stream_.expires_after(read_limit);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code e, size_t) { self->on_read(e); });
  }

private:
  using request_type = http::request<http::string_body>;

  void on_read(beast::error_code e) {
    reading_since_.reset();
    if (e == http::error::header_limit || e == http::error::body_limit) {
      keep_alive_ = false;
      auto header = e == http::error::header_limit;
      respond(to_response(problem{header ? 431U : 413U, header ? "header-too-large" : "body-too-large",
                                  header ? "the header may have 16 KiB" : "the body may have 64 KiB"}));
    } else if (e && e.category() == http::make_error_code(http::error::bad_method).category()
               && e != http::error::end_of_stream && e != http::error::partial_message) {
      keep_alive_ = false;
      respond(to_response(problem{400, "malformed-request", e.message()}));
    } else if (e)
      close();
    else
      on_request(parser_->get());
  }

  static std::string_view field(const request_type& q, std::string_view name) {
    auto x = q[boost::string_view{name.data(), name.size()}];
    return {x.data(), x.size()};
  }

  std::optional<problem> refusal(const request_type& q, std::string_view target) const {
    if (q.count(http::field::host) > 1)
      return problem{400, "malformed-request", "more than one Host header"};
    if (auto foreign = refuse_foreign({field(q, "Host"), field(q, "Origin"), field(q, "Sec-Fetch-Site")}, server_.port))
      return foreign;
    if (!server_.api->is_open(target) && !server_.token.accepts(field(q, "Authorization")))
      return problem{401, "unauthorised", "a bearer token is required: the content of the node's token file"};
    return std::nullopt;
  }

  void on_request(const request_type& q) {
    keep_alive_ = q.keep_alive() && ++served_ < most_requests;
    auto target = std::string{q.target().data(), q.target().size()};
    if (auto why = refusal(q, target)) {
      respond(to_response(*why));
      return;
    }
    api_request r;
    r.method = std::string{q.method_string().data(), q.method_string().size()};
    r.target = target;
    r.body = q.body();
    r.content_type = std::string{field(q, "Content-Type")};
    r.idempotency_key = std::string{field(q, "Idempotency-Key")};
    if (r.idempotency_key.size() > 128) {
      respond(to_response(problem{400, "bad-request", "an Idempotency-Key may have 128 characters"}));
      return;
    }
    r.event_stream = r.method == "GET" && target.substr(0, target.find('?')) == "/v1/events"
                     && field(q, "Accept").find("text/event-stream") != std::string_view::npos;
    if (!r.event_stream) {
      ask(std::move(r), [](session& s, api_response x) { s.respond(std::move(x)); });
      return;
    }
    if (server_.streams >= most_streams) {
      respond(to_response(problem{503, "too-many-streams", "this node serves 16 event streams at once"}));
      return;
    }
    streaming_ = true;
    ++server_.streams;
    follow_ = without_position(target);
    if (auto last = field(q, "Last-Event-ID"); !last.empty())
      r.target = follow_ + "after=" + std::string{last};
    ask(std::move(r), [](session& s, api_response x) { s.begin_stream(std::move(x)); });
  }

  void ask(api_request r, void (*then)(session&, api_response)) {
    server_.api->handle(std::move(r), [me = weak_from_this(), life = life_, then](api_response x) {
      auto server = life.lock();
      if (!server)
        return;
      asio::post(server->io, [me, then, x = std::move(x)]() mutable {
        if (auto self = me.lock())
          then(*self, std::move(x));
      });
    });
  }

  void respond(api_response x) {
    server_.api->counters().count(x.status);
    response_.emplace(static_cast<http::status>(x.status), 11);
    response_->set(http::field::content_type, x.content_type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : x.headers)
      response_->set(name, value);
    if (!x.allow.empty())
      response_->set(http::field::allow, x.allow);
    if (x.status == 401)
      response_->set(http::field::www_authenticate, "Bearer");
    response_->keep_alive(keep_alive_);
    response_->body() = std::move(x.body);
    response_->prepare_payload();
    stream_.expires_after(write_limit);
    http::async_write(stream_, *response_, [self = shared_from_this()](beast::error_code e, size_t) {
      if (e || !self->keep_alive_)
        self->close();
      else
        self->read();
    });
  }

  // --- event streams ---

  // The target without its position, ready to have one put behind it.
  static std::string without_position(const std::string& target) {
    auto question = target.find('?');
    std::string out = target.substr(0, question) + "?";
    if (question == std::string::npos)
      return out;
    std::string_view rest{target};
    rest.remove_prefix(question + 1);
    while (!rest.empty()) {
      auto end = rest.find('&');
      auto pair = rest.substr(0, end);
      if (!pair.starts_with("after=") && !pair.starts_with("limit="))
        out.append(pair).append("&");
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return out;
  }

  void begin_stream(api_response x) {
    if (x.status != 200) {
      streaming_ = false;
      --server_.streams;
      respond(std::move(x));
      return;
    }
    server_.api->counters().count(200);
    watch();
    last_event_ = x.last_event;
    write_stream("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                 "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n: kevolve\n\n"
                 + x.body);
  }

  // Notices that the reader has gone, which writing would only learn at the second try.
  void watch() {
    stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](beast::error_code e) {
      beast::error_code failed;
      if (e || self->stream_.socket().available(failed) == 0)
        self->close();
    });
  }

  void write_stream(std::string text) {
    outgoing_ = std::move(text);
    last_written_ = std::chrono::steady_clock::now();
    stream_.expires_after(write_limit); // a reader that stalls is cut
    asio::async_write(stream_, asio::buffer(outgoing_), [self = shared_from_this()](beast::error_code e, size_t) {
      if (e)
        self->close();
      else
        self->wait();
    });
  }

  void wait() {
    timer_.expires_after(look_every);
    timer_.async_wait([self = shared_from_this()](beast::error_code e) {
      if (!e)
        self->look();
    });
  }

  void look() {
    api_request r;
    r.method = "GET";
    r.target = follow_ + "after=" + std::to_string(last_event_);
    r.event_stream = true;
    ask(std::move(r), [](session& s, api_response x) { s.seen(std::move(x)); });
  }

  void seen(api_response x) {
    if (x.status == 200)
      last_event_ = x.last_event;
    auto silent = std::chrono::steady_clock::now() - last_written_;
    if (x.status == 200 && !x.body.empty())
      write_stream(std::move(x.body));
    else if (silent > stream_idle) // also while the journal restarts
      write_stream(": alive\n\n");
    else
      wait();
  }

  server_state& server_;
  std::weak_ptr<server_state> life_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> reading_since_;
  bool keep_alive_ = true;
  unsigned served_ = 0;
  bool streaming_ = false;
  std::string follow_;
  uint64_t last_event_ = 0;
  std::string outgoing_;
  std::chrono::steady_clock::time_point last_written_;
};

class listener : public http_listener {
public:
  listener(std::shared_ptr<server_state> state, tcp::acceptor acceptor, listen_address at)
      : state_(std::move(state)), acceptor_(std::move(acceptor)), retry_(state_->io), at_(std::move(at)) {}

  ~listener() override {
    state_->io.stop();
    if (thread_.joinable())
      thread_.join();
    state_->sessions.clear();
  }

  void run() {
    accept();
    thread_ = std::thread{[this] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      for (;;)
        try {
          state_->io.run();
          return;
        } catch (const std::exception& e) { // one connection's trouble
          log::error("admin", "{}", e.what());
        }
    }};
  }

  listen_address address() const override { return at_; }

private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code e, tcp::socket socket) {
      if (e == asio::error::operation_aborted)
        return;
      if (e) { // out of descriptors: try again when some may be free
        retry_.expires_after(100ms);
        retry_.async_wait([this](beast::error_code cancelled) {
          if (!cancelled)
            accept();
        });
        return;
      }
      if (state_->sessions.size() >= most_connections)
        drop_oldest_reader();
      if (state_->sessions.size() < most_connections) {
        beast::error_code ignored;
        socket.set_option(tcp::no_delay{true}, ignored);
        auto s = std::make_shared<session>(std::move(socket), *state_, state_);
        state_->sessions.insert(s);
        s->read();
      } // else the socket closes here
      accept();
    });
  }

  // Clients that hold connections and ask nothing make room for one that may.
  void drop_oldest_reader() {
    std::shared_ptr<session> oldest;
    for (const auto& s : state_->sessions)
      if (s->reading_since() && (!oldest || *s->reading_since() < *oldest->reading_since()))
        oldest = s;
    if (oldest)
      oldest->close();
  }

  std::shared_ptr<server_state> state_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  listen_address at_;
  std::thread thread_;
};

} // namespace

result<std::unique_ptr<http_listener>> http_listener::start(listen_address at, std::unique_ptr<admin_api> api,
                                                            token_check token) {
  auto state = std::make_shared<server_state>(std::move(api), std::move(token));
  tcp::acceptor acceptor{state->io};
  beast::error_code e;
  tcp::endpoint where{asio::ip::make_address(at.host), at.port};
  acceptor.open(where.protocol(), e);
  if (!e)
    acceptor.set_option(tcp::acceptor::reuse_address{true}, e);
  if (!e)
    acceptor.bind(where, e);
  if (!e)
    acceptor.listen(tcp::acceptor::max_listen_connections, e);
  if (e)
    return fail(e == asio::error::address_in_use ? errc::conflict : errc::io,
                "cannot listen on " + url_of(at) + ": " + e.message());
  at.port = acceptor.local_endpoint().port();
  state->port = at.port;
  auto out = std::make_unique<listener>(std::move(state), std::move(acceptor), at);
  out->run();
  return std::unique_ptr<http_listener>{std::move(out)};
}

} // namespace kevolve
