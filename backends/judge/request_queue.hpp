// A judge's connection to its node: requests in their order, cancellations at any time. All targets' judges share it.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/channel.hpp"

#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace kevolve {

class request_queue {
public:
  // `program` stands before each message on stderr; `fd` is connected to the node.
  request_queue(std::string program, int fd) : program_(std::move(program)), channel_(fd) {}

  // Returns the next request, and makes it the current one. Blocks until there is one. Returns nothing once the node
  // has gone or has broken the protocol.
  std::optional<judge_request> next();
  // Returns true if next() has something to read within the limit.
  bool ready(std::chrono::milliseconds limit) const { return !waiting_.empty() || channel_.readable(limit); }

  // Reads what has arrived. Returns true if the current request was cancelled or nobody is left to hear its outcome.
  bool cancelled();

  // Sends the outcome of the current request, which ends with it.
  void finish(const judge_outcome& outcome);
  void report(const std::string& stage, bool waits);
  template <class T>
  void send(frame_kind kind, const T& message) {
    connected_ = channel_.send_message(kind, message).has_value() && connected_;
  }
  bool connected() const { return connected_; }

private:
  bool receive(std::chrono::milliseconds limit);
  bool cancel(const id128& job);
  bool refuse(const std::string& why) const;

  std::string program_;
  channel channel_;
  std::deque<judge_request> waiting_;
  id128 current_;
  bool cancelled_ = false;
  bool connected_ = true;
};

} // namespace kevolve
