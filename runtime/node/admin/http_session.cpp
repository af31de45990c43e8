#include "runtime/node/admin/http_session.hpp"

#include "runtime/base/log.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace kevolve {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;

constexpr size_t most_key = 128;
constexpr size_t read_bytes = 4'096; // read at once from an idle connection

std::string_view field(const http::request<http::string_body>& q, std::string_view name) {
  auto x = q[boost::string_view{name.data(), name.size()}];
  return {x.data(), x.size()};
}

// Headers that must not occur twice, because two readers could each believe another one.
constexpr std::array<std::string_view, 7> single_headers{
    "Host", "Origin", "Sec-Fetch-Site", "Authorization", "Idempotency-Key", "Expect", "Transfer-Encoding"};

bool is_word(std::string_view text, std::string_view word) {
  return boost::beast::iequals({text.data(), text.size()}, {word.data(), word.size()});
}

size_t count_headers(const http::request<http::string_body>& q) {
  return static_cast<size_t>(std::distance(q.begin(), q.end()));
}

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace

session::session(wire::tcp::socket socket, std::string peer, server_state& server, std::weak_ptr<server_state> life)
    : server_(server), life_(std::move(life)), tls_(server.tls), peer_(std::move(peer)),
      wire_(std::move(socket), tls_.get()), timer_(server.io) {}

session::~session() {
  if (streaming_)
    --server_.streams;
}

void session::begin() {
  if (!wire_.secure()) {
    read();
    return;
  }
  reading_since_ = clock::now();
  wire_.expires_after(server_.limits.header);
  wire_.async_handshake([self = shared_from_this()](error_code e) {
    if (e)
      self->drop(connection_drop::handshake);
    else
      self->read();
  });
}

void session::close() {
  error_code ignored;
  wire_.socket().shutdown(wire::tcp::socket::shutdown_both, ignored);
  wire_.close();
  timer_.cancel();
  server_.leave(shared_from_this());
}

void session::drop(connection_drop why) {
  if (std::exchange(dropped_, true)) // closing fails the pending read, which ends here again
    return;
  server_.api->counters().dropped(why);
  log::debug("admin", "connection from {} closed: {}", peer_, connection_drop_names[static_cast<size_t>(why)]);
  close();
}

void session::read() {
  reading_since_ = clock::now();
  parser_.emplace();
  parser_->header_limit(server_.limits.header_bytes);
  parser_->body_limit(server_.limits.campaign_bytes); // most_body() takes its place once the path is known
  // The parser's limits leave out chunk extensions and trailers: it only needs each to fit into the buffer. A fast
  // sender never meets a timer, so their total size is counted.
  beside_chunks_ = 0;
  parser_->on_chunk_header(on_chunk_);
  buffer_.max_size(std::max<size_t>(server_.limits.header_bytes, read_bytes));
  // The timer of an untrusted connection runs from the start, so that sending single bytes does not extend it.
  if (!trusted_ || buffer_.size() > 0) {
    read_header();
    return;
  }
  wire_.expires_after(server_.limits.idle);
  wire_.async_read_some(buffer_.prepare(read_bytes), [self = shared_from_this()](error_code e, size_t n) {
    self->buffer_.commit(n);
    if (e)
      self->close();
    else
      self->read_header();
  });
}

void session::read_header() {
  // A header that arrived whole is parsed at once, without another read.
  if (error_code e; buffer_.size() > 0) {
    buffer_.consume(parser_->put(buffer_.data(), e));
    if (e != http::error::need_more) {
      on_header(e);
      return;
    }
  }
  wire_.expires_after(server_.limits.header);
  http::async_read_header(wire_, buffer_, *parser_,
                          [self = shared_from_this()](error_code e, size_t) { self->on_header(e); });
}

