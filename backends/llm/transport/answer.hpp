// Processes an answer's body as its bytes arrive, after HTTP's framing: detects its kind, decodes the reply and
// classifies the result. It uses neither sockets nor clocks.
#pragma once

#include "backends/llm/transport/attempt.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

class answer {
public:
  answer(llm::wire_format wire, bool stream_asked, const attempt_limits& limits, bool keep_body);

  std::vector<llm::event> header(int status, llm::header_list headers);
  // Decodes these bytes of the body and returns the events. Errors and whole replies yield nothing before the end.
  std::vector<llm::event> feed(std::string_view bytes);
  // Reports the regular end of the body.
  std::vector<llm::event> end();
  // Reports a broken connection or invalid HTTP. `why` becomes the reply's error unless the answer itself reports one.
  std::vector<llm::event> broken(llm::error_origin why, std::string message);

  bool begun() const { return status_ != 0; }
  // Returns whether the answer is complete; later bytes change nothing.
  bool over() const;
  // Returns whether the body is a stream or may still be one, so that its content must be watched.
  bool streams() const { return kind_ == body_kind::stream || (kind_ == body_kind::undecided && stream_asked_); }
  bool is_error() const { return kind_ == body_kind::error; }
  size_t held_bytes() const { return body_.capacity(); }

  // Sets outcome, reply, remedy, status, headers, keep_alives and body. The server's own error takes precedence over
  // the connection's, which `detail` describes.
  void conclude(attempt_end& out, const std::string& detail, llm::instant now) &&;

private:
  enum class body_kind : uint8_t { undecided = 0, stream, whole, error };
  void decide(std::string_view bytes);
  std::vector<llm::event> take(std::vector<llm::event> events);
  std::vector<llm::event> refuse(llm::error_origin origin, std::string message);

  llm::wire_format wire_;
  bool stream_asked_;
  attempt_limits limits_;
  bool keep_body_;
  body_kind kind_ = body_kind::undecided;
  int status_ = 0;
  llm::header_list headers_;
  llm::reply_stream stream_;
  llm::reply reply_;
  std::string body_;
  uint64_t body_bytes_ = 0;
  bool over_ = false;
  bool unread_ = false; // the whole body could not be decoded
};

} // namespace kevolve
