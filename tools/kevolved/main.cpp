// kevolved: a node that stays. Takes up every unfinished campaign and answers over HTTP until it is told to stop.
#include "backends/target.hpp"
#include "config/node.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/node.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace kevolve;

constexpr auto look_every = std::chrono::milliseconds{500};

node_options options_of(const node_spec& spec) {
  node_options out;
  out.data_dir = spec.data_dir;
  out.listen = spec.listen;
  out.token_file = spec.token_file;
  out.campaigns = spec.limits.campaigns;
  out.compilers = spec.limits.compilers;
  out.disk_reserve_mib = spec.limits.disk_reserve_mib;
  if (!spec.devices.empty())
    out.targets.clear();
  for (const auto& d : spec.devices) {
    if (std::find(out.targets.begin(), out.targets.end(), d.target) == out.targets.end())
      out.targets.push_back(d.target);
    out.cores[d.target].assign(d.cores.begin(), d.cores.end());
    if (!d.id.empty())
      out.devices[d.target].push_back(d.id);
  }
  for (const auto& name : out.targets)
    out.decisions[name] = {spec.sandbox.allow_without, spec.limits.memory_mib};
  out.resume_all = true;
  return out;
}

int serve(const std::string& file, const std::vector<std::string>& overrides, bool json_log) {
  auto spec = load_node(file, overrides, target_names());
  if (!spec) {
    std::fputs(to_string(spec.error()).c_str(), stderr);
    return exit_code::usage;
  }
  log::configure({log::level::info, json_log, ""});
  stop_signal stop; // before the first thread
  auto n = node::start(options_of(*spec));
  if (!n) {
    std::fprintf(stderr, "kevolved: %s\n", to_string(n.error()).c_str());
    return exit_code::of(n.error().code);
  }
  log::info("kevolved", "serving {} at {}", spec->data_dir, (*n)->admin_url());
  while (!stop.wait_for(look_every))
    if (auto why = (*n)->broken(); !why.empty()) {
      log::error("kevolved", "cannot go on: {}", why);
      return exit_code::failed;
    }
  log::info("kevolved", "stopping");
  return exit_code::ok;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"kevolved runs campaigns and answers over HTTP until SIGTERM.", "kevolved"};
  app.set_version_flag("--version", std::string{"kevolved "} + KEVOLVE_VERSION);
  app.footer("Example: kevolved kevolved.toml");
  std::string file;
  std::vector<std::string> overrides;
  bool json_log = false;
  app.add_option("FILE", file, "the node's settings")->required();
  app.add_option("--set", overrides, "key=value, over the file's")->allow_extra_args(false);
  app.add_flag("--json-log", json_log, "log one JSON object a line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kevolve::exit_code::ok : kevolve::exit_code::usage;
  }
  try {
    return serve(file, overrides, json_log);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kevolved: %s\n", e.what());
    return kevolve::exit_code::failed;
  }
}
