#include "tests/node/live_node.hpp"

#include "actors/interfaces.hpp"
#include "config/campaign.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/node_parts.hpp"
#include "store/store.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

namespace kevolve::test {

namespace {

constexpr auto ask_limit = std::chrono::seconds{60};
constexpr auto look_again_after = std::chrono::milliseconds{5};

std::string from_environment(const char* name) {
  const auto* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run this test through ctest");
  return value;
}

template <class T, class Handle, class... Ts>
result<T> ask(node& n, const Handle& whom, Ts... xs) {
  caf::scoped_actor self{n.system()};
  result<T> out = fail(errc::internal, "no answer");
  self->request(whom, ask_limit, xs...)
      .receive([&](T& x) { out = std::move(x); }, [&](caf::error& e) { out = tl::unexpected(to_failure(e)); });
  return out;
}

void wait_a_moment(node& n) {
  caf::scoped_actor self{n.system()};
  self->receive(caf::after(look_again_after) >> [] {});
}

pid_t parent_of(pid_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text;
  std::getline(in, text);
  auto after_name = text.rfind(')');
  if (after_name == std::string::npos)
    return 0;
  return static_cast<pid_t>(std::strtol(text.c_str() + after_name + 4, nullptr, 10));
}

} // namespace

scratch_folder::scratch_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-node-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path = pattern;
}

scratch_folder::~scratch_folder() {
  std::error_code ec;
  std::filesystem::remove_all(path, ec);
}

live_node::live_node(const std::string& data_dir, const live_options& options) {
  node_options o;
  o.data_dir = data_dir;
  o.bin_dir = from_environment("KEVOLVE_BIN");
  o.listen.clear();
  o.health = options.health;
  o.campaigns = options.places;
  o.keep_candidates = options.keep_candidates;
  o.resume_all = options.resume_all;
  o.providers = options.providers;
  o.code_roots = options.code_roots;
  o.batch = options.batch;
  if (!options.with_target)
    o.targets.clear();
  auto n = node::start(std::move(o));
  REQUIRE_MESSAGE(n, (n ? "" : to_string(n.error())));
  running_ = std::move(*n);
}

result<id128> live_node::try_submit(const std::string& name, const std::vector<std::string>& overrides) {
  auto spec = load_campaign(from_environment("KEVOLVE_SOURCE") + "/tests/node/tasks/" + name + ".toml", overrides);
  REQUIRE(spec);
  campaign_submission s;
  s.name = name;
  s.seed = spec->seed;
  s.spec = encode(*spec);
  auto id = campaign_id(s);
  auto started = ask<campaign_status>(*running_, running_->campaigns(), atom::submit_v, id, s);
  if (!started)
    return tl::unexpected(started.error());
  return id;
}

id128 live_node::submit(const std::string& name, const std::vector<std::string>& overrides) {
  auto id = try_submit(name, overrides);
  REQUIRE_MESSAGE(id, (id ? "" : to_string(id.error())));
  return *id;
}

const store& live_node::data() {
  return *running_->parts_of().data;
}

campaign_actor live_node::proxy(const id128& id) {
  // After a crash of the directory, the campaign is unknown until its next instance starts.
  for (auto until = std::chrono::steady_clock::now() + ask_limit; std::chrono::steady_clock::now() < until;) {
    auto found = ask<caf::actor>(*running_, running_->campaigns(), atom::lookup_v, id);
    if (found)
      return caf::actor_cast<campaign_actor>(*found);
    REQUIRE_MESSAGE(found.error().code != errc::internal, to_string(found.error()));
    wait_a_moment(*running_);
  }
  FAIL("the campaign is not to be found");
  return {};
}

campaign_status live_node::status(const id128& id) {
  for (auto until = std::chrono::steady_clock::now() + ask_limit; std::chrono::steady_clock::now() < until;) {
    auto s = ask<campaign_status>(*running_, proxy(id), atom::status_v);
    if (s)
      return *s;
    wait_a_moment(*running_); // it is restarting
  }
  FAIL("the campaign does not answer");
  return {};
}

campaign_status live_node::await(const id128& id, const std::function<bool(const campaign_status&)>& condition,
                                 std::chrono::seconds limit) {
  auto until = std::chrono::steady_clock::now() + limit;
  auto s = status(id);
  while (!condition(s)) {
    REQUIRE_MESSAGE(running_->broken() == "", running_->broken());
    REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until, "in vain: " << s.state << " (" << s.reason << "), "
                                                                          << s.candidates << " candidates, "
                                                                          << s.in_flight << " in flight");
    wait_a_moment(*running_);
    s = status(id);
  }
  return s;
}

