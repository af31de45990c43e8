// Starts a node: checks the options, opens the store, and makes the parts from the bottom up.
#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/document_shelf.hpp"
#include "backends/missing_helper.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/control_group.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/admin/admin_server.hpp"
#include "runtime/node/cluster_parts.hpp"
#include "runtime/node/data_directory.hpp"
#include "runtime/node/garbage_collect.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_children.hpp"
#include "runtime/node/node_parts.hpp"

#include <caf/exit_reason.hpp>

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace kevolve {

namespace {

using target_map = std::map<std::string, std::shared_ptr<const target>>;

// Checks for the folder in which helpers build; without it each of them would end again and again.
result<void> has_temporary_folder() {
  std::error_code ec;
  if (!std::filesystem::temp_directory_path(ec).empty())
    return {};
  return fail(errc::bad_input, "the folder for temporary files is not there: make it, or have TMPDIR name another");
}

// Returns a value of the node's own from `meta`.
template <class T>
result<T> kept(store& data, const std::string& key, const T& fallback) {
  auto bytes = data.get(table::meta, key);
  if (!bytes)
    return tl::unexpected(bytes.error());
  if (!*bytes)
    return fallback;
  return decode<T>(**bytes);
}

// Reads the node's id, made once, and this session's number. Notes the cluster that keeps the node's campaigns.
result<void> open_session(store& data, bool read_only, const std::string& cluster, id128& id, uint64_t& session) {
  auto known = kept(data, "node/id", random_id());
  if (!known)
    return tl::unexpected(known.error());
  auto last = kept<uint64_t>(data, "node/session", 0);
  if (!last)
    return tl::unexpected(last.error());
  id = *known;
  session = *last + 1;
  if (read_only)
    return {};
  if (auto r = data.put(table::meta, "node/id", encode(id)); !r)
    return r;
  if (auto r = data.put(table::meta, keeping_cluster, encode(cluster)); !r)
    return r;
  return data.put(table::meta, "node/session", encode(session));
}

// Keeps threads made from now on off the timing cores, unless that leaves none.
void leave_timing_cores(const target_map& targets, const std::set<std::string>& batch) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0)
    return;
  for (const auto& [name, t] : targets)
    for (const auto& d : batch.contains(name) ? std::vector<device_description>{} : t->devices())
      for (auto core : d.cores)
        if (core >= 0 && CPU_COUNT(&mine) > 1)
          CPU_CLR(static_cast<size_t>(core), &mine);
  ::sched_setaffinity(0, sizeof mine, &mine);
}

// Resources may fail for long. They back off to half a minute instead of ending the node.
supervision_config patient() {
  supervision_config c;
  c.max_restarts = 1'000'000;
  c.backoff_max = std::chrono::seconds{30};
  return c;
}

caf::actor add_supervisor(node_parts& p, const char* name, supervision_config config,
                          std::vector<child_spec> children) {
  auto s = spawn_tracked(p.system, p.statuses, "supervisor", name, 0, supervisor, config, std::move(children));
  s->attach_functor([&p, name](const caf::error& reason) {
    if (reason && reason != caf::exit_reason::user_shutdown) {
      std::lock_guard lock{p.guard};
      p.broken = std::string{name} + ": " + describe_end(reason);
    }
  });
  return s;
}

// Returns why a write would fail now; empty if it would succeed. An earlier refusal does not count: the next write is
// tried again, and an idle node writes nothing.
std::string no_room_now(const store& data, uint64_t reserve) {
  const auto room = has_room(data.directory(), reserve);
  if (room)
    return {};
  const auto refused = data.degraded();
  return to_string(room.error()) + (refused ? "; the last write was refused: " + to_string(*refused) : std::string{});
}

result<target_map> make_targets(node_options& options) {
  target_map out;
  for (const auto& name : options.targets) {
    auto t = make_target(name, options.bin_dir, options.cores[name], options.decisions[name]);
    if (!t)
      return tl::unexpected(t.error());
    if (auto missing = options.require_helpers ? missing_helper(**t, !options.batch.contains(name)) : std::string{};
        !missing.empty())
      return fail(errc::bad_input, std::move(missing));
    for (const auto& id : options.devices[name]) {
      std::string there;
      auto known = false;
      for (const auto& d : (*t)->devices()) {
        known = known || d.id == id;
        there += " " + d.id;
      }
      if (!known)
        return fail(errc::bad_input, "target " + name + " has no device '" + id + "'; it has:"
                                         + (there.empty() ? " none. " + (*t)->missing_requirements() : there));
    }
    // If the node was started for a campaign, that campaign gets the message instead.
    if (auto missing_requirements =
            options.resume_all && !options.batch.contains(name) ? (*t)->missing_requirements() : std::string{};
        !missing_requirements.empty())
      log::warn("node", "no campaign on target {} can run here: {}", name, missing_requirements);
    out[name] = std::move(*t);
  }
  return out;
}

result<std::vector<provider_setup>> make_providers(const node_options& options) {
  std::vector<provider_setup> out;
  if (options.providers.empty())
    return out;
  auto transport = std::make_shared<model_transport>();
  for (const auto& spec : options.providers) {
    auto one = setup_of(spec, transport);
    if (!one)
      return tl::unexpected(one.error());
    if (auto key = key_of(*one); !key && !spec.elsewhere) // read again for every call, so it may be added later
      log::warn("node", "provider '{}' cannot be asked yet: {}", spec.name, key.error().detail);
    out.push_back(std::move(*one));
  }
  return out;
}

