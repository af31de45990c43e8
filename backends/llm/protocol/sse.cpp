#include "backends/llm/protocol/sse.hpp"

#include <charconv>
#include <utility>

namespace kevolve::llm {

bool sse_decoder::feed(std::string_view bytes, std::vector<sse_event>& out) {
  while (!bytes.empty() && !failed_) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    const auto part = bytes.substr(0, end);
    if (line_.size() + part.size() > limits_.line) {
      failed_ = true;
      break;
    }
    if (end == std::string_view::npos) {
      line_ += part;
      break;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part, out);
    } else {
      line_ += part;
      const auto whole = std::exchange(line_, {});
      take_line(whole, out);
    }
  }
  return !failed_;
}

bool sse_decoder::end(std::vector<sse_event>& out) {
  if (failed_)
    return false;
  if (!line_.empty()) {
    const auto whole = std::exchange(line_, {});
    take_line(whole, out);
  }
  if (!failed_)
    dispatch(out);
  return !failed_;
}

void sse_decoder::take_line(std::string_view line, std::vector<sse_event>& out) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::exchange(first_line_, false) && line.substr(0, byte_order_mark.size()) == byte_order_mark)
    line.remove_prefix(byte_order_mark.size());
  if (line.empty()) {
    dispatch(out);
    return;
  }
  if (line.front() == ':') {
    ++comments_;
    return;
  }
  const auto colon = line.find(':');
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ')
    value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void sse_decoder::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (data_.size() + value.size() + 1 > limits_.event) {
      failed_ = true;
      return;
    }
    if (has_data_)
      data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos)
      last_id_ = value;
  } else if (name == "retry") {
    int64_t ms = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), ms);
    if (read.ec == std::errc{} && read.ptr == value.data() + value.size() && ms >= 0)
      retry_ms_ = ms;
  }
}

void sse_decoder::dispatch(std::vector<sse_event>& out) {
  auto type = std::exchange(type_, {});
  auto data = std::exchange(data_, {});
  // An event without data is dropped. WHATWG drops an event with one empty data line as well.
  if (std::exchange(has_data_, false) && !data.empty())
    out.push_back({std::move(type), std::move(data)});
}

} // namespace kevolve::llm
