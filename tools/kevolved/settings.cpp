#include "tools/kevolved/settings.hpp"

#include "runtime/base/codec.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

node_options options_of(const node_spec& spec) {
  node_options out;
  out.data_dir = spec.data_dir;
  out.listen = spec.listen;
  out.token_file = spec.token_file;
  out.tls = tls_of(spec);
  out.http = http_of(spec);
  out.providers = spec.providers;
  out.knowledge_folders = spec.knowledge.folders;
  out.code_roots = spec.code_search.roots;
  out.campaigns = spec.limits.campaigns;
  out.compilers = spec.limits.compilers;
  out.disk_reserve_mib = spec.limits.disk_reserve_mib;
  out.keep_candidates = spec.limits.keep_candidates;
  if (spec.devices.empty())
    out.targets = targets_here();
  else
    out.targets.clear();
  std::set<std::string> reachable;
  for (const auto& d : spec.devices) {
    if (std::find(out.targets.begin(), out.targets.end(), d.target) == out.targets.end())
      out.targets.push_back(d.target);
    if (d.batch) // that it is there, nobody here can tell
      out.batch.insert(d.target);
    if (d.elsewhere)
      out.elsewhere.insert(d.target);
    if (d.batch || d.elsewhere)
      continue;
    reachable.insert(d.target);
    out.cores[d.target].assign(d.cores.begin(), d.cores.end());
    if (!d.id.empty())
      out.devices[d.target].push_back(d.id);
  }
  for (const auto& name : reachable) { // what can be judged here is
    out.batch.erase(name);
    out.elsewhere.erase(name);
  }
  for (const auto& name : out.targets)
    out.decisions[name] = {spec.sandbox.allow_without, spec.limits.memory_mib};
  out.cluster = spec.cluster;
  out.resume_all = true;
  out.require_helpers = true;
  return out;
}

tls_files tls_of(const node_spec& spec) {
  return {spec.tls.certificate, spec.tls.key, spec.tls.hosts};
}

http_limits http_of(const node_spec& spec) {
  http_limits out;
  out.connections = static_cast<size_t>(spec.limits.connections);
  out.per_peer = static_cast<size_t>(spec.limits.connections_per_peer);
  out.reserved = std::max<size_t>(1, out.connections / 4);
  return out;
}

log::options log_of(const node_spec& spec, bool json) {
  log::options out;
  for (auto [name, level] : {std::pair{"trace", log::level::trace},
                             {"debug", log::level::debug},
                             {"info", log::level::info},
                             {"warn", log::level::warn},
                             {"error", log::level::error}})
    if (spec.log.level == name)
      out.threshold = level;
  out.json = json || spec.log.json;
  out.file = spec.log.file;
  return out;
}

std::vector<std::string> need_restart(const node_spec& now, const node_spec& wanted) {
  std::vector<std::string> out;
  auto compare = [&out](const char* name, const auto& a, const auto& b) {
    if (encode(a) != encode(b))
      out.emplace_back(name);
  };
  compare("data_dir", now.data_dir, wanted.data_dir);
  compare("listen", now.listen, wanted.listen);
  compare("token_file", now.token_file, wanted.token_file);
  compare("provider", now.providers, wanted.providers);
  compare("device", now.devices, wanted.devices);
  compare("cluster", now.cluster, wanted.cluster);
  compare("sandbox", now.sandbox, wanted.sandbox);
  compare("knowledge", now.knowledge, wanted.knowledge);
  compare("code_search", now.code_search, wanted.code_search);
  compare("limits.campaigns", now.limits.campaigns, wanted.limits.campaigns);
  compare("limits.compilers", now.limits.compilers, wanted.limits.compilers);
  compare("limits.memory_mib", now.limits.memory_mib, wanted.limits.memory_mib);
  compare("limits.disk_reserve_mib", now.limits.disk_reserve_mib, wanted.limits.disk_reserve_mib);
  compare("limits.keep_candidates", now.limits.keep_candidates, wanted.limits.keep_candidates);
  return out;
}

} // namespace kevolve
