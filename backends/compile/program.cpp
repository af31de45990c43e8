#include "backends/compile/program.hpp"

#include "backends/compile/server.hpp"
#include "runtime/base/confinement.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/log.hpp"

#include <fcntl.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace kevolve {

namespace {

struct server_options {
  compiler_options compiler;
  std::string keep; // folder of builds that outlast their node; empty: builds end with the node
  std::chrono::milliseconds keep_after = outlasting_after;
};

bool parse_number(std::string_view text, uint64_t& out) {
  const auto* end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, out);
  return got.ec == std::errc{} && got.ptr == end;
}

bool parse(int argc, char** argv, const server_program& program, server_options& all) {
  auto& out = all.compiler;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i];
    std::string_view value = argv[i + 1];
    if (auto own = program.own.find(option); own != program.own.end())
      *own->second = value;
    else if (option == "--scratch")
      out.scratch = value;
    else if (option == "--allow-weak-sandbox")
      out.done_without.emplace_back(value);
    else if (option == "--keep")
      all.keep = value;
    else if (option == "--memory-mib" || option == "--keep-after-ms") {
      uint64_t number = 0;
      if (!parse_number(value, number))
        return false;
      if (option == "--memory-mib")
        out.memory_bytes = number << 20U;
      else
        all.keep_after = std::chrono::milliseconds{number};
    } else
      return false;
  }
  return argc % 2 == 1 && (program.required == nullptr || !program.required->empty());
}

} // namespace

int serve_compiles(int argc, char** argv, const server_program& program) {
  server_options all;
  auto& options = all.compiler;
  const char* temporary = std::getenv("TMPDIR");
  options.scratch = temporary == nullptr ? "/tmp" : temporary;
  if (!parse(argc, argv, program, all)) {
    std::fprintf(stderr,
                 "usage: %s %s [--scratch DIR] [--keep DIR [--keep-after-ms N]] [--memory-mib N] "
                 "[--allow-weak-sandbox LAYER]\n",
                 program.name, program.own_usage);
    return 2;
  }
  if (::fcntl(helper_socket_fd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr, "%s: no channel on descriptor 3; a node starts this program\n", program.name);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  options.around = confine(compiler_confinement).level;
  auto engine = program.make(options);
  if (!engine) {
    log::error("compile-server", "{}", to_string(engine.error()));
    return 1;
  }
  kept_builds kept;
  if (!all.keep.empty()) {
    auto opened = kept_builds::open(all.keep);
    if (opened)
      kept = std::move(*opened);
    else // compiling works without it
      log::warn("compile-server", "no build outlasts its node: {}", to_string(opened.error()));
  }
  return compile_server{channel{helper_socket_fd}, std::move(*engine), std::move(kept), all.keep_after}.run();
}

} // namespace kevolve
