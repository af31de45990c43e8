#include "runtime/node/node_children.hpp"

#include "actors/devices/compiler_worker.hpp"
#include "actors/devices/device.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "actors/knowledge/skill_book.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "actors/models/models.hpp"
#include "actors/models/relay.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/campaigns.hpp"
#include "runtime/node/cluster_journal.hpp"
#include "runtime/node/cluster_wiring.hpp"
#include "runtime/node/references.hpp"
#include "runtime/node/retention.hpp"
#include "runtime/node/scheduler.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Numbers of epochs and leases for one session, and for one scheduler instance in it. The next one starts above them.
constexpr uint64_t epochs_per_session = uint64_t{1} << 40U;
constexpr uint64_t epochs_per_instance = uint64_t{1} << 24U;

helper_options to_options(const helper_command& c, const std::string& log_path) {
  return {c.argv, c.environment, c.cores, log_path};
}

template <class Fun>
child_spec resource_child(node_parts& p, const char* kind, const std::string& id, const helper_command& command,
                          std::vector<std::string> capabilities, Fun fun) {
  helper_setup setup;
  setup.io = &p.io;
  setup.options = to_options(command, p.options.data_dir + "/helpers.log");
  setup.offer.resource = std::string{kind} == resource_kind::device ? resource_kind::device : resource_kind::compiler;
  setup.offer.resource_id = id;
  setup.offer.capabilities = std::move(capabilities);
  setup.offer.owner = p.id;
  setup.scheduler = p.scheduler;
  setup.health = p.options.health;
  setup.board = p.devices;
  setup.journal = p.journal;
  setup.stopping = p.stopping;
  child_spec child;
  child.kind = kind;
  child.name = id;
  child.start = [statuses = p.statuses, setup, kind = std::string{kind}, id, fun](caf::event_based_actor* s,
                                                                                  uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, statuses, kind, id, owner, fun, setup));
  };
  return child;
}

// Shows a device's last stored record until the device reports.
void show_stored(node_parts& p, const std::string& device) {
  const auto bytes = p.data->get(table::index, keys::device(device));
  if (bytes && !*bytes)
    return;
  const auto record = bytes ? decode_older<device_record>(**bytes) : tl::unexpected(bytes.error());
  if (record)
    p.devices->show(device, *record);
  else
    log::warn("node", "what {} was like last cannot be read: {}", device, to_string(record.error()));
}

// Adds an actor per provider, which holds its connections, and one actor that decides for all of them.
void add_models(node_parts& p, std::vector<child_spec>& out) {
  if (p.providers.empty())
    return;
  hide_memory(); // this process holds keys: prevents core dumps, and reads by other processes of its user
  models_setup setup;
  setup.journal = p.journal;
  setup.board = p.board;
  setup.now_ns = wall_clock_ns;
  for (const auto& one : p.providers) {
    child_spec child;
    child.kind = "provider";
    child.name = one.plan.name;
    setup.sources.push_back({one.plan, add_proxy<provider_actor>(p.system, p.statuses, child)});
    if (!one.elsewhere)
      p.model_sources[one.plan.name] = setup.sources.back().proxy;
    if (one.elsewhere)
      child.start = remote_provider_start(p, one.plan.name);
    else
      child.start = [statuses = p.statuses, one](caf::event_based_actor* s, uint64_t owner) {
        return caf::actor_cast<caf::actor>(
            spawn_tracked(*s, statuses, "provider", one.plan.name, owner, kevolve::provider, one));
      };
    out.push_back(std::move(child));
  }
  child_spec child;
  child.kind = "models";
  child.name = "models";
  p.models = add_proxy<models_actor>(p.system, p.statuses, child);
  child.start = [statuses = p.statuses, setup](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, statuses, "models", "models", owner, kevolve::models, setup));
  };
  out.push_back(std::move(child));
}

} // namespace

std::vector<child_spec> core_children(node_parts& p) {
  child_spec journal_child;
  journal_child.kind = "journal";
  journal_child.name = "journal";
  p.journal = add_proxy<journal_actor>(p.system, p.statuses, journal_child);
  auto reserve = static_cast<uint64_t>(p.options.disk_reserve_mib) << 20U;
  journal_child.start = [statuses = p.statuses, data = p.data, reserve,
                         hooks = journal_hooks_of(p)](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(
        spawn_tracked<caf::detached>(*s, statuses, "journal", "journal", owner, journal, data, reserve, hooks));
  };
  child_spec scheduler_child;
  scheduler_child.kind = "scheduler";
  scheduler_child.name = "scheduler";
  p.scheduler = add_proxy<scheduler_actor>(p.system, p.statuses, scheduler_child);
  scheduler_child.start = [statuses = p.statuses, first = p.session * epochs_per_session](caf::event_based_actor* s,
                                                                                          uint64_t owner) mutable {
    first += epochs_per_instance;
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, statuses, "scheduler", "scheduler", owner, scheduler, first));
  };
  child_spec book_child;
  book_child.kind = "skill_book";
  book_child.name = "skills";
  p.skills = add_proxy<skill_book_actor>(p.system, p.statuses, book_child);
  book_child.start = [statuses = p.statuses, data = p.data, keeper = p.journal,
                      board = p.skills_now](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, statuses, "skill_book", "skills", owner, skill_book, data,
                                                     keeper, board, std::function<int64_t()>{wall_clock_ns}));
  };
  return {std::move(journal_child), std::move(scheduler_child), std::move(book_child)};
}

