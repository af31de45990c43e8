// Length-prefixed frames over a Unix stream socket, with file descriptors alongside: the blocking side, as
// helper processes use it. Frame: u32 little-endian length, u8 kind, payload. The node's side is
// runtime/base/helper_process.hpp.
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

// Frames larger than this break the protocol.
inline constexpr uint32_t max_frame_bytes = 256U << 20U;

// The wire bytes of one frame.
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
  // How long receive() looks for input before it sleeps: where an answer takes less than being woken does, and there
  // are cores to spare.
  void stay_awake(std::chrono::microseconds how_long) { awake_ = how_long; }

  // Blocks until all is written. errc::io when the peer is gone.
  result<void> send(uint8_t kind, std::string_view payload);
  // Sends descriptors in one message with a one-byte body, before the frame that speaks of them.
  result<void> send_fds(const std::vector<int>& fds);

  // Blocks up to `limit`; errc::timed_out, errc::io on end of stream, errc::protocol on a bad length.
  result<frame> receive(std::chrono::milliseconds limit);
  result<std::vector<int>> receive_fds(size_t count, std::chrono::milliseconds limit);
  // True if bytes wait to be read, or come within the limit; and at the end of the stream.
  bool readable(std::chrono::milliseconds limit = {}) const;

  template <class Kind, class T>
  result<void> send_message(Kind kind, const T& x) {
    return send(static_cast<uint8_t>(kind), encode(x));
  }

private:
  int fd_ = -1;
  std::chrono::microseconds awake_{0};
};

// A connected pair, both ends close-on-exec.
result<std::pair<channel, channel>> make_channel_pair();

} // namespace kevolve