campaign_status live_node::await_end(const id128& id, std::chrono::seconds limit) {
  return await(id, [](const campaign_status& s) { return s.state == "finished" || s.state == "failed"; }, limit);
}

result<campaign_status> live_node::pause(const id128& id, const std::string& reason) {
  return ask<campaign_status>(*running_, proxy(id), atom::pause_v, reason);
}
result<campaign_status> live_node::resume(const id128& id, const std::string& reason) {
  return ask<campaign_status>(*running_, proxy(id), atom::resume_v, reason);
}
result<campaign_status> live_node::cancel(const id128& id, const std::string& reason) {
  return ask<campaign_status>(*running_, proxy(id), atom::cancel_v, reason);
}

result<steer_answer> live_node::steer(const id128& id, const steer_request& q) {
  return ask<steer_answer>(*running_, proxy(id), atom::steer_v, q);
}
result<caf::actor> live_node::wake(const id128& id) {
  return ask<caf::actor>(*running_, running_->campaigns(), atom::wake_v, id);
}
std::vector<campaign_status> live_node::list() {
  auto all = ask<std::vector<campaign_status>>(*running_, running_->campaigns(), atom::list_v, std::string{});
  return all ? *all : std::vector<campaign_status>{};
}

std::vector<node_brief> live_node::tree(const id128& id) {
  auto all = ask<tree_page>(*running_, proxy(id), atom::tree_v, uint64_t{0}, UINT64_MAX);
  return all ? all->items : std::vector<node_brief>{};
}

bool live_node::crash(const std::string& kind, const std::string& name) {
  for (const auto& own_status : running_->statuses()->list())
    if (own_status.kind == kind && own_status.ended_ns == 0 && (name.empty() || own_status.name == name))
      if (auto who = running_->statuses()->handle(own_status.id)) {
        caf::anon_send(who, atom::crash_v);
        return true;
      }
  return false;
}

std::vector<pid_t> helpers(const std::string& name) {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    auto pid = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    if (pid <= 0)
      continue;
    std::ifstream in{entry.path() / "comm"};
    std::string comm;
    std::getline(in, comm);
    if (comm != name.substr(0, 15))
      continue;
    for (auto above = parent_of(pid); above > 1; above = parent_of(above))
      if (above == ::getpid()) {
        out.push_back(pid);
        break;
      }
  }
  return out;
}

campaign_fold folded(const std::string& data_dir, const id128& campaign) {
  auto data = store::open(data_dir);
  REQUIRE_MESSAGE(data, (data ? "" : to_string(data.error())));
  auto records = (*data)->read_events(campaign, 1, 1'000'000);
  REQUIRE(records);
  campaign_fold f;
  for (const auto& r : *records)
    fold(f, {r.sequence, r.campaign, r.time_ns, static_cast<event_kind>(r.kind), r.payload, r.version});
  return f;
}

campaign_fold audit(const std::string& data_dir, const id128& campaign) {
  auto data = store::open(data_dir);
  REQUIRE_MESSAGE(data, (data ? "" : to_string(data.error())));
  auto records = (*data)->read_events(campaign, 1, 1'000'000);
  REQUIRE_MESSAGE(records, (records ? "" : to_string(records.error())));
  campaign_fold f;
  std::set<id128> bought;
  std::set<uint64_t> finished;
  for (const auto& r : *records) {
    journal_event e{r.sequence, r.campaign, r.time_ns, static_cast<event_kind>(r.kind), r.payload, r.version};
    fold(f, e);
    if (e.kind == event_kind::evaluation_intent || e.kind == event_kind::evaluation_result) {
      auto x = decode<intent_record>(e.payload);
      REQUIRE(x);
      INFO(x->stage << " of node " << x->index << ", event " << e.sequence);
      if (e.kind == event_kind::evaluation_intent)
        CHECK_FALSE(bought.contains(x->evaluation));
      else
        bought.insert(x->evaluation);
    } else if (e.kind == event_kind::node_finished) {
      auto x = decode_older<node_record>(e.payload);
      REQUIRE(x);
      INFO("node " << x->index << ": " << to_string(x->result) << ", " << x->rule << ", " << x->detail);
      const bool not_judged = x->rule == "not_judged"; // every try ended with a fault
      CHECK((x->result == verdict::pass || x->rule == "exhausted" || not_judged));
      CHECK(x->trouble.kind.empty() != not_judged);
      if (not_judged)
        CHECK(x->result == verdict::none);
    }
  }
  CHECK(f.mismatch == "");
  CHECK(!bought.empty());
  return f;
}

} // namespace kevolve::test