size_t compilers_of(const node_parts& p, const target& t) {
  return p.options.compilers > 0 ? static_cast<size_t>(p.options.compilers)
                                 : std::max<size_t>(1, t.compile_server().cores.size());
}

bool is_served(const node_parts& p, const std::string& name, const target& t) {
  return !t.devices().empty() || p.options.batch.contains(name) || !p.options.cluster.postgres.empty();
}

std::vector<child_spec> resource_children(node_parts& p) {
  std::vector<child_spec> out;
  add_models(p, out);
  add_cluster_link(p, out);
  auto& relay_child = out.emplace_back();
  relay_child.kind = "relay";
  relay_child.name = "relay";
  p.relay = add_proxy<relay_actor>(p.system, p.statuses, relay_child);
  relay_child.start = [statuses = p.statuses, journal = p.journal](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(
        spawn_tracked(*s, statuses, "relay", "relay", owner, kevolve::relay, journal, wall_clock_ns));
  };
  for (const auto& [name, t] : p.targets) {
    const bool away = p.options.batch.contains(name);
    if (!is_served(p, name, *t))
      continue; // no campaign will use its compilers
    const auto slots = compilers_of(p, *t);
    auto compiling = t->compile_server();
    compiling.argv.insert(compiling.argv.end(), {"--keep", p.options.data_dir + "/builds"});
    for (size_t i = 0; i < slots; ++i)
      out.push_back(resource_child(p, "compiler_worker", name + "-compiler:" + std::to_string(i), compiling,
                                   {"target:" + name, on_this_node}, compiler_worker));
    if (away || p.options.elsewhere.contains(name))
      continue;
    if (t->devices_of() != name && p.targets.contains(t->devices_of()) && !p.options.batch.contains(t->devices_of()))
      continue; // the devices of the other target serve it
    std::vector<std::string> capabilities;
    for (const auto& [other, u] : p.targets)
      if ((other == name || u->devices_of() == name) && !p.options.batch.contains(other))
        capabilities.push_back("target:" + other);
    for (const auto& d : t->devices()) {
      show_stored(p, d.id);
      auto offered = capabilities;
      offered.emplace_back(on_this_node);
      offered.push_back("hardware:" + t->device_fingerprint(d));
      out.push_back(resource_child(p, "device", d.id, t->judge(d), std::move(offered), device));
    }
  }
  return out;
}

profiler_settings profilers_of(const node_options& o) {
  return {o.bin_dir.empty() ? helper_directory() : o.bin_dir, o.decisions, o.cores};
}

std::vector<child_spec> work_children(node_parts& p) {
  child_spec directory;
  directory.kind = "campaigns";
  directory.name = "campaigns";
  p.campaigns = add_proxy<campaigns_actor>(p.system, p.statuses, directory);
  campaign_dependencies ground{p.id,    p.session, p.statuses, p.journal, p.scheduler,
                               p.relay, p.models,  p.board,    p.targets};
  ground.documents = p.documents;
  ground.code = p.code;
  ground.skills = p.skills;
  ground.skills_now = p.skills_now;
  ground.places = static_cast<uint64_t>(std::max<int64_t>(p.options.campaigns, 0));
  std::vector<child_spec> work;
  const auto half = p.options.read_only ? result<std::vector<id128>>{} : half_forgotten(*p.data);
  if (!p.options.read_only && (p.options.keep_candidates > 0 || !half || !half->empty())) {
    child_spec keeper;
    keeper.kind = "retention";
    keeper.name = "retention";
    ground.retention = add_proxy<caf::actor>(p.system, p.statuses, keeper);
    keeper.start = [statuses = p.statuses, data = p.data, campaigns = p.campaigns, held = ground.held,
                    keep = static_cast<uint64_t>(p.options.keep_candidates)](caf::event_based_actor* s,
                                                                             uint64_t owner) {
      return spawn_tracked<caf::detached>(*s, statuses, "retention", "retention", owner, retention, data, campaigns,
                                          held, keep);
    };
    work.push_back(std::move(keeper));
  }
  ground.batch = p.options.batch;
  ground.cluster = p.others;
  ground.homes = p.records ? p.records->homes() : nullptr;
  ground.shared_results = caf::actor_cast<caf::actor>(p.cluster);
  ground.elsewhere = p.options.elsewhere;
  ground.is_worker = !p.options.cluster.postgres.empty() && p.options.cluster.role != cluster_role::home;
  ground.evaluate_only = p.options.evaluate_only;
  if (!p.options.read_only) // the place names the store, which it must not outlive
    ground.profiling = std::shared_ptr<const profiling_place>{new profiling_place{*p.data, profilers_of(p.options)},
                                                              [data = p.data](const profiling_place* x) { delete x; }};
  // Where campaigns are the cluster's, it is asked first whether they are this node's still.
  directory.start = [ground, all = p.options.resume_all && !p.records](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(
        spawn_tracked(*s, ground.statuses, "campaigns", "campaigns", owner, kevolve::campaigns, ground, all));
  };
  work.insert(work.begin(), std::move(directory));
  add_take_over(p, work);
  return work;
}

} // namespace kevolve
