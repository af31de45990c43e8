// The part of a session that is an event stream.
#include "runtime/base/url.hpp"
#include "runtime/node/admin/http_session.hpp"

#include <boost/asio/write.hpp>

#include <charconv>
#include <cstdint>

namespace kevolve {

namespace {

using namespace std::chrono_literals;

constexpr auto look_every = 200ms; // interval between reads of the journal

// Returns the target without its position, ready for a new one to be appended.
std::string without_position(const std::string& target) {
  auto question = target.find('?');
  std::string out = target.substr(0, question) + "?";
  if (question == std::string::npos)
    return out;
  std::string_view rest{target};
  rest.remove_prefix(question + 1);
  while (!rest.empty()) {
    auto end = rest.find('&');
    auto pair = rest.substr(0, end);
    // Names are decoded as in the router. A name that cannot be decoded stays, so that the router refuses it.
    const auto name = percent_decode(pair.substr(0, pair.find('=')), true);
    if (name != "after" && name != "limit")
      out.append(pair).append("&");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return out;
}

// Returns true for the id of an event that another event can follow.
bool is_event_id(std::string_view text) {
  uint64_t x = 0;
  const auto* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, x);
  return error == std::errc{} && at == end && x < UINT64_MAX;
}

} // namespace

void session::follow(api_request r, std::string_view last_event) {
  if (!last_event.empty() && !is_event_id(last_event)) {
    refuse(problem{400, "bad-request", "Last-Event-ID must be the id of an event: a whole number below 2^64 - 1"});
    return;
  }
  if (server_.streams >= server_.limits.streams) {
    refuse(problem{503, "too-many-streams",
                   "this node serves " + std::to_string(server_.limits.streams) + " event streams at once"});
    return;
  }
  streaming_ = true;
  ++server_.streams;
  follow_ = without_position(r.target);
  if (!last_event.empty())
    r.target = follow_ + "after=" + std::string{last_event};
  ask(std::move(r), [](session& s, api_response x) { s.begin_stream(std::move(x)); });
}

void session::begin_stream(api_response x) {
  if (x.status != 200) {
    streaming_ = false;
    --server_.streams;
    respond(std::move(x));
    return;
  }
  server_.api->counters().count(x.route, 200, clock::now() - asked_at_);
  watch();
  last_event_ = x.last_event;
  write_stream("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
               "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n: kevolve\n\n"
               + x.body);
}

// Notices that the reader has disconnected, which a write would only find out at the second try. With TLS a reader
// sends bytes when it disconnects, and none otherwise.
void session::watch() {
  wire_.socket().async_wait(wire::tcp::socket::wait_read, [self = shared_from_this()](error_code e) {
    error_code failed;
    if (e || self->wire_.secure() || self->wire_.socket().available(failed) == 0)
      self->close();
  });
}

void session::write_stream(std::string text) {
  outgoing_ = std::move(text);
  last_written_ = clock::now();
  wire_.expires_after(server_.limits.write); // a reader that stalls is cut off
  boost::asio::async_write(wire_, boost::asio::buffer(outgoing_), [self = shared_from_this()](error_code e, size_t) {
    if (e)
      self->close();
    else
      self->wait();
  });
}

void session::wait() {
  timer_.expires_after(look_every);
  timer_.async_wait([self = shared_from_this()](error_code e) {
    if (!e)
      self->look();
  });
}

void session::look() {
  api_request r;
  r.method = "GET";
  r.target = follow_ + "after=" + std::to_string(last_event_);
  r.event_stream = true;
  // The campaign existed when the stream began. A stream that has been silent for longer than `alive` checks it again.
  r.followed = clock::now() - last_written_ <= server_.limits.alive;
  ask(std::move(r), [](session& s, api_response x) { s.seen(std::move(x)); });
}

void session::seen(api_response x) {
  if (x.status >= 400 && x.status < 500) { // a retry cannot help: the campaign is gone, or its digits name two
    end_stream(x);
    return;
  }
  if (x.status == 200)
    last_event_ = x.last_event;
  auto silent = clock::now() - last_written_;
  if (x.status == 200 && !x.body.empty())
    write_stream(std::move(x.body));
  else if (silent > server_.limits.alive) // also while the journal restarts
    write_stream(": alive\n\n");
  else
    wait();
}

// Tells the reader the reason; a new request gets the same answer.
void session::end_stream(const api_response& why) {
  tell(why);
  outgoing_ = "event: error\ndata: " + why.body + "\n\n";
  wire_.expires_after(server_.limits.write);
  boost::asio::async_write(wire_, boost::asio::buffer(outgoing_),
                           [self = shared_from_this()](error_code, size_t) { self->finish(); });
}

} // namespace kevolve
