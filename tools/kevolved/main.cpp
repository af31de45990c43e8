// kevolve-serve, which kevolved becomes (start.c): a node that stays. Takes up every unfinished campaign and answers
// over HTTP until it is told to stop.
#include "backends/target.hpp"
#include "config/node.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/version.hpp"
#include "runtime/node/node.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolved/liveness.hpp"
#include "tools/kevolved/notify.hpp"
#include "tools/kevolved/settings.hpp"
#include "tools/kevolved/signals.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace kevolve;

constexpr auto look_every = std::chrono::milliseconds{500};
constexpr auto stop_limit = std::chrono::seconds{90}; // four stages of 13 s each, and the store

struct arguments {
  std::string file;
  std::vector<std::string> overrides;
  bool json_log = false;
};

// Connections, helpers and RocksDB's files: more than a shell's 1,024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Reads the settings again. Those that may change take effect, the others are named. An invalid file changes nothing.
void reload(const arguments& a, node& n, node_spec& spec) {
  auto wanted = load_node(a.file, a.overrides, target_names());
  if (!wanted) {
    log::reopen(); // the file of the log may have been moved all the same
    log::error("kevolved", "{} is left aside: {}", a.file, to_string(wanted.error()));
    return;
  }
  log::configure(log_of(*wanted, a.json_log));
  if (auto changed = n.change_admin(tls_of(*wanted), http_of(*wanted)); !changed)
    log::error("kevolved", "the admin goes on as it was: {}", to_string(changed.error()));
  for (const auto& name : need_restart(spec, *wanted))
    log::warn("kevolved", "{} has changed: it takes effect with the next start", name);
  // The settings that need a restart are compared with the running ones each time.
  spec.log = wanted->log;
  spec.tls = wanted->tls;
  spec.limits.connections = wanted->limits.connections;
  spec.limits.connections_per_peer = wanted->limits.connections_per_peer;
  log::info("kevolved", "{} read again", a.file);
  log::flush();
}

int serve(const arguments& a) {
  daemon_signals signals; // before the first thread, and before there is anything to stop
  auto spec = load_node(a.file, a.overrides, target_names());
  if (!spec) {
    std::fputs(to_string(spec.error()).c_str(), stderr);
    return exit_code::usage;
  }
  log::configure(log_of(*spec, a.json_log));
  raise_descriptor_limit();
  notifier manager;
  auto n = node::start(options_of(*spec));
  if (!n) {
    std::fprintf(stderr, "kevolved: %s\n", to_string(n.error()).c_str());
    return exit_code::of(n.error().code);
  }
  auto serving = "serving " + spec->data_dir + " at " + (*n)->admin_url();
  log::info("kevolved", "{}", serving);
  manager.ready(serving);
  using clock = std::chrono::steady_clock;
  auto told = clock::now();
  const auto every = manager.watchdog().value_or(std::chrono::milliseconds{0}) / 3;
  if (manager.watchdog())
    manager.alive();
  for (;;) {
    auto wished = signals.wait_for(every.count() > 0 ? std::min(every, look_every) : look_every);
    if (wished == wish::stop)
      break;
    if (wished == wish::reload) {
      manager.reloading();
      reload(a, **n, *spec);
      manager.ready(serving);
    }
    log::flush(); // who reads the file sees what has happened
    if (auto why = (*n)->broken(); !why.empty()) {
      log::error("kevolved", "cannot go on: {}", why);
      return exit_code::failed;
    }
    if (every.count() == 0 || clock::now() - told < every)
      continue;
    told = clock::now();
    // No sign of life from a node whose actors give none: the service manager then starts it anew.
    if (auto why = not_alive(**n, every); why.empty())
      manager.alive();
    else
      log::error("kevolved", "{}", why);
  }
  log::info("kevolved", "stopping");
  log::flush(); // it may take a while
  manager.stopping(stop_limit);
  n->reset();
  log::info("kevolved", "stopped");
  log::flush();
  return exit_code::ok;
}

} // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_NAME, "kevolved");
  kevolve::hide_memory(); // keys of providers: in no core, and not for other processes of the user to read
  kevolve::declared_program app{"kevolved runs campaigns and answers over HTTP until SIGTERM.", "kevolved"};
  app.set_version_flag("--version", kevolve::version_line("kevolved"));
  app.footer("Example: kevolved kevolved.toml\nSIGHUP: reads the file again and says what of it needs a restart.");
  arguments a;
  app.add_option("FILE", a.file, "the node's settings")->required();
  app.add_option("--set", a.overrides, "key=value, over the file's")->allow_extra_args(false);
  app.add_flag("--json-log", a.json_log, "log one JSON object a line");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended == 0 ? kevolve::exit_code::ok : kevolve::exit_code::usage;
  try {
    return serve(a);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kevolved: %s\n", e.what());
    return kevolve::exit_code::failed;
  }
}
