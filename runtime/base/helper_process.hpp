// The node's side of a helper program: starts it, sends frames and delivers its answers. Nothing blocks; callbacks run
// on the node's I/O thread and must only post messages.
#pragma once

#include "runtime/base/channel.hpp"
#include "runtime/base/result.hpp"

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace kevolve {

struct helper_options {
  std::vector<std::string> argv;                  // argv[0] absolute
  std::map<std::string, std::string> environment; // the whole environment of the helper
  std::vector<int> cores;                         // CPU affinity; inherited if empty
  std::string log_path;                           // the helper's stderr is appended to this file; discarded if empty
};

class helper_process {
public:
  using frame_handler = std::function<void(frame)>;
  // `status` is as from waitpid(). The handler is called once, after the last frame.
  using exit_handler = std::function<void(int status)>;

  // Starts the helper with its socket as descriptor 3. The kernel kills it when this process dies.
  static result<std::shared_ptr<helper_process>> start(boost::asio::io_context& io, helper_options options,
                                                       frame_handler on_frame, exit_handler on_exit);
  virtual ~helper_process() = default;

  virtual pid_t pid() const = 0;
  // Returns true if a signal has stopped the helper and it has not been continued.
  virtual bool stopped() const = 0;
  // Queues a frame; safe from any thread.
  virtual void send(uint8_t kind, std::string payload) = 0;
  // Sends SIGKILL; on_exit follows. Safe from any thread and when called twice.
  virtual void kill() = 0;
  // Closes the socket so that a well-behaved helper ends by itself, and kills it after a grace period.
  virtual void stop() = 0;
  // Closes the socket and lets the helper finish its current work.
  virtual void leave() = 0;
};

// The descriptor of the socket inside the helper.
inline constexpr int helper_socket_fd = 3;

} // namespace kevolve