void session::on_header(error_code e) {
  if (e) {
    on_read_error(e);
    return;
  }
  asked_at_ = clock::now();
  request_id_ = server_.run + "-" + std::to_string(++server_.requests);
  const auto& q = parser_->get();
  keep_alive_ = q.keep_alive() && ++served_ < server_.limits.requests;
  auto target = std::string_view{q.target().data(), q.target().size()};
  knows_path_ = true;
  parser_->body_limit(most_body());
  if (const auto length = parser_->content_length(); length && *length > most_body()) {
    on_read_error(http::error::body_limit);
    return;
  }
  if (auto why = refusal(q, target)) {
    keep_alive_ = keep_alive_ && parser_->is_done(); // the body is not read
    refuse(*why);
    return;
  }
  if (parser_->is_done()) {
    on_request();
    return;
  }
  headers_ = count_headers(q);
  wire_.expires_after(server_.limits.body);
  if (is_word(field(q, "Expect"), "100-continue") && q.version() == 11)
    asio::async_write(wire_, asio::buffer(go_on), [self = shared_from_this()](error_code e2, size_t) {
      if (e2)
        self->close();
      else
        self->read_body();
    });
  else
    read_body();
}

void session::read_body() {
  http::async_read(wire_, buffer_, *parser_, [self = shared_from_this()](error_code e, size_t) { self->on_body(e); });
}

void session::on_body(error_code e) {
  if (e) {
    on_read_error(e);
    return;
  }
  // A trailer has passed none of the checks of a header.
  if (count_headers(parser_->get()) != headers_) {
    keep_alive_ = false;
    refuse(problem{400, "malformed-request", "no trailer is taken: headers go before the body"});
    return;
  }
  on_request();
}

void session::on_read_error(error_code e) {
  auto answerable = [&](const problem& why) {
    if (!parser_->is_header_done()) { // nothing is known of this request
      asked_at_ = clock::now();
      knows_path_ = false;
      request_id_ = server_.run + "-" + std::to_string(++server_.requests);
    }
    keep_alive_ = false;
    refuse(why);
  };
  if (e == http::error::header_limit)
    answerable({431, "header-too-large",
                "the header may have " + std::to_string(server_.limits.header_bytes >> 10U) + " KiB"});
  else if (e == http::error::buffer_overflow)
    answerable({431, "header-too-large",
                "the extensions of a chunk and the trailers may have "
                    + std::to_string(server_.limits.header_bytes >> 10U) + " KiB"});
  else if (e == http::error::body_limit)
    answerable({413, "body-too-large", "the body may have " + std::to_string(most_body() >> 10U) + " KiB"});
  else if (e == boost::beast::error::timeout || e == http::error::end_of_stream || e == asio::error::eof
           || e == http::error::partial_message
           || e.category() != http::make_error_code(http::error::bad_method).category())
    drop(connection_drop::silent);
  else
    answerable({400, "malformed-request", e.message()});
}

uint64_t session::most_body() const {
  const auto& q = parser_->get();
  const bool submits = q.method() == http::verb::post && q.target() == "/v1/campaigns";
  return submits ? server_.limits.campaign_bytes : server_.limits.body_bytes;
}

std::optional<problem> session::refusal(const request_type& q, std::string_view target) {
  // A body of unknown length would be read as the next request.
  if (q.count("Transfer-Encoding") > 0 && (q.version() < 11 || !is_word(field(q, "Transfer-Encoding"), "chunked"))) {
    keep_alive_ = false;
    return problem{501, "not-implemented", "the only Transfer-Encoding taken is chunked, and none before 1.1"};
  }
  for (auto name : single_headers)
    if (q.count(boost::string_view{name.data(), name.size()}) > 1)
      return problem{400, "malformed-request", "more than one " + std::string{name} + " header"};
  if (auto foreign = refuse_foreign({field(q, "Host"), field(q, "Origin"), field(q, "Sec-Fetch-Site")}, server_.names))
    return foreign;
  if (auto leaked = refuse_token_in_url(target, server_.token))
    return leaked;
  if (server_.token.accepts(field(q, "Authorization")))
    trusted_ = true;
  else if (!server_.api->is_open(target))
    return refuse_stranger(field(q, "Authorization"));
  // Checked before a shared answer could be sent without looking at the body. Requests without a token only read.
  if (!parser_->is_done() && (!trusted_ || q.method() == http::verb::get || q.method() == http::verb::head))
    return problem{400, "bad-request", "this path takes no body"};
  if (field(q, "Idempotency-Key").size() > most_key)
    return problem{400, "bad-request", "an Idempotency-Key may have " + std::to_string(most_key) + " characters"};
  return std::nullopt;
}

