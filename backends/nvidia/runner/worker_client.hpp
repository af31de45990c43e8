// The runner's side of a worker: starts it, orders, waits with a limit, ends it. A worker that does not answer in time
// is killed; the driver then ends what it had on the device.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/nvidia/driver.hpp"
#include "backends/nvidia/runner/wire.hpp"
#include "runtime/base/channel.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct worker_options {
  int device = 0;
  std::vector<std::string> environment; // "KEY=value"; nothing else is passed on
  std::vector<std::string> under;       // a program, with its arguments, that starts the worker; empty: nobody does
};

class worker_client {
public:
  worker_client() = default;
  worker_client(worker_client&& other) noexcept { *this = std::move(other); }
  worker_client& operator=(worker_client&& other) noexcept;
  worker_client(const worker_client&) = delete;
  worker_client& operator=(const worker_client&) = delete;
  ~worker_client() { end(); }

  // Starts the process and returns; open() has it make its context, and greet() waits for that. `mode`: what the
  // program is told to be.
  static result<worker_client> start(const worker_options& options, const char* mode = "--worker");
  void open();
  // Returns its answer to open(), however often it is asked for.
  result<cuda_wire::hello> greet(std::chrono::milliseconds limit);

  // Sends, and leaves the answer to hear().
  template <class Order>
  result<void> tell(cuda_wire::word kind, const Order& order) {
    if (auto sent = link_.send_message(kind, order); !sent)
      return tl::unexpected(lost(sent.error()));
    return {};
  }
  // Sends an order and waits. errc::timed_out: it did not answer, and is killed. errc::io: it died.
  template <class Reply, class Order>
  result<Reply> ask(cuda_wire::word kind, const Order& order, cuda_wire::word answer, std::chrono::milliseconds limit) {
    if (auto sent = tell(kind, order); !sent)
      return tl::unexpected(sent.error());
    auto reply = hear(answer, limit);
    if (!reply)
      return tl::unexpected(reply.error());
    return decode<Reply>(*reply);
  }
  // Does the same with a descriptor right after the order.
  template <class Reply, class Order>
  result<Reply> hand(cuda_wire::word kind, const Order& order, int fd, cuda_wire::word answer,
                     std::chrono::milliseconds limit) {
    if (auto sent = link_.send_message(kind, order); !sent)
      return tl::unexpected(lost(sent.error()));
    if (auto sent = link_.send_fds({fd}); !sent)
      return tl::unexpected(lost(sent.error()));
    auto reply = hear(answer, limit);
    if (!reply)
      return tl::unexpected(reply.error());
    return decode<Reply>(*reply);
  }
  // Returns the descriptor that comes right after an answer.
  result<int> receive_fd(std::chrono::milliseconds limit);
  result<std::string> hear(cuda_wire::word answer, std::chrono::milliseconds limit);

  bool alive() const { return pid_ > 0; }
  bool opened() const { return opened_; }
  // Tells if its process has not ended by itself.
  bool runs();
  pid_t pid() const { return pid_; }
  // Closes its channel and waits for it to end by itself; kills it after that long.
  void leave(std::chrono::milliseconds limit);
  void end();
  // Kills a worker that runs nothing, and returns its id, or -1. Others wait until the driver has taken its context
  // down, which takes as long as a screening.
  pid_t terminate();

private:
  failure lost(failure why);

  pid_t pid_ = -1;
  channel link_;
  bool opened_ = false;
  std::optional<cuda_wire::hello> hello_;
};

} // namespace kevolve::cuda
