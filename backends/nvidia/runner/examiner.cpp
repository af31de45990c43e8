#include "backends/nvidia/runner/examiner.hpp"

#include "backends/nvidia/runner/examiner_session.hpp"
#include "runtime/base/channel.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/sandbox.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace kevolve::cuda {

namespace {

constexpr auto forever = std::chrono::hours{24 * 365};
constexpr auto soon = std::chrono::seconds{10};

class examiner {
public:
  explicit examiner(int device) : link_(helper_socket_fd), device_(device) {
    link_.stay_awake(cuda_wire::time_awake());
  }

  int run() {
    if (!say(cuda_wire::word::examiner_ready, session_.open(device_)))
      return 1;
    for (;;) {
      auto order = link_.receive(forever);
      if (!order)
        return 0; // the runner has closed the channel
      if (!obey(*order))
        return 1;
    }
  }

private:
  template <class T>
  bool say(cuda_wire::word kind, const T& answer) {
    return link_.send_message(kind, answer).has_value();
  }

  template <class Order>
  bool acknowledge(const frame& f, cuda_wire::acknowledged (examiner_session::*act)(const Order&)) {
    auto order = decode<Order>(f.payload);
    return order && say(cuda_wire::word::acknowledged, (session_.*act)(*order));
  }

  template <class Order>
  bool share(const frame& f, cuda_wire::arena_made (examiner_session::*make)(const Order&, int&)) {
    auto order = decode<Order>(f.payload);
    if (!order)
      return false;
    int fd = -1;
    const auto made = (session_.*make)(*order, fd);
    if (!say(cuda_wire::word::arena_made, made))
      return false;
    if (fd < 0)
      return true;
    const auto sent = link_.send_fds({fd});
    ::close(fd);
    return sent.has_value();
  }

  bool obey(const frame& f) {
    using cuda_wire::word;
    switch (static_cast<word>(f.kind)) {
      case word::make_arena:
        return share(f, &examiner_session::make_arena);
      case word::make_pool:
        return share(f, &examiner_session::make_pool);
      case word::bring_set:
        return acknowledge(f, &examiner_session::bring_set);
      case word::draw: {
        auto order = decode<cuda_wire::draw>(f.payload);
        return order && say(word::worked, session_.draw(*order));
      }
      case word::attach: {
        auto order = decode<cuda_wire::attach>(f.payload);
        auto fds = link_.receive_fds(1, soon);
        return order && fds && say(word::acknowledged, session_.attach(*order, fds->front()));
      }
      case word::hold:
        return acknowledge(f, &examiner_session::hold);
      case word::put:
        return acknowledge(f, &examiner_session::put);
      case word::drop:
        return acknowledge(f, &examiner_session::drop);
      case word::bring_back:
        return acknowledge(f, &examiner_session::bring_back);
      case word::work: {
        auto order = decode<cuda_wire::work>(f.payload);
        return order && say(word::worked, session_.work(*order));
      }
      default:
        return false;
    }
  }

  examiner_session session_;
  channel link_;
  int device_;
};

} // namespace

int run_examiner(int device) {
  std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  hide_memory(); // it holds expected values
  return examiner{device}.run();
}

} // namespace kevolve::cuda
