#include "backends/cpu/judge/scheduling_priority.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace kevolve {

void go_ahead_of_others() {
  ::setpriority(PRIO_PROCESS, 0, -10);
  const bool own = ::getsid(0) == ::getpid() || ::setsid() > 0; // who leads a process group can begin no session
  if (own)
    std::ofstream{"/proc/self/autogroup"} << "-10";
}

} // namespace kevolve
