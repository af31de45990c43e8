// kevolve-compile-server --cache DIR [--scratch DIR] [--memory-mib N] [--allow-weak-sandbox LAYER]: compiles untrusted
// sources for a node, which holds the other end of descriptor 3. Not for people: `kevolve eval` is.
#include "backends/cpu/compile_server/server.hpp"
#include "runtime/base/confinement.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/log.hpp"

#include <fcntl.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr const char* usage =
    "usage: kevolve-compile-server --cache DIR [--scratch DIR] [--memory-mib N] [--allow-weak-sandbox LAYER]\n";

bool parse(int argc, char** argv, kevolve::compiler_options& out) {
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i];
    std::string_view value = argv[i + 1];
    if (option == "--cache")
      out.cache = value;
    else if (option == "--scratch")
      out.scratch = value;
    else if (option == "--allow-weak-sandbox")
      out.done_without.emplace_back(value);
    else if (option == "--memory-mib") {
      uint64_t mib = 0;
      auto end = value.data() + value.size();
      if (std::from_chars(value.data(), end, mib).ptr != end)
        return false;
      out.memory_bytes = mib << 20U;
    } else
      return false;
  }
  return argc % 2 == 1 && !out.cache.empty();
}

} // namespace

int main(int argc, char** argv) {
  kevolve::compiler_options options;
  const char* temporary = std::getenv("TMPDIR");
  options.scratch = temporary == nullptr ? "/tmp" : temporary;
  if (!parse(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (::fcntl(kevolve::helper_socket_fd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fputs("kevolve-compile-server: no channel on descriptor 3; a node starts this program\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  options.around = kevolve::confine(kevolve::compiler_confinement).level;
  auto engine = kevolve::compiler::make(options);
  if (!engine) {
    kevolve::log::error("compile-server", "{}", to_string(engine.error()));
    return 1;
  }
  kevolve::compile_server server{kevolve::channel{kevolve::helper_socket_fd}, std::move(*engine)};
  return server.run();
}
