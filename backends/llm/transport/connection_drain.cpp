#include "backends/llm/transport/connection_drain.hpp"

#include <algorithm>
#include <chrono>

namespace kevolve {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::chrono::milliseconds patience{500};

} // namespace

void connection_drain::start() {
  timer_.expires_after(patience);
  timer_.async_wait([weak = weak_from_this()](error_code e) {
    if (const auto self = weak.lock(); self && !e)
      self->one_->close();
  });
  parse();
}

void connection_drain::parse() {
  auto& buffer = one_->buffer();
  error_code e;
  while (buffer.size() > 0 && !parser_->is_done() && (!e || e == http::error::need_buffer)) {
    auto& body = parser_->get().body();
    body.data = core_.piece.data();
    body.size = core_.piece.size();
    buffer.consume(parser_->put(buffer.data(), e));
  }
  if (parser_->is_done() && buffer.size() == 0) {
    timer_.cancel();
    core_.pool.give(std::move(one_));
    core_.publish();
  } else if (parser_->is_done() || (e && e != http::error::need_buffer && e != http::error::need_more)) {
    one_->close();
  } else {
    read();
  }
}

void connection_drain::read() {
  if (left_ == 0 || one_->buffer().max_size() - one_->buffer().size() < read_bytes) {
    one_->close();
    return;
  }
  one_->async_read_some(one_->buffer().prepare(std::min(left_, read_bytes)),
                        [self = shared_from_this()](error_code e, size_t n) {
                          self->one_->buffer().commit(n);
                          self->left_ -= n;
                          if (e)
                            self->one_->close();
                          else
                            self->parse();
                        });
}

} // namespace kevolve
