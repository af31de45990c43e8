// An incremental decoder of server-sent events after WHATWG's rules, except at the end of the stream. Accepts any split
// between reads, CR, LF and CRLF, comments, several data lines and a byte order mark. Its memory is bounded by the
// limits.
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
  size_t event = size_t{4} << 20; // bytes of all data lines of one event
};

struct sse_event {
  std::string type; // empty if none was given
  std::string data;
};

class sse_decoder {
public:
  explicit sse_decoder(sse_limits limits = {}) : limits_(limits) {}

  // Appends the events that became complete. Returns false once a limit is exceeded; then nothing more is read.
  bool feed(std::string_view bytes, std::vector<sse_event>& out);
  // Ends the stream. Unlike WHATWG's reader, it also yields an event that lacks only its blank line; the caller's
  // format tells whether the data is complete.
  bool end(std::vector<sse_event>& out);

  // Returns whether an incomplete event is buffered.
  bool pending() const { return !line_.empty() || has_data_; }
  uint64_t comments() const { return comments_; } // mostly keep-alives
  const std::string& last_id() const { return last_id_; }
  std::optional<int64_t> retry_ms() const { return retry_ms_; }

private:
  void take_line(std::string_view line, std::vector<sse_event>& out);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<sse_event>& out);

  sse_limits limits_;
  std::string line_; // the current line, not ended yet
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
