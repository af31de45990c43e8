#include "runtime/node/node.hpp"

#include "runtime/base/control_group.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/admin/admin_server.hpp"
#include "runtime/node/cluster_wiring.hpp"
#include "runtime/node/node_parts.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

namespace kevolve {

namespace {

constexpr auto stop_grace = std::chrono::seconds{10};
constexpr auto kill_grace = std::chrono::seconds{3};

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

} // namespace

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
