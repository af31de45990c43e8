#include "backends/nvidia/runner/worker.hpp"

#include "backends/nvidia/runner/device_session.hpp"
#include "runtime/base/channel.hpp"
#include "runtime/base/helper_process.hpp"

#include <sys/prctl.h>

#include <csignal>

namespace kevolve::cuda {

namespace {

constexpr auto forever = std::chrono::hours{24 * 365};
constexpr auto soon = std::chrono::seconds{10};

class worker {
public:
  worker(int device, bool profiled) : link_(helper_socket_fd), device_(device), profiled_(profiled) {
    link_.stay_awake(cuda_wire::time_awake());
  }

  int run() {
    session_.wake(!profiled_); // a profiler has the device's records for itself
    while (!session_.broken()) {
      auto order = link_.receive(forever);
      if (!order)
        return 0; // the runner has closed the channel
      if (!obey(*order))
        return 1;
    }
    return 0;
  }

private:
  template <class T>
  bool say(cuda_wire::word kind, const T& answer) {
    return link_.send_message(kind, answer).has_value();
  }

  bool obey(const frame& order) {
    using cuda_wire::word;
    switch (static_cast<word>(order.kind)) {
      case word::open:
        return say(word::hello, session_.open(device_));
      case word::load: {
        auto load = decode<cuda_wire::load>(order.payload);
        auto fds = link_.receive_fds(1, soon);
        return load && fds && say(word::loaded, session_.load(*load, fds->front()));
      }
      case word::stage: {
        auto stage = decode<cuda_wire::stage>(order.payload);
        return stage && say(word::staged, session_.stage(std::move(*stage)));
      }
      case word::go: {
        auto go = decode<cuda_wire::go>(order.payload);
        return go && say(word::done, go->plain ? session_.go_plain() : session_.go());
      }
      case word::fetch:
        return say(word::fetched, session_.fetch());
      case word::measure:
        return say(word::measured, session_.measure());
      default:
        return false;
    }
  }

  device_session session_;
  channel link_;
  int device_;
  bool profiled_;
};

} // namespace

int run_worker(int device, bool profiled) {
  std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return worker{device, profiled}.run();
}

} // namespace kevolve::cuda
