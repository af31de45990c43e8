#include "actors/cluster/link_steps.hpp"

#include "actors/cluster/guest_job.hpp"
#include "actors/cluster/job_blobs.hpp"
#include "actors/cluster/remote_slot.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t put_at_once = 64;

template <class Request>
result<Request> request_of(cluster_link_pointer self, const postgres::claimed_job& job) {
  auto request = decode<Request>(job.payload);
  if (!request)
    return tl::unexpected(request.error());
  auto& st = self->state;
  auto attached = attach_blobs(*request, [&](const std::string& digest) -> result<std::string> {
    if (auto known = st.blobs.find(digest))
      return *known;
    auto bytes = postgres::fetch(*st.connection, job.token, digest);
    if (bytes)
      st.blobs.keep(digest, *bytes);
    return bytes;
  });
  if (!attached)
    return tl::unexpected(attached.error());
  return *request;
}

// Decodes what the job's kind asks for. Kinds without a request carry their payload alone.
result<void> read_request(cluster_link_pointer self, const postgres::claimed_job& job, guest_job_setup& setup) {
  const auto read = [&](auto& into) -> result<void> {
    using request_type = typename std::decay_t<decltype(into)>::value_type;
    auto r = request_of<request_type>(self, job);
    if (!r)
      return tl::unexpected(r.error());
    into = std::move(*r);
    return {};
  };
  const std::map<std::string, std::function<result<void>()>> kinds{
      {job_kind::compile, [&] { return read(setup.compile); }},
      {job_kind::judge, [&] { return read(setup.judge); }},
      {job_kind::model, [&] { return read(setup.model); }},
      {job_kind::profile, [&] { return read(setup.profile); }},
      {job_kind::wait, [] { return result<void>{}; }}};
  const auto kind = kinds.find(job.kind);
  return kind == kinds.end() ? fail(errc::unsupported, "a job of kind '" + job.kind + "'") : kind->second();
}

caf::actor make_slot(cluster_link_pointer self, const resource_class& what, size_t number) {
  auto& st = self->state;
  remote_slot_setup setup;
  setup.what = what;
  setup.scheduler = st.setup.scheduler;
  setup.cluster = caf::actor_cast<cluster_actor>(self);
  setup.offer.resource = what.kind == job_kind::judge ? resource_kind::device : resource_kind::compiler;
  setup.offer.resource_id =
      "cluster:" + what.target + ":" + what.kind + ":" + what.hardware.substr(0, 8) + ":" + std::to_string(number);
  setup.offer.capabilities = {"target:" + what.target};
  if (what.kind == job_kind::judge)
    setup.offer.capabilities.push_back("hardware:" + device_of(what.hardware));
  const auto& table = st.own_status->table();
  const auto name = setup.offer.resource_id;
  const auto owner = st.own_status->id();
  if (what.kind == job_kind::judge)
    return caf::actor_cast<caf::actor>(
        spawn_tracked<caf::linked>(*self, table, "remote_slot", name, owner, remote_device, setup));
  return caf::actor_cast<caf::actor>(
      spawn_tracked<caf::linked>(*self, table, "remote_slot", name, owner, remote_compiler, setup));
}

} // namespace

std::vector<std::string> put_group::digests() const {
  std::vector<std::string> out;
  for (const auto& [digest, bytes] : blobs)
    out.push_back(digest);
  return out;
}

std::vector<std::string> put_group::bytes_of(const std::vector<std::string>& digests) const {
  std::vector<std::string> out;
  for (const auto& d : digests)
    if (const auto b = blobs.find(d); b != blobs.end())
      out.push_back(b->second);
  return out;
}

put_group jobs_to_put(cluster_link_pointer self) {
  put_group out;
  auto& st = self->state;
  for (const auto& key : st.to_put) {
    if (out.jobs.size() == put_at_once)
      break;
    ++out.taken;
    const auto s = st.sent.find(key);
    if (s == st.sent.end())
      continue; // cancelled meanwhile
    const auto& job = s->second.job;
    postgres::queued_job j;
    j.key = key;
    j.campaign = job.campaign;
    j.weight = job.weight;
    j.kind = job.kind;
    j.target = job.target;
    j.hardware = job.hardware;
    j.labels = st.setup.asked_labels;
    j.memory_mib = job.memory_mib;
    j.priority = job.priority;
    j.payload = job.payload;
    for (const auto& bytes : job.blobs) {
      j.blobs.push_back(sha256_hex(bytes));
      out.blobs.emplace(j.blobs.back(), bytes);
    }
    out.jobs.push_back(std::move(j));
  }
  return out;
}

