#include "backends/judge/request_queue.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kevolve {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds begun_frame{1000}; // its first bytes are there
constexpr milliseconds idle = std::chrono::hours{24};

} // namespace

std::optional<judge_request> request_queue::next() {
  while (connected_ && waiting_.empty())
    connected_ = receive(idle);
  if (!connected_)
    return {};
  auto out = std::move(waiting_.front());
  waiting_.pop_front();
  current_ = out.job;
  cancelled_ = false;
  return out;
}

bool request_queue::cancelled() {
  while (connected_ && channel_.readable())
    connected_ = receive(begun_frame);
  return cancelled_ || !connected_;
}

void request_queue::finish(const judge_outcome& outcome) {
  current_ = {};
  send(frame_kind::judge_outcome, outcome);
}

void request_queue::report(const std::string& stage, bool waits) {
  send(frame_kind::progress, helper_progress{current_, stage, waits});
}

// Takes one frame in. Returns false at the end of the stream, or when the other side breaks the protocol.
bool request_queue::receive(milliseconds limit) {
  auto f = channel_.receive(limit);
  if (!f)
    return f.error().code == errc::timed_out;
  switch (static_cast<frame_kind>(f->kind)) {
    case frame_kind::judge_request: {
      auto request = decode<judge_request>(f->payload);
      if (!request)
        return refuse(to_string(request.error()));
      waiting_.push_back(std::move(*request));
      return true;
    }
    case frame_kind::cancel: {
      const auto message = decode<helper_cancel>(f->payload);
      return message ? cancel(message->job) : refuse(to_string(message.error()));
    }
    default:
      return refuse("unexpected frame " + std::to_string(f->kind));
  }
}

bool request_queue::cancel(const id128& job) {
  if (job == current_) {
    cancelled_ = true;
    return true;
  }
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& r) { return r.job == job; });
  if (found == waiting_.end())
    return true;
  waiting_.erase(found);
  judge_outcome out;
  out.job = job;
  out.trouble = {fault_kind::cancelled, "the request was cancelled before it began", 0};
  return channel_.send_message(frame_kind::judge_outcome, out).has_value();
}

bool request_queue::refuse(const std::string& why) const {
  std::fprintf(stderr, "%s: %s\n", program_.c_str(), why.c_str());
  return false;
}

} // namespace kevolve
