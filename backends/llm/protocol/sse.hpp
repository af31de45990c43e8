// Server-sent events, decoded as they come: any cut between reads, CR, LF and CRLF, comments, several data lines, a
// byte order mark. Bounded: nothing a server sends makes it hold more than the limits. As WHATWG has it, but for the
// end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

struct sse_limits {
  size_t line = size_t{1} << 20;
  size_t event = size_t{4} << 20; // of all data lines of one event
};

struct sse_event {
  std::string type; // empty: none was given
  std::string data;
};

class sse_decoder {
public:
  explicit sse_decoder(sse_limits limits = {}) : limits_(limits) {}

  // Appends the events that became complete. False once a limit was passed: nothing more is read.
  bool feed(std::string_view bytes, std::vector<sse_event>& out);
  // The end of the stream. Unlike WHATWG's reader it also yields an event that lacks only its blank line: whether its
  // data is whole, its own format tells.
  bool end(std::vector<sse_event>& out);

  // An event or a part of one is held.
  bool pending() const { return !line_.empty() || has_data_; }
  uint64_t comments() const { return comments_; } // keep-alives, mostly
  const std::string& last_id() const { return last_id_; }
  std::optional<int64_t> retry_ms() const { return retry_ms_; }

private:
  void take_line(std::string_view line, std::vector<sse_event>& out);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<sse_event>& out);

  sse_limits limits_;
  std::string line_; // begun, not ended
  std::string type_;
  std::string data_;
  std::string last_id_;
  std::optional<int64_t> retry_ms_;
  uint64_t comments_ = 0;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_cr_ = false; // a line feed now belongs to the carriage return before it
  bool failed_ = false;
};

} // namespace kevolve::llm
