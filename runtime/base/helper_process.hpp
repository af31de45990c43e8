// The node's side of a helper program: starts it, sends frames, delivers what it answers. Nothing blocks;
// callbacks run on the node's I/O thread and must only post messages.
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
  std::map<std::string, std::string> environment; // exactly this
  std::vector<int> cores;                         // affinity, empty: inherit
  std::string log_path;                           // its stderr is appended here; empty: discarded
};

class helper_process {
public:
  using frame_handler = std::function<void(frame)>;
  // `status` as from waitpid; called once, after the last frame.
  using exit_handler = std::function<void(int status)>;

  // The helper gets its socket as descriptor 3 and is killed when this process dies.
  static result<std::shared_ptr<helper_process>> start(boost::asio::io_context& io, helper_options options,
                                                       frame_handler on_frame, exit_handler on_exit);
  virtual ~helper_process() = default;

  virtual pid_t pid() const = 0;
  // Whether a signal has stopped it and nothing has let it go on yet.
  virtual bool stopped() const = 0;
  // Queues a frame; safe from any thread.
  virtual void send(uint8_t kind, std::string payload) = 0;
  // SIGKILL; on_exit follows. Safe from any thread, twice too.
  virtual void kill() = 0;
  // Closes the socket so that a well-behaved helper ends by itself, and kills it after a grace period.
  virtual void stop() = 0;
  // Closes the socket and lets it end what it is at.
  virtual void leave() = 0;
};

// The socket of the helper's own side.
inline constexpr int helper_socket_fd = 3;

} // namespace kevolve
