// Length-prefixed frames over a Unix stream socket, with file descriptors alongside. This is the blocking side, which
// helper processes use; the node's side is runtime/base/helper_process.hpp.
// A frame is a little-endian u32 length, a u8 kind and the payload.
#pragma once

#include "runtime/base/codec.hpp"
#include "runtime/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct frame {
  uint8_t kind = 0;
  std::string payload;
};

// A longer frame breaks the protocol.
inline constexpr uint32_t max_frame_bytes = 256U << 20U;

// Returns one frame as it goes over the wire.
std::string frame_bytes(uint8_t kind, std::string_view payload);

// Owns one end of a connected Unix stream socket.
class channel {
public:
  channel() = default;
  explicit channel(int fd) : fd_(fd) {}
  channel(channel&& other) noexcept;
  channel& operator=(channel&& other) noexcept;
  ~channel();

  int fd() const { return fd_; }
  void close();
  // Lets receive() poll for so long before it sleeps. This pays when an answer arrives sooner than a wake-up would take
  // and cores are idle.
  void stay_awake(std::chrono::microseconds how_long) { awake_ = how_long; }

  // Blocks until everything is written; errc::io when the peer is gone.
  result<void> send(uint8_t kind, std::string_view payload);
  // Sends descriptors in one message with a one-byte body, before the frame that refers to them.
  result<void> send_fds(const std::vector<int>& fds);

  // Blocks up to `limit`. Fails with errc::timed_out, with errc::io at the end of the stream, or with errc::protocol
  // for a bad length.
  result<frame> receive(std::chrono::milliseconds limit);
  // Receives `count` descriptors sent by send_fds(); the limit and the errors are those of receive().
  result<std::vector<int>> receive_fds(size_t count, std::chrono::milliseconds limit);
  // Returns true if bytes are ready to read or arrive within the limit, and at the end of the stream.
  bool readable(std::chrono::milliseconds limit = {}) const;

  template <class Kind, class T>
  result<void> send_message(Kind kind, const T& x) {
    return send(static_cast<uint8_t>(kind), encode(x));
  }

private:
  int fd_ = -1;
  std::chrono::microseconds awake_{0};
};

// Makes a connected pair; both ends are close-on-exec.
result<std::pair<channel, channel>> make_channel_pair();

} // namespace kevolve
