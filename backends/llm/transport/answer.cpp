#include "backends/llm/transport/answer.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

using llm::error_origin;

bool begins_with(const std::string* text, std::string_view prefix) {
  return text != nullptr && text->size() >= prefix.size()
         && std::equal(prefix.begin(), prefix.end(), text->begin(), [](char a, char b) {
              return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
            });
}

std::string size_text(size_t bytes) {
  return std::to_string(bytes) + " bytes";
}

} // namespace

answer::answer(llm::wire_format wire, bool stream_asked, const attempt_limits& limits, bool keep_body)
    : wire_(wire), stream_asked_(stream_asked), limits_(limits), keep_body_(keep_body), stream_(wire, limits.reply) {}

std::vector<llm::event> answer::header(int status, llm::header_list headers) {
  status_ = status;
  headers_ = std::move(headers);
  const auto* type = llm::find_header(headers_, "content-type");
  if (status < 200 || status > 299)
    kind_ = body_kind::error;
  else if (begins_with(type, "text/event-stream"))
    kind_ = body_kind::stream;
  else if (begins_with(type, "application/json") || !stream_asked_)
    kind_ = body_kind::whole;
  const auto* encoding = llm::find_header(headers_, "content-encoding");
  if (kind_ != body_kind::error && encoding != nullptr && !encoding->empty() && !begins_with(encoding, "identity"))
    return refuse(error_origin::malformed,
                  "the answer is encoded as " + encoding->substr(0, 40) + ", which was not asked for");
  return {};
}

// Some servers send streams as text/plain, and proxies send pages of any type. The body's beginning decides.
void answer::decide(std::string_view bytes) {
  if (kind_ != body_kind::undecided)
    return;
  const auto first = bytes.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos)
    kind_ = std::string_view{"{[<"}.find(bytes[first]) != std::string_view::npos ? body_kind::whole : body_kind::stream;
}

bool answer::over() const {
  return over_;
}

std::vector<llm::event> answer::take(std::vector<llm::event> events) {
  for (const auto& e : events)
    llm::apply(reply_, e);
  over_ = over_ || stream_.over();
  return events;
}

std::vector<llm::event> answer::refuse(error_origin origin, std::string message) {
  llm::event e;
  e.kind = llm::event_kind::error;
  e.error.origin = origin;
  e.error.message = std::move(message);
  llm::apply(reply_, e);
  over_ = true;
  return {std::move(e)};
}

std::vector<llm::event> answer::feed(std::string_view bytes) {
  if (over_)
    return {};
  decide(bytes);
  body_bytes_ += bytes.size();
  if (kind_ == body_kind::error) {
    body_.append(bytes.substr(0, limits_.error_bytes - std::min(body_.size(), limits_.error_bytes)));
    over_ = body_.size() >= limits_.error_bytes;
    return {};
  }
  const auto most = kind_ == body_kind::whole ? std::min(limits_.body_bytes, limits_.reply.reply) : limits_.body_bytes;
  if (body_bytes_ > most)
    return refuse(error_origin::too_large, "the answer's body is larger than " + size_text(most));
  if (kind_ != body_kind::stream || keep_body_)
    body_.append(bytes);
  return kind_ == body_kind::stream ? take(stream_.feed(bytes)) : std::vector<llm::event>{};
}

std::vector<llm::event> answer::end() {
  if (over_)
    return {};
  // If a stream was requested, an empty body is a stream that was cut off.
  if (kind_ == body_kind::stream || (kind_ == body_kind::undecided && stream_asked_))
    return take(stream_.end());
  over_ = true;
  if (kind_ == body_kind::error)
    return {};
  reply_ = llm::decode_reply(wire_, body_, limits_.reply);
  unread_ = reply_.error.origin == error_origin::malformed;
  return {};
}

std::vector<llm::event> answer::broken(error_origin why, std::string message) {
  if (over_ || kind_ == body_kind::error) {
    over_ = true;
    return {};
  }
  if (why == error_origin::cut && begun() && streams())
    return take(stream_.end());
  return refuse(why, std::move(message));
}

void answer::conclude(attempt_end& out, const std::string& detail, llm::instant now) && {
  out.status = status_;
  out.keep_alives = stream_.keep_alives();
  out.reply = std::move(reply_);
  if (kind_ == body_kind::error) {
    out.remedy = llm::remedy_for_answer(status_, headers_, body_, now);
    out.reply.error = llm::decode_error(body_);
  } else if (out.reply.complete) {
    out.remedy = llm::remedy_for_finish(out.reply);
  } else if (out.trouble) {
    out.remedy = llm::remedy_for_transport(*out.trouble);
    out.remedy->words += " (" + detail + ")";
  } else if (unread_) {
    out.remedy = llm::remedy_for_answer(status_, headers_, body_, now);
  } else {
    out.remedy = llm::remedy_for_reply(out.reply.error, now);
  }
  out.outcome = out.reply.complete ? attempt_outcome::answered : attempt_outcome::failed;
  out.headers = std::move(headers_);
  if (!keep_body_ && out.reply.complete)
    body_.clear();
  else if (!keep_body_ && body_.size() > limits_.error_bytes)
    body_.resize(limits_.error_bytes);
  out.body = std::move(body_);
}

} // namespace kevolve
