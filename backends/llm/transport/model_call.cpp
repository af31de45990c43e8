#include "backends/llm/transport/model_call.hpp"

#include "backends/llm/transport/connection_drain.hpp"
#include "runtime/base/log.hpp"

#include <boost/asio/write.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kevolve {

namespace {

namespace asio = boost::asio;
using llm::error_origin;
using llm::transport_trouble;

std::string within(llm::milliseconds limit) {
  return " within " + std::to_string(limit.count()) + " ms";
}

// The names and values come from request_headers and parse_url and contain no line ends.
std::string request_head(const provider_route& way, const llm::header_list& headers, size_t body_bytes) {
  auto out = "POST " + way.target + " HTTP/1.1\r\nhost: " + way.authority() + "\r\n";
  for (const auto& [name, value] : headers)
    out += name + ": " + value + "\r\n";
  if (llm::find_header(headers, "accept-encoding") == nullptr)
    out += "accept-encoding: identity\r\n";
  return out + "content-length: " + std::to_string(body_bytes) + "\r\n\r\n";
}

} // namespace

model_call::model_call(transport_core& core, uint64_t id, attempt a, provider_route way,
                       const llm::header_list& headers, model_transport::on_events events, model_transport::on_end end)
    : core_(core), id_(id), attempt_(std::move(a)), way_(std::move(way)),
      head_(request_head(way_, headers, attempt_.body->size())), events_(std::move(events)), end_(std::move(end)),
      guard_(secret_guard::make(attempt_, way_)),
      answer_(attempt_.provider.wire, attempt_.stream, attempt_.limits, attempt_.keep_body), timer_(core.io) {}

model_call::~model_call() {
  OPENSSL_cleanse(head_.data(), head_.size());
}

llm::instant model_call::instant_of(clock::time_point t) {
  return llm::instant{std::chrono::floor<llm::milliseconds>(t.time_since_epoch())};
}

microseconds model_call::since_start() const {
  return std::chrono::duration_cast<microseconds>(clock::now() - started_);
}

void model_call::begin() {
  started_ = phase_began_ = clock::now();
  dog_ = llm::watch(instant_of(started_));
  one_ = attempt_.fresh ? nullptr : core_.pool.take(way_.origin());
  result_.reused = one_ != nullptr;
  if (one_)
    ask();
  else
    connect();
  watch();
  core_.publish();
}

void model_call::connect() {
  phase_ = phase::connecting;
  phase_began_ = clock::now();
  connecting_ = std::make_shared<connector>(core_, way_, attempt_.limits.header_bytes + read_bytes);
  connecting_->start([weak = weak_from_this()](connection_ptr c, connect_trouble trouble) {
    const auto self = weak.lock();
    if (!self)
      return;
    self->connecting_.reset();
    self->one_ = std::move(c);
    if (self->one_)
      self->ask();
    else
      self->give_up(trouble.what, trouble.detail);
    self->watch_again();
  });
}

void model_call::ask() {
  phase_ = phase::asking;
  phase_began_ = clock::now();
  if (!result_.times.connected)
    result_.times.connected = since_start();
  heard_ = 0;
  parser_ = std::make_shared<parser_type>();
  parser_->header_limit(static_cast<uint32_t>(attempt_.limits.header_bytes));
  parser_->body_limit(attempt_.limits.body_bytes);
  writing_ = true;
  const std::array<asio::const_buffer, 2> all{asio::buffer(head_), asio::buffer(*attempt_.body)};
  asio::async_write(*one_, all, [self = shared_from_this(), c = one_](error_code e, size_t n) {
    self->result_.bytes_out += n;
    // The concurrent read reports a failed write: servers that refuse early answer first, then close.
    if (!e && c == self->one_)
      self->writing_ = false;
    self->result_.times.own_cpu += self->core_.lap();
  });
  read();
}

void model_call::read() {
  auto& buffer = one_->buffer();
  if (buffer.max_size() - buffer.size() < read_bytes) {
    tell(answer_.broken(error_origin::too_large, "a line of the answer's framing is larger than our limits"));
    finish({}, {});
    return;
  }
  one_->async_read_some(buffer.prepare(read_bytes), [self = shared_from_this(), c = one_](error_code e, size_t n) {
    if (c == self->one_)
      self->on_read(e, n);
  });
}

void model_call::on_read(error_code e, size_t n) {
  one_->buffer().commit(n);
  if (!e)
    n += one_->read_more(read_bytes - std::min(n, read_bytes));
  result_.bytes_in += n;
  heard_ += n;
  core_.most_buffer_bytes = std::max(core_.most_buffer_bytes, one_->buffer().capacity() + answer_.held_bytes());
  if (n > 0 && phase_ == phase::asking) {
    phase_ = phase::answering;
    result_.times.first_byte = since_start();
  }
  if (e)
    lost(e);
  else
    parse();
  watch_again();
  core_.publish();
  result_.times.own_cpu += core_.lap();
}

