#include "runtime/node/node.hpp"

#include "actors/cluster/remote_provider.hpp"
#include "actors/devices/compiler_worker.hpp"
#include "actors/devices/device.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "actors/journal/journal.hpp"
#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/knowledge_base.hpp"
#include "actors/knowledge/skill_book.hpp"
#include "actors/messages/keys.hpp"
#include "actors/models/models.hpp"
#include "actors/models/relay.hpp"
#include "backends/missing_helper.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/control_group.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/admin_server.hpp"
#include "runtime/node/campaigns.hpp"
#include "runtime/node/cluster_parts.hpp"
#include "runtime/node/data_directory.hpp"
#include "runtime/node/garbage_collect.hpp"
#include "runtime/node/node_parts.hpp"
#include "runtime/node/retention.hpp"
#include "runtime/node/scheduler.hpp"
#include "runtime/node/supervisor.hpp"
#include "runtime/node/take_over.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace kevolve {

namespace {

constexpr auto stop_grace = std::chrono::seconds{10};
constexpr auto kill_grace = std::chrono::seconds{3};
// Calls of other nodes that a node passes on to one provider; the provider's own limits apply at the asking node.
constexpr uint32_t model_calls_at_once = 64;
// Time that jobs of other nodes may still take when this one stops; the rest is returned.
constexpr auto guests_grace = std::chrono::milliseconds{10'000};
// Numbers of epochs and leases for one session, and for one scheduler instance in it. The next one starts above them.
constexpr uint64_t epochs_per_session = uint64_t{1} << 40U;
constexpr uint64_t epochs_per_instance = uint64_t{1} << 24U;

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

// Reads the node's id, made once, and this session's number.
result<void> open_session(store& data, bool read_only, id128& id, uint64_t& session) {
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
  return data.put(table::meta, "node/session", encode(session));
}

// Keeps threads made from now on off the timing cores, unless that leaves none.
void leave_timing_cores(const std::map<std::string, std::shared_ptr<const target>>& targets,
                        const std::set<std::string>& batch) {
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

helper_options to_options(const helper_command& c, const std::string& log_path) {
  return {c.argv, c.environment, c.cores, log_path};
}

template <class Handle>
Handle add_proxy(caf::actor_system& system, const std::shared_ptr<actor_status_table>& statuses, child_spec& child) {
  child.proxy = spawn_tracked(system, statuses, "proxy", child.kind + " " + child.name, 0, proxy);
  return caf::actor_cast<Handle>(child.proxy);
}

// Makes the way to the cluster, if the settings name one, and what the journal does for it.
journal_hooks shared_part(node_parts& p) {
  const auto& spec = p.options.cluster;
  if (spec.postgres.empty() || p.options.read_only)
    return {};
  child_spec child;
  child.kind = "cluster";
  child.name = node_name(spec);
  p.cluster = add_proxy<cluster_actor>(p.system, p.statuses, child);
  journal_hooks out;
  if (spec.role != "home")
    return out;
  out.after = [link = caf::actor_cast<caf::actor>(p.cluster)](const std::vector<transaction>& group) {
    if (auto results = results_in(group); !results.empty())
      caf::anon_send(link, atom::publish_v, std::move(results));
  };
  if (spec.durable == "cluster") {
    p.records = std::make_shared<cluster_journal>([spec] { return connection_options_of(spec); },
                                                  member_of(spec, p.instance, p.id), p.data);
    out.before = [records = p.records](const std::vector<id128>& campaigns, const std::vector<transaction>& group) {
      return records->replicate(campaigns, group);
    };
  }
  return out;
}

std::vector<child_spec> core_children(node_parts& p) {
  child_spec journal_child;
  journal_child.kind = "journal";
  journal_child.name = "journal";
  p.journal = add_proxy<journal_actor>(p.system, p.statuses, journal_child);
  auto reserve = static_cast<uint64_t>(p.options.disk_reserve_mib) << 20U;
  journal_child.start = [statuses = p.statuses, data = p.data, reserve,
                         hooks = shared_part(p)](caf::event_based_actor* s, uint64_t owner) {
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

template <class Fun>
child_spec resource_child(node_parts& p, const char* kind, const std::string& id, const helper_command& command,
                          std::vector<std::string> capabilities, Fun fun) {
  helper_setup setup;
  setup.io = &p.io;
  setup.options = to_options(command, p.options.data_dir + "/helpers.log");
  setup.offer.resource = std::string{kind} == "device" ? "device" : "compiler";
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
      child.start = [statuses = p.statuses,
                     far = remote_provider_setup{one.plan.name, p.options.cluster.run_on, p.cluster}](
                        caf::event_based_actor* s, uint64_t owner) {
        return caf::actor_cast<caf::actor>(
            spawn_tracked(*s, statuses, "provider", far.name, owner, remote_provider, far));
      };
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

// The number of compile workers of a target.
size_t compilers_of(const node_parts& p, const target& t) {
  return p.options.compilers > 0 ? static_cast<size_t>(p.options.compilers)
                                 : std::max<size_t>(1, t.compile_server().cores.size());
}

// A target without devices here is served only where devices are elsewhere.
bool is_served(const node_parts& p, const std::string& name, const target& t) {
  return !t.devices().empty() || p.options.batch.contains(name) || !p.options.cluster.postgres.empty();
}

// Adds the node's link to its cluster.
void add_cluster(node_parts& p, std::vector<child_spec>& out) {
  const auto& spec = p.options.cluster;
  if (!p.cluster)
    return;
  std::map<std::string, uint32_t> compilers;
  for (const auto& [name, t] : p.targets)
    if (is_served(p, name, *t))
      compilers[name] = static_cast<uint32_t>(compilers_of(p, *t));
  auto judged_away = p.options.batch;
  judged_away.insert(p.options.elsewhere.begin(), p.options.elsewhere.end());
  cluster_setup setup;
  setup.options = [spec] { return connection_options_of(spec); };
  setup.self = member_of(spec, p.instance, p.id);
  setup.self.resources = resources_of(p.targets, judged_away, compilers, static_cast<uint32_t>(spec.waits));
  for (const auto& s : p.model_sources) {
    setup.providers[s.first] = s.second;
    setup.self.resources.push_back({"model", s.first, model_calls_form, model_calls_at_once, "language model"});
  }
  setup.board = p.others = std::make_shared<cluster_board>();
  setup.scheduler = p.scheduler;
  setup.asked_labels = spec.run_on;
  child_spec child;
  child.kind = "cluster";
  child.name = setup.self.name;
  child.proxy = caf::actor_cast<caf::actor>(p.cluster);
  child.start = [statuses = p.statuses, setup](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(
        spawn_tracked<caf::detached>(*s, statuses, "cluster", setup.self.name, owner, cluster_link, setup));
  };
  out.push_back(std::move(child));
}

std::vector<child_spec> resource_children(node_parts& p) {
  std::vector<child_spec> out;
  add_models(p, out);
  add_cluster(p, out);
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

void stop_stage(node_parts& p, caf::actor& stage, const char* name) {
  if (!stage)
    return;
  caf::scoped_actor self{p.system};
  self->monitor(stage);
  for (auto reason : {caf::exit_reason::user_shutdown, caf::exit_reason::kill}) {
    self->send_exit(stage, reason);
    auto ended = false;
    self->receive([&](const caf::down_msg&) { ended = true; },
                  caf::after(reason == caf::exit_reason::kill ? kill_grace : stop_grace) >> [] {});
    if (ended) {
      stage = nullptr;
      return;
    }
    log::warn("node", "{} does not stop in order", name);
  }
  stage = nullptr;
}

// Lets jobs of other nodes end, returns the others, and tells the cluster.
void leave_cluster(node_parts& p) {
  if (!p.cluster)
    return;
  caf::scoped_actor self{p.system};
  self->request(p.cluster, guests_grace + stop_grace, atom::release_v, static_cast<uint32_t>(guests_grace.count()))
      .receive([](bool) {}, [](caf::error& e) { log::warn("node", "the cluster: {}", to_string(to_failure(e))); });
  p.cluster = nullptr;
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
  std::error_code ec;
  options.data_dir = std::filesystem::absolute(options.data_dir, ec).string();
  if (!options.read_only) { // it will start helpers, which have groups of their own
    settle_in_leaf_group();
    sweep_groups();
    remove_leftovers(options.data_dir);
  }
  std::map<std::string, std::shared_ptr<const target>> targets;
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
    targets[name] = std::move(*t);
  }
  id128 id;
  uint64_t session = 0;
  if (auto r = open_session(**data, options.read_only, id, session); !r)
    return tl::unexpected(r.error());
  leave_timing_cores(targets, options.batch); // before the threads below are started
  std::vector<provider_setup> providers;
  if (!options.providers.empty()) {
    auto transport = std::make_shared<model_transport>();
    for (const auto& spec : options.providers) {
      auto one = setup_of(spec, transport);
      if (!one)
        return tl::unexpected(one.error());
      if (auto key = key_of(*one); !key && !spec.elsewhere) // read again for every call, so it may be added later
        log::warn("node", "provider '{}' cannot be asked yet: {}", spec.name, key.error().detail);
      providers.push_back(std::move(*one));
    }
  }
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
  auto p = std::make_unique<node::parts>(std::move(options), std::move(*data), std::move(targets), id, session);
  std::vector<std::string> names;
  std::set<std::string> unpriced;
  for (const auto& one : providers) {
    names.push_back(one.plan.name);
    if (one.plan.prices.prices.empty())
      unpriced.insert(one.plan.name);
  }
  p->providers = std::move(providers);
  p->knowledge = std::make_shared<const knowledge::knowledge_base>(std::move(*documents));
  p->code = std::move(code);
  p->board = std::make_shared<model_board>(std::move(names), std::move(unpriced));
  p->core = add_supervisor(*p, "core", {}, core_children(*p));
  p->resources = add_supervisor(*p, "resources", patient(), resource_children(*p));
  child_spec directory;
  directory.kind = "campaigns";
  directory.name = "campaigns";
  p->campaigns = add_proxy<campaigns_actor>(p->system, p->statuses, directory);
  campaign_dependencies ground{id,       session,   p->statuses, p->journal, p->scheduler,
                               p->relay, p->models, p->board,    p->targets};
  ground.knowledge = p->knowledge;
  ground.code = p->code;
  ground.skills = p->skills;
  ground.skills_now = p->skills_now;
  ground.places = static_cast<uint64_t>(std::max<int64_t>(p->options.campaigns, 0));
  std::vector<child_spec> work;
  const auto half = p->options.read_only ? result<std::vector<id128>>{} : half_forgotten(*p->data);
  if (!p->options.read_only && (p->options.keep_candidates > 0 || !half || !half->empty())) {
    child_spec keeper;
    keeper.kind = "retention";
    keeper.name = "retention";
    ground.retention = add_proxy<caf::actor>(p->system, p->statuses, keeper);
    keeper.start = [statuses = p->statuses, data = p->data, campaigns = p->campaigns, held = ground.held,
                    keep = static_cast<uint64_t>(p->options.keep_candidates)](caf::event_based_actor* s,
                                                                              uint64_t owner) {
      return spawn_tracked<caf::detached>(*s, statuses, "retention", "retention", owner, retention, data, campaigns,
                                          held, keep);
    };
    work.push_back(std::move(keeper));
  }
  ground.batch = p->options.batch;
  ground.cluster = p->others;
  ground.shared_results = caf::actor_cast<caf::actor>(p->cluster);
  ground.elsewhere = p->options.elsewhere;
  ground.is_worker = !p->options.cluster.postgres.empty() && p->options.cluster.role != "home";
  ground.evaluate_only = p->options.evaluate_only;
  const profiler_settings profilers{p->options.bin_dir.empty() ? helper_directory() : p->options.bin_dir,
                                    p->options.decisions, p->options.cores};
  if (!p->options.read_only) // the place names the store, which it must not outlive
    ground.profiling = std::shared_ptr<const profiling_place>{new profiling_place{*p->data, profilers},
                                                              [data = p->data](const profiling_place* x) { delete x; }};
  // Where campaigns are the cluster's, it is asked first whether they are this node's still.
  directory.start = [ground, all = p->options.resume_all && !p->records](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(
        spawn_tracked(*s, ground.statuses, "campaigns", "campaigns", owner, kevolve::campaigns, ground, all));
  };
  work.insert(work.begin(), std::move(directory));
  if (p->records) {
    child_spec taker;
    taker.kind = "take_over";
    taker.name = "take_over";
    taker.start = [statuses = p->statuses, records = p->records, data = p->data,
                   campaigns = p->campaigns](caf::event_based_actor* s, uint64_t owner) {
      return caf::actor_cast<caf::actor>(spawn_tracked<caf::detached>(*s, statuses, "take_over", "take_over", owner,
                                                                      take_over, records, data, campaigns));
    };
    work.push_back(std::move(taker));
  }
  p->work = add_supervisor(*p, "campaigns", {}, std::move(work));
  std::unique_ptr<node> out{new node{std::move(p)}};
  auto& parts = *out->parts_;
  if (!parts.options.listen.empty()) {
    admin_options admin;
    admin.listen = parts.options.listen;
    admin.data_dir = parts.options.data_dir;
    admin.token_file = out->token_file();
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
    admin.profilers = profilers;
    auto reach = parts.options.batch;
    reach.insert(parts.options.elsewhere.begin(), parts.options.elsewhere.end());
    admin.no_devices = !parts.targets.empty()
                       && std::all_of(parts.targets.begin(), parts.targets.end(),
                                      [&](const auto& t) { return reach.contains(t.first); });
    admin.knowledge = parts.knowledge;
    admin.tls = parts.options.tls;
    admin.limits = parts.options.http;
    admin.broken = [n = out.get(), data = parts.data, reserve] {
      const auto why = n->broken();
      return why.empty() ? no_room_now(*data, reserve) : why;
    };
    auto server = admin_server::start(std::move(admin));
    if (!server)
      return tl::unexpected(server.error());
    parts.admin = std::move(*server);
  }
  return out;
}

node::node(std::unique_ptr<parts> p) : parts_(std::move(p)) {}

node::~node() {
  auto& p = *parts_;
  p.stopping->store(true);
  if (p.admin)
    p.admin->stop();
  stop_stage(p, p.work, "campaigns");
  p.campaigns = nullptr;
  leave_cluster(p);
  stop_stage(p, p.resources, "resources");
  p.providers.clear();    // their connections tell actors how they end, which is impossible once the system is gone
  p.helpers_done.reset(); // the I/O thread ends when the last helper has ended
  if (p.io_thread.joinable())
    p.io_thread.join();
  sweep_groups();
  p.relay = nullptr;
  p.models = nullptr;
  p.skills = nullptr;
  p.scheduler = nullptr;
  p.journal = nullptr;
  stop_stage(p, p.core, "core");
}

caf::actor_system& node::system() {
  return parts_->system;
}
const std::shared_ptr<actor_status_table>& node::statuses() const {
  return parts_->statuses;
}
const campaigns_actor& node::campaigns() const {
  return parts_->campaigns;
}
const journal_actor& node::journal() const {
  return parts_->journal;
}
const scheduler_actor& node::scheduler() const {
  return parts_->scheduler;
}
const relay_actor& node::relay() const {
  return parts_->relay;
}
const models_actor& node::models() const {
  return parts_->models;
}
const skill_book_actor& node::skills() const {
  return parts_->skills;
}
std::shared_ptr<const target> node::find_target(const std::string& name) const {
  auto t = parts_->targets.find(name);
  return t == parts_->targets.end() ? nullptr : t->second;
}
id128 node::id() const {
  return parts_->id;
}
const std::string& node::data_dir() const {
  return parts_->options.data_dir;
}
std::string node::admin_url() const {
  return parts_->admin ? parts_->admin->url() : "";
}
std::string node::token_file() const {
  const auto& o = parts_->options;
  return o.token_file.empty() ? o.data_dir + "/token" : o.token_file;
}
std::string node::broken() const {
  std::lock_guard lock{parts_->guard};
  return parts_->broken;
}
result<void> node::change_admin(const tls_files& tls, const http_limits& limits) {
  return parts_->admin ? parts_->admin->change(tls, limits) : result<void>{};
}
node_parts& node::parts_of() {
  return *parts_;
}

} // namespace kevolve
