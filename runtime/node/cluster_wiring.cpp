#include "runtime/node/cluster_wiring.hpp"

#include "actors/cluster/remote_provider.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/cluster_parts.hpp"
#include "runtime/node/node_children.hpp"
#include "runtime/node/take_over.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <unistd.h>

namespace kevolve {

namespace {

// Calls of other nodes that a node passes on to one provider; the provider's own limits apply at the asking node.
constexpr uint32_t model_calls_at_once = 64;
// Time that jobs of other nodes may still take when this one stops; the rest is returned.
constexpr auto guests_grace = std::chrono::milliseconds{10'000};
constexpr auto leaving_grace = std::chrono::seconds{10};

std::set<std::string> judged_away(const node_options& o) {
  auto out = o.batch;
  out.insert(o.elsewhere.begin(), o.elsewhere.end());
  return out;
}

// Returns a function that reads what the devices of these targets are now.
std::function<std::vector<device_reading>()> readings_of(const node_parts& p) {
  std::vector<std::pair<std::shared_ptr<const target>, device_reading>> announced;
  const auto away = judged_away(p.options);
  for (const auto& [name, t] : p.targets)
    for (const auto& d : away.contains(name) ? std::vector<device_description>{} : t->devices())
      announced.push_back({t, {d.id, judge_hardware(t->device_fingerprint(d), t->harness_fingerprint()), {}, 0, {}}});
  return [announced, board = p.devices] {
    std::vector<device_reading> out;
    for (const auto& [t, one] : announced) {
      auto& r = out.emplace_back(one);
      for (const auto& d : t->devices())
        if (d.id == r.device)
          r.found = judge_hardware(t->device_fingerprint(d), t->harness_fingerprint());
      if (const auto m = board->measurement(r.device)) {
        r.serial = m->serial;
        r.figures = device_rates(m->evidence);
      }
    }
    return out;
  };
}

// Runs profiles of other nodes on a device of this one: with its timing core, and its facts about the hardware.
profile_runner profiler_of(const node_parts& p) {
  return [targets = p.targets, settings = profilers_of(p.options)](profile_job job, const std::string& device,
                                                                   const std::function<bool()>& given_up) {
    const auto t = targets.find(job.target);
    if (t == targets.end())
      return result<profiler_answer>{fail(errc::unsupported, "this node does not serve target " + job.target)};
    for (const auto& d : t->second->devices())
      if (d.id == device && !d.cores.empty())
        job.core = d.cores.front();
    auto& text = job.have[to_string(artefact_kind::evidence)];
    text = with_hardware(text, *t->second);
    const auto decisions = settings.decisions.find(job.target);
    auto answer = run_profiler(
        profiler_command(settings.helper_dir,
                         decisions == settings.decisions.end() ? target_options{} : decisions->second),
        job, [](const std::string&) {}, given_up);
    if (answer)
      answer->evidence = std::move(text);
    return answer;
  };
}

} // namespace

journal_hooks journal_hooks_of(node_parts& p) {
  const auto& spec = p.options.cluster;
  if (spec.postgres.empty() || p.options.read_only)
    return {};
  child_spec child;
  child.kind = "cluster";
  child.name = node_name(spec);
  p.cluster = add_proxy<cluster_actor>(p.system, p.statuses, child);
  journal_hooks out;
  if (spec.role != cluster_role::home)
    return out;
  out.after = [link = caf::actor_cast<caf::actor>(p.cluster)](const std::vector<transaction>& group) {
    if (auto shared = to_be_shared(group); !shared.empty())
      caf::anon_send(link, atom::publish_v, std::move(shared));
  };
  if (keeps_campaigns(spec)) {
    p.records = std::make_shared<cluster_journal>([spec] { return connection_options_of(spec); },
                                                  member_of(spec, p.instance, p.id), p.data);
    out.before = [records = p.records](const std::vector<id128>& campaigns, const std::vector<transaction>& group) {
      return records->replicate(campaigns, group);
    };
  }
  return out;
}

void add_cluster_link(node_parts& p, std::vector<child_spec>& out) {
  const auto& spec = p.options.cluster;
  if (!p.cluster)
    return;
  std::map<std::string, uint32_t> compilers;
  for (const auto& [name, t] : p.targets)
    if (is_served(p, name, *t))
      compilers[name] = static_cast<uint32_t>(compilers_of(p, *t));
  cluster_setup setup;
  setup.options = [spec] { return connection_options_of(spec); };
  setup.self = member_of(spec, p.instance, p.id);
  setup.self.resources =
      resources_of(p.targets, judged_away(p.options), compilers, static_cast<uint32_t>(spec.waits),
                   ::access((profilers_of(p.options).helper_dir + "/kevolve-profiler").c_str(), X_OK) == 0);
  for (const auto& s : p.model_sources) {
    setup.providers[s.first] = s.second;
    setup.self.resources.push_back({job_kind::model, s.first, model_calls_form, model_calls_at_once, "language model"});
  }
  setup.board = p.others = std::make_shared<cluster_board>();
  setup.scheduler = p.scheduler;
  setup.skills = p.skills;
  setup.asked_labels = spec.run_on;
  setup.devices = readings_of(p);
  setup.stopping = p.stopping;
  setup.profiler = profiler_of(p);
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

std::function<caf::actor(caf::event_based_actor*, uint64_t)> remote_provider_start(node_parts& p,
                                                                                   const std::string& provider) {
  return [statuses = p.statuses, far = remote_provider_setup{provider, p.cluster}](caf::event_based_actor* s,
                                                                                   uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, statuses, "provider", far.name, owner, remote_provider, far));
  };
}

void add_take_over(node_parts& p, std::vector<child_spec>& out) {
  if (!p.records)
    return;
  child_spec taker;
  taker.kind = "take_over";
  taker.name = "take_over";
  taker.start = [statuses = p.statuses, records = p.records, data = p.data,
                 campaigns = p.campaigns](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked<caf::detached>(*s, statuses, "take_over", "take_over", owner,
                                                                    take_over, records, data, campaigns));
  };
  out.push_back(std::move(taker));
}

void leave_cluster(node_parts& p) {
  if (!p.cluster)
    return;
  caf::scoped_actor self{p.system};
  self->request(p.cluster, guests_grace + leaving_grace, atom::release_v, static_cast<uint32_t>(guests_grace.count()))
      .receive([](bool) {}, [](caf::error& e) { log::warn("node", "the cluster: {}", to_string(to_failure(e))); });
  p.cluster = nullptr;
}

} // namespace kevolve