// Called when the connection has ended, regularly or not.
void model_call::lost(const error_code& e) {
  if (phase_ == phase::asking && result_.reused && heard_ == 0 && !result_.resent) {
    result_.resent = true;
    one_->close();
    one_.reset();
    connect();
    return;
  }
  error_code unfinished;
  if (e == asio::error::eof && parser_->got_some()) {
    parser_->put_eof(unfinished);
    if (!unfinished) {
      tell(answer_.end());
      finish({}, {});
      return;
    }
  }
  const std::string where = heard_ == 0                  ? "before the answer"
                            : !parser_->is_header_done() ? "within the answer's header"
                                                         : "within the answer's body";
  const auto detail = "the connection ended " + where + ": " + e.message();
  if (answer_.begun() && (answer_.streams() || answer_.is_error())) {
    tell(answer_.broken(error_origin::cut, detail));
    finish({}, {});
  } else {
    give_up(transport_trouble::reset, detail);
  }
}

model_call::clock::time_point model_call::due() const {
  const auto& limits = attempt_.limits;
  const clock::time_point total{(dog_.started + limits.content.total).time_since_epoch()};
  if (paused_)
    return total;
  auto out = total;
  if (phase_ == phase::connecting || answer_.is_error())
    out = std::min(out, phase_began_ + limits.connect);
  if (phase_ == phase::asking)
    out = std::min(out, phase_began_ + limits.first_byte);
  if (phase_ != phase::connecting && answer_.streams())
    out = std::min(out, clock::time_point{llm::deadline(dog_, limits.content).time_since_epoch()});
  return out;
}

// Arms the timer for the first moment at which something may be due. Events that postpone this leave the timer alone;
// it checks again when it fires. Events that bring it forward call watch_again().
void model_call::watch() {
  armed_ = due();
  timer_.expires_at(armed_);
  timer_.async_wait([weak = weak_from_this()](error_code e) {
    if (const auto self = weak.lock(); self && !e)
      self->on_time();
  });
}

void model_call::watch_again() {
  if (phase_ != phase::ended && due() < armed_)
    watch();
}

void model_call::on_time() {
  const auto now = clock::now();
  const auto& limits = attempt_.limits;
  if (phase_ == phase::ended)
    return;
  if (now < due()) {
    watch();
  } else if (instant_of(now) >= dog_.started + limits.content.total) {
    give_up(transport_trouble::timed_out, "not done" + within(limits.content.total));
  } else if (phase_ == phase::connecting) {
    give_up(transport_trouble::unreachable, "not connected" + within(limits.connect));
  } else if (answer_.is_error()) {
    finish({}, {}); // the status is sufficient
  } else if (phase_ == phase::asking && now >= phase_began_ + limits.first_byte) {
    give_up(transport_trouble::timed_out, "not a byte of an answer" + within(limits.first_byte));
  } else {
    give_up(transport_trouble::stalled, dog_.any ? "silent after content for" + within(limits.content.between).substr(7)
                                                 : "no content" + within(limits.content.first_content));
  }
  core_.publish();
}

void model_call::cancel() {
  if (phase_ == phase::ended)
    return;
  answer_.broken(error_origin::cut, "cancelled");
  finish({}, {}, true);
}

void model_call::give_up(transport_trouble what, std::string detail) {
  tell(answer_.broken(error_origin::cut, detail));
  finish(what, detail);
}

// Keeps a connection in good order for the next attempt, after refusals as well as answers.
void model_call::leave_connection() {
  if (!one_)
    return;
  auto c = std::exchange(one_, nullptr);
  // After a 101, the connection uses another protocol.
  const bool serves = !writing_ && result_.status >= 200 && parser_->is_header_done() && parser_->keep_alive();
  if (serves && parser_->is_done() && c->buffer().size() == 0)
    core_.pool.give(std::move(c));
  else if (serves && !parser_->is_done() && result_.outcome == attempt_outcome::answered)
    std::make_shared<connection_drain>(core_, std::move(c), std::move(parser_))->start();
  else
    c->close();
}

void model_call::finish(std::optional<transport_trouble> trouble, const std::string& detail, bool cancelled) {
  if (phase_ == phase::ended)
    return;
  phase_ = phase::ended;
  const auto self = shared_from_this();
  timer_.cancel();
  if (connecting_)
    connecting_->stop();
  result_.trouble = trouble;
  std::move(answer_).conclude(result_, detail, core_.wall_now());
  if (cancelled) {
    result_.outcome = attempt_outcome::cancelled;
    result_.remedy.reset();
  }
  leave_connection();
  core_.calls.erase(id_);
  guard_.clean(result_);
  result_.times.total = since_start();
  result_.times.own_cpu += core_.lap();
  core_.publish();
  events_ = nullptr;
  log::debug("models", "{}: {}", attempt_.provider.name, describe(result_));
  if (auto end = std::exchange(end_, nullptr))
    end(std::move(result_));
}

} // namespace kevolve
