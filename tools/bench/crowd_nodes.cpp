#include "tools/bench/crowd_nodes.hpp"

#include "actors/messages/keys.hpp"
#include "actors/search/search_node.hpp"
#include "tools/bench/report.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <fmt/core.h>

#include <malloc.h>

#include <algorithm>

namespace kevolve::bench {

namespace {

struct empty_state {
  static inline const char* name = "empty";
  actor_status_ptr own_status;
};

caf::behavior empty_actor(caf::stateful_actor<empty_state>* self, actor_status_ptr own_status) {
  self->state.own_status = std::move(own_status);
  self->state.own_status->says("waiting");
  return {[self](atom::tick) { handling h{self, self->state.own_status, "tick"}; }};
}

// The campaign and the evaluator of every search node: no candidate is known, and none is ever judged.
struct keeper_state {
  static inline const char* name = "keeper";
  std::vector<caf::typed_response_promise<evaluation>> kept;
};

caf::behavior keeper(caf::stateful_actor<keeper_state>* self, std::shared_ptr<crowd_nodes::counts> counts) {
  return {
      [self](atom::tick) { self->state.kept.clear(); }, // their askers have ended
      [](atom::progress, uint64_t, const std::string&, const std::string&, const std::vector<id128>&) {
        return uint64_t{0};
      },
      [counts](atom::faulted, uint64_t, const fault&) {
        ++counts->failed;
        ++counts->waiting;
        counts->waiting.notify_one();
      },
      [self, counts](atom::evaluate, const evaluate_request&) {
        self->state.kept.push_back(self->make_response_promise<evaluation>());
        ++counts->waiting;
        counts->waiting.notify_one();
        return self->state.kept.back();
      },
  };
}

uint64_t allocated_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

} // namespace

crowd_nodes::crowd_nodes(node& where, const std::vector<id128>& campaigns, uint64_t candidates_each)
    : where_(where), candidates_each_(std::max<uint64_t>(candidates_each, 1)),
      keeper_(where.system().spawn(keeper, counts_)) {
  for (const auto& id : campaigns) {
    auto c = std::make_shared<campaign_context>();
    c->id = id;
    c->statuses = where.statuses();
    c->journal = where.journal();
    c->campaign = caf::actor_cast<campaign_actor>(keeper_);
    c->evaluator = caf::actor_cast<evaluator_actor>(keeper_);
    contexts_.push_back(std::move(c));
  }
}

crowd_nodes::~crowd_nodes() {
  end();
  caf::anon_send_exit(keeper_, caf::exit_reason::user_shutdown);
}

crowd_nodes::place crowd_nodes::at(uint64_t i) const {
  return {contexts_[i % contexts_.size()], 1 + i / contexts_.size() % candidates_each_};
}

void crowd_nodes::started(caf::actor who) {
  actors_.push_back(std::move(who));
}

result<void> crowd_nodes::spawn_empty(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    started(spawn_tracked(where_.system(), where_.statuses(), "empty", fmt::format("empty {}", i), 0, empty_actor));
  return {};
}

result<void> crowd_nodes::spawn_live(uint64_t count) {
  counts_->waiting = 0;
  node_reader reader{where_};
  for (uint64_t i = 0; i < count; ++i) {
    const auto where = at(i);
    auto known = reader.record<node_record>(keys::nodes, keys::node(where.context->id, where.index));
    if (!known)
      return tl::unexpected(known.error());
    node_record r;
    r.index = known->index;
    r.node = known->node;
    r.parents = known->parents;
    r.proposal = known->proposal;
    r.state = candidate_state::proposed;
    const auto name = short_string(where.context->id) + "/" + std::to_string(r.index);
    auto who = spawn_tracked(where_.system(), where_.statuses(), "search_node", name, 0, search_node, where.context,
                             std::move(r), synthesis_step{}, champion_info{});
    caf::anon_send(who, atom::begin_v);
    started(caf::actor_cast<caf::actor>(who));
  }
  for (auto now = counts_->waiting.load(); now < count; now = counts_->waiting.load())
    counts_->waiting.wait(now);
  if (counts_->failed != 0)
    return fail(errc::internal, "a candidate's source cannot be read");
  return {};
}

result<void> crowd_nodes::spawn_revived(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const auto where = at(i);
    const auto name = short_string(where.context->id) + "/" + std::to_string(where.index);
    started(caf::actor_cast<caf::actor>(spawn_tracked(where_.system(), where_.statuses(), "search_node", name, 0,
                                                      revived_node, where.context, where.index)));
  }
  return {};
}

result<uint64_t> crowd_nodes::ask_revived() {
  node_reader reader{where_};
  uint64_t judged = 0;
  for (auto& who : actors_) {
    auto r = reader.ask<node_record>(caf::actor_cast<search_node_actor>(who), atom::node_v);
    if (!r)
      return tl::unexpected(r.error());
    judged += r->state == candidate_state::finished ? 1U : 0U;
  }
  return judged;
}

void crowd_nodes::end() {
  caf::scoped_actor self{where_.system()};
  for (auto& who : actors_)
    self->send_exit(who, caf::exit_reason::user_shutdown);
  self->wait_for(actors_);
  actors_.clear();
  actors_.shrink_to_fit();
  self->send(keeper_, atom::tick_v);
}

int measure_actors(node& where, const std::vector<id128>& campaigns, uint64_t candidates_each, uint64_t count) {
  crowd_nodes nodes{where, campaigns, candidates_each};
  json bytes;
  uint64_t revived = 0;
  const auto measure = [&](const char* kind, result<void> (crowd_nodes::*spawn)(uint64_t)) -> result<void> {
    for (int round = 0; round < 2; ++round) { // the first one fills caches
      const auto before = allocated_bytes();
      if (auto done = (nodes.*spawn)(count); !done)
        return done;
      bytes[kind] = static_cast<double>(allocated_bytes() - before) / static_cast<double>(count);
      if (spawn == &crowd_nodes::spawn_revived) {
        auto judged = nodes.ask_revived();
        if (!judged)
          return tl::unexpected(judged.error());
        revived = *judged;
      }
      nodes.end();
    }
    return {};
  };
  for (const auto& [kind, spawn] : {std::pair{"empty", &crowd_nodes::spawn_empty},
                                    {"live", &crowd_nodes::spawn_live},
                                    {"revived", &crowd_nodes::spawn_revived}})
    if (auto done = measure(kind, spawn); !done)
      return give_up(to_string(done.error()));
  return print({{"actors", count}, {"bytes", bytes}, {"answered_when_revived", revived}});
}

} // namespace kevolve::bench