// Logs an error once, without the query and the headers, which may hold secrets.
void session::tell(const api_response& x) const {
  if (x.status < 400 || x.problem == "not-ready")
    return;
  const auto& q = parser_->get();
  auto method = std::string{q.method_string().data(), q.method_string().size()};
  const auto target = std::string_view{q.target().data(), q.target().size()};
  const auto path = knows_path_ ? loggable_path(target, server_.token) : std::string{};
  log::scope ids{{.request = request_id_}};
  log::warn("admin", "{} {} {} from {}: {} {}", x.status < 500 ? "refused" : "failed",
            method.empty() || method.size() > 16 ? "?" : method, path.empty() ? "?" : path, peer_, x.status, x.problem);
}

void session::refuse(const problem& why) {
  respond(to_response(why));
}

void session::on_request() {
  auto& q = parser_->get();
  api_request r;
  const bool head = q.method() == http::verb::head; // handled like GET; respond() leaves the body out
  r.method = head ? "GET" : std::string{q.method_string().data(), q.method_string().size()};
  r.target = std::string{q.target().data(), q.target().size()};
  r.body = std::move(q.body());
  r.content_type = std::string{field(q, "Content-Type")};
  r.idempotency_key = std::string{field(q, "Idempotency-Key")};
  r.id = request_id_;
  r.who = trusted_ ? "token:" + server_.token.fingerprint() : "nobody";
  r.peer = peer_;
  r.event_stream = q.method() == http::verb::get && r.target.substr(0, r.target.find('?')) == "/v1/events"
                   && field(q, "Accept").find("text/event-stream") != std::string_view::npos;
  if (r.event_stream)
    follow(std::move(r), field(q, "Last-Event-ID"));
  else
    ask(std::move(r), [](session& s, api_response x) { s.respond(std::move(x)); });
}

void session::ask(api_request r, void (*then)(session&, api_response)) {
  reading_since_.reset();
  const auto number = ++asked_;
  const auto answered = [me = weak_from_this(), number, then](api_response x) {
    auto self = me.lock();
    if (!self || self->asked_ != number)
      return;
    ++self->asked_;
    self->timer_.cancel();
    then(*self, std::move(x));
  };
  const bool reading = r.method == "GET";
  server_.api->handle(std::move(r), [life = life_, answered](api_response x) {
    if (auto server = life.lock())
      asio::dispatch(server->io, [answered, x = std::move(x)]() mutable { answered(std::move(x)); });
  });
  if (!reading || asked_ != number)
    return;
  timer_.expires_after(server_.limits.answer);
  timer_.async_wait([answered](error_code e) {
    if (!e)
      answered(to_response(problem{504, "timed-out", "the node did not answer in time"}));
  });
}

void session::respond(api_response x) {
  reading_since_.reset();
  tell(x);
  server_.api->counters().count(x.route, x.status, clock::now() - asked_at_);
  response_.emplace(static_cast<http::status>(x.status), 11);
  response_->set(http::field::content_type, x.content_type);
  response_->set(http::field::cache_control, "no-store");
  response_->set("X-Content-Type-Options", "nosniff");
  if (!request_id_.empty())
    response_->set("X-Request-Id", request_id_);
  if (!x.allow.empty())
    response_->set(http::field::allow, x.allow);
  if (x.status == 401)
    response_->set(http::field::www_authenticate, "Bearer");
  for (const auto& [name, value] : x.headers)
    response_->set(name, value);
  response_->keep_alive(keep_alive_);
  response_->body() = std::move(x.body);
  response_->prepare_payload();
  if (parser_->is_header_done() && parser_->get().method() == http::verb::head)
    response_->body().clear(); // only its length is sent
  wire_.expires_after(server_.limits.write);
  http::async_write(wire_, *response_, [self = shared_from_this()](error_code e, size_t) {
    if (e)
      self->close();
    else if (!self->keep_alive_)
      self->finish();
    else
      self->read();
  });
}

void session::finish() {
  if (!wire_.secure()) {
    close();
    return;
  }
  wire_.expires_after(1s);
  wire_.async_shutdown([self = shared_from_this()](error_code) { self->close(); });
}

} // namespace kevolve