void adjust_slots(cluster_link_pointer self, const std::map<resource_class, uint32_t>& capacity) {
  auto& st = self->state;
  for (const auto& [what, slots] : capacity)
    if (what.kind == job_kind::compile || what.kind == job_kind::judge)
      st.slots[what];
  for (auto& [what, actors] : st.slots) {
    const auto found = capacity.find(what);
    const auto wanted = found == capacity.end() ? 0 : jobs_ahead(found->second);
    while (actors.size() > wanted) {
      caf::anon_send(actors.back(), atom::helper_end_v, int32_t{0});
      actors.pop_back();
    }
    while (actors.size() < wanted)
      actors.push_back(make_slot(self, what, actors.size()));
  }
}

std::vector<postgres::offered_resource> free_here(cluster_link_pointer self) {
  auto& st = self->state;
  std::map<resource_class, uint32_t> busy;
  for (const auto& [token, g] : st.guests)
    ++busy[{g.job.kind, g.job.target, g.job.hardware}];
  return free_slots(st.setup.self.resources, busy);
}

void start_guest(cluster_link_pointer self, postgres::claimed_job job) {
  auto& st = self->state;
  guest_job_setup setup;
  setup.token = job.token;
  setup.kind = job.kind;
  setup.target = job.target;
  setup.campaign = job.campaign;
  setup.device = job.kind == job_kind::judge || job.kind == job_kind::profile ? device_of(job.hardware) : std::string{};
  setup.payload = job.payload;
  setup.scheduler = st.setup.scheduler;
  setup.link = caf::actor_cast<cluster_actor>(self);
  if (auto read = read_request(self, job, setup); !read) {
    st.ended.push_back({job.token, {}, to_string(read.error())});
    self->send(self, atom::flush_v);
    return;
  }
  if (setup.model)
    setup.provider = st.setup.providers[job.target];
  setup.profiler = st.setup.profiler;
  const auto dropped = std::make_shared<std::atomic<bool>>(false);
  setup.dropped = dropped;
  const auto& table = st.own_status->table();
  const auto name = to_string(job.key);
  const auto owner = st.own_status->id();
  const auto runner = setup.profile ? spawn_tracked<caf::detached + caf::monitored>(*self, table, "guest_job", name,
                                                                                    owner, guest_job, std::move(setup))
                                    : spawn_tracked<caf::monitored>(*self, table, "guest_job", name, owner, guest_job,
                                                                    std::move(setup));
  auto token = job.token;
  job.payload.clear();
  st.guests[token] = {std::move(job), caf::actor_cast<caf::actor>(runner), dropped};
}

void stop_guest(const cluster_link_state::guest& g) {
  g.dropped->store(true);
  caf::anon_send(g.runner, atom::cancel_v);
}

void drop_guest(cluster_link_pointer self, const std::string& token) {
  auto& st = self->state;
  if (const auto g = st.guests.find(token); g != st.guests.end()) {
    log::warn("cluster", "the claim of job {} is lost: it is dropped", to_string(g->second.job.key));
    stop_guest(g->second);
    st.guests.erase(g);
  }
  std::erase_if(st.ended, [&](const guest_end& e) { return e.token == token; });
}

void watch_guests(cluster_link_pointer self) {
  self->set_down_handler([self](caf::down_msg& m) {
    auto& guests = self->state.guests;
    const auto g = std::find_if(guests.begin(), guests.end(),
                                [&](const auto& one) { return one.second.runner.address() == m.source; });
    if (g == guests.end())
      return;
    self->state.ended.push_back({g->first, {}, "its actor ended: " + describe_end(m.reason)});
    guests.erase(g);
    self->send(self, atom::flush_v);
  });
}

bool has_free_slot(cluster_link_pointer self, const std::string& kind_and_target) {
  const auto free = free_here(self);
  return std::any_of(free.begin(), free.end(),
                     [&](const auto& r) { return r.kind + " " + r.target == kind_and_target; });
}

} // namespace kevolve
