#include "tools/kevolve/stop_signal.hpp"

#include "tools/kevolve/exit_codes.hpp"

#include <unistd.h>

#include <csignal>

namespace kevolve {

stop_signal::stop_signal()
    : watch_({SIGINT, SIGTERM}, [this](int) {
        if (seen_.exchange(true))
          ::_exit(exit_code::interrupted);
      }) {}

} // namespace kevolve
