// kevolved: blocks the daemon's signals and becomes kevolve-serve, the daemon itself, in the same process. The daemon
// takes milliseconds to load its libraries, and a SIGHUP that came meanwhile would end it. This program is static and
// takes next to none. A blocked signal stays pending over the change until the daemon takes it.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* const places[] = {"", KEVOLVE_HELPERS_FROM_PROGRAMS "/"}; // of a build tree, of an installation

int main(int argc, char** argv) {
  (void)argc;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  char own[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) {
    fprintf(stderr, "kevolved: /proc/self/exe: %s\n", strerror(errno));
    return 1;
  }
  own[length] = '\0';
  *(strrchr(own, '/') + 1) = '\0';
  char daemon[2 * PATH_MAX];
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    snprintf(daemon, sizeof daemon, "%s%skevolve-serve", own, places[i]);
    execv(daemon, argv);
    if (errno != ENOENT)
      break;
  }
  fprintf(
      stderr,
      "kevolved: kevolve-serve, the daemon itself, cannot be started as %skevolve-serve or %s: %s; build all programs "
      "(cmake --build build) or install them again (cmake --install build)\n",
      own, daemon, strerror(errno));
  return 2;
}
