#include "tools/kevolved/signals.hpp"

#include "tools/kevolve/exit_codes.hpp"

#include <unistd.h>

#include <csignal>

namespace kevolve {

daemon_signals::daemon_signals()
    : watch_({SIGINT, SIGTERM, SIGHUP}, [this](int number) {
        if (number == SIGHUP)
          reload_ = true;
        else if (stop_ = true; number == SIGINT && interrupted_.exchange(true))
          ::_exit(exit_code::interrupted);
      }) {}

wish daemon_signals::wait_for(std::chrono::milliseconds limit) {
  if (!stop_ && !reload_)
    watch_.wait_for(limit);
  watch_.forget();
  if (stop_)
    return wish::stop;
  return reload_.exchange(false) ? wish::reload : wish::none;
}

} // namespace kevolve