admin_options admin_of(node& n, node_parts& parts, uint64_t reserve) {
  admin_options admin;
  admin.listen = parts.options.listen;
  admin.data_dir = parts.options.data_dir;
  admin.token_file = n.token_file();
  admin.system = &parts.system;
  admin.campaigns = parts.campaigns;
  admin.journal = parts.journal;
  admin.scheduler = parts.scheduler;
  admin.relay = parts.relay;
  admin.models = parts.models;
  admin.cluster = parts.cluster;
  admin.skills = parts.skills;
  admin.statuses = parts.statuses;
  admin.devices = parts.devices;
  admin.data = parts.data;
  admin.profilers = profilers_of(parts.options);
  auto reach = parts.options.batch;
  reach.insert(parts.options.elsewhere.begin(), parts.options.elsewhere.end());
  admin.no_devices = !parts.targets.empty()
                     && std::all_of(parts.targets.begin(), parts.targets.end(),
                                    [&](const auto& t) { return reach.contains(t.first); });
  admin.documents = parts.documents;
  admin.tls = parts.options.tls;
  admin.limits = parts.options.http;
  // Without its cluster a node takes no work whose jobs or records are the cluster's.
  const bool needs_cluster = parts.others && (parts.records || parts.options.cluster.role != cluster_role::home);
  if (needs_cluster)
    admin.away = [cluster = parts.others] { return cluster->away(); };
  admin.broken = [n = &n, data = parts.data, reserve] {
    auto why = n->broken();
    return why.empty() ? no_room_now(*data, reserve) : why;
  };
  return admin;
}

} // namespace

result<std::unique_ptr<node>> node::start(node_options options) {
  if (options.bin_dir.empty())
    options.bin_dir = helper_directory();
  if (auto fits = may_be_data_directory(options.data_dir); !fits)
    return tl::unexpected(fits.error());
  if (auto there = options.read_only ? result<void>{} : has_temporary_folder(); !there)
    return tl::unexpected(there.error());
  const auto reserve = static_cast<uint64_t>(options.disk_reserve_mib) << 20U;
  if (auto room = options.read_only ? result<void>{} : has_room(options.data_dir, reserve); !room)
    return tl::unexpected(room.error());
  store_options stored;
  stored.read_only = options.read_only;
  auto data = store::open(options.data_dir, stored);
  if (!data)
    return tl::unexpected(data.error());
  if (auto fits = options.read_only ? result<void>{} : may_join(options.cluster); !fits)
    return tl::unexpected(fits.error());
  std::error_code ec;
  options.data_dir = std::filesystem::absolute(options.data_dir, ec).string();
  if (!options.read_only) { // it will start helpers, which have groups of their own
    settle_in_leaf_group();
    sweep_groups();
    remove_leftovers(options.data_dir);
  }
  auto targets = make_targets(options);
  if (!targets)
    return tl::unexpected(targets.error());
  id128 id;
  uint64_t session = 0;
  const auto cluster = keeps_campaigns(options.cluster) ? options.cluster.deployment : std::string{};
  if (auto r = open_session(**data, options.read_only, cluster, id, session); !r)
    return tl::unexpected(r.error());
  leave_timing_cores(*targets, options.batch); // before the threads below are started
  auto providers = make_providers(options);
  if (!providers)
    return tl::unexpected(providers.error());
  std::shared_ptr<const knowledge::code_roots> code;
  if (!options.code_roots.empty()) {
    auto roots = knowledge::code_roots::open(options.code_roots);
    if (!roots)
      return tl::unexpected(roots.error());
    code = std::make_shared<const knowledge::code_roots>(std::move(*roots));
  }
  auto documents = knowledge::knowledge_base::load(options.knowledge_folders, code.get());
  if (!documents)
    return tl::unexpected(documents.error());
  for (const auto& d : documents->problems())
    log::warn("knowledge", "a document is left out: {}", to_string(d));
  auto p = std::make_unique<node::parts>(std::move(options), std::move(*data), std::move(*targets), id, session);
  std::vector<std::string> names;
  std::set<std::string> unpriced;
  for (const auto& one : *providers) {
    names.push_back(one.plan.name);
    if (one.plan.prices.prices.empty())
      unpriced.insert(one.plan.name);
  }
  p->providers = std::move(*providers);
  p->documents = std::make_shared<knowledge::document_shelf>(
      std::make_shared<const knowledge::knowledge_base>(std::move(*documents)), p->options.knowledge_folders, code);
  p->code = std::move(code);
  p->board = std::make_shared<model_board>(std::move(names), std::move(unpriced));
  p->core = add_supervisor(*p, "core", {}, core_children(*p));
  p->resources = add_supervisor(*p, "resources", patient(), resource_children(*p));
  p->work = add_supervisor(*p, "campaigns", {}, work_children(*p));
  std::unique_ptr<node> out{new node{std::move(p)}};
  auto& parts = *out->parts_;
  if (!parts.options.listen.empty()) {
    auto server = admin_server::start(admin_of(*out, parts, reserve));
    if (!server)
      return tl::unexpected(server.error());
    parts.admin = std::move(*server);
  }
  return out;
}

} // namespace kevolve
