// Reads an attempt's answer: from the connection's buffer through the HTTP parser to events for the caller.
#include "backends/llm/transport/model_call.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kevolve {

namespace {

namespace http = boost::beast::http;
using llm::error_origin;

constexpr unsigned most_provisional = 8;

} // namespace

void model_call::parse() {
  std::vector<llm::event> events;
  while (parse_some(events)) {
  }
  if (parser_->is_done() && !answer_.over()) {
    auto last = answer_.end();
    events.insert(events.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  }
  const bool over = answer_.over() || parser_->is_done();
  tell(std::move(events));
  if (phase_ == phase::ended)
    return;
  if (over)
    finish({}, {});
  else if (!paused_)
    read();
}

bool model_call::parse_some(std::vector<llm::event>& out) {
  auto& buffer = one_->buffer();
  if (buffer.size() == 0 || parser_->is_done() || answer_.over())
    return false;
  const auto parser = parser_; // a provisional answer replaces parser_
  const bool in_body = parser->is_header_done();
  auto& body = parser->get().body();
  body.data = core_.piece.data();
  body.size = core_.piece.size();
  error_code e;
  const auto used = parser->put(buffer.data(), e);
  buffer.consume(used);
  if (!in_body && parser->is_header_done())
    take_header(out);
  if (answer_.over())
    return false;
  if (const auto got = core_.piece.size() - body.size; got > 0 && in_body) {
    auto made = answer_.feed({core_.piece.data(), got});
    out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }
  if (e == http::error::need_more)
    return false;
  if (e && e != http::error::need_buffer) {
    const bool large = e == http::error::header_limit || e == http::error::body_limit;
    auto made = answer_.broken(large ? error_origin::too_large : error_origin::malformed,
                               "the answer's HTTP cannot be read: " + e.message());
    out.insert(out.end(), std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
    return false;
  }
  return true;
}

void model_call::take_header(std::vector<llm::event>& out) {
  const auto& header = parser_->get();
  const auto status = static_cast<int>(header.result_int());
  if (status >= 100 && status < 200 && status != 101 && ++provisional_ <= most_provisional) {
    parser_ = std::make_shared<parser_type>();
    parser_->header_limit(static_cast<uint32_t>(attempt_.limits.header_bytes));
    parser_->body_limit(attempt_.limits.body_bytes);
    return;
  }
  llm::header_list headers;
  for (const auto& field : header.base())
    headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
  phase_began_ = clock::now();
  out = answer_.header(status, std::move(headers));
}

void model_call::tell(std::vector<llm::event> events) {
  if (std::any_of(events.begin(), events.end(), llm::is_content)) {
    llm::saw_content(dog_, instant_of(clock::now()));
    if (!result_.times.first_content)
      result_.times.first_content = since_start();
  }
  if (!events_)
    return;
  events = guard_.clean(std::move(events));
  if (events.empty())
    return;
  paused_ = ++untaken_ >= attempt_.limits.unread_batches;
  events_(std::move(events));
}

void model_call::took(size_t batches) {
  untaken_ -= std::min(untaken_, batches);
  if (!paused_ || untaken_ >= attempt_.limits.unread_batches)
    return;
  paused_ = false;
  // The pause was ours, so it does not count as the provider's silence.
  llm::saw_content(dog_, instant_of(clock::now()));
  parse();
  watch_again();
}

} // namespace kevolve
