// An answer as its bytes come, after HTTP's framing: which kind of body it is, what the reply is, and what it means.
// No socket, no clock.
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
  // What came with these bytes of the body; for errors and whole replies, nothing before its end.
  std::vector<llm::event> feed(std::string_view bytes);
  // The body has ended, as HTTP has it.
  std::vector<llm::event> end();
  // The connection broke, or what came is no HTTP that we take: `why` is the reply's error where no error says more.
  std::vector<llm::event> broken(llm::error_origin why, std::string message);

  bool begun() const { return status_ != 0; }
  // Whatever comes now changes nothing.
  bool over() const;
  // Content is to be watched: the body is a stream, or may still be one.
  bool streams() const { return kind_ == body_kind::stream || (kind_ == body_kind::undecided && stream_asked_); }
  bool is_error() const { return kind_ == body_kind::error; }
  size_t held_bytes() const { return body_.capacity(); }

  // Sets outcome, reply, remedy, status, headers, keep_alives, body. What the server said comes before the connection's
  // trouble, which `detail` is about.
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
  bool unread_ = false; // a whole body that is no reply
};

} // namespace kevolve
