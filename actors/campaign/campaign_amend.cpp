// Corrects a node's figures after its end. A champion that failed as the baseline or in the final confirmation loses
// its verdict. A candidate that the chain of screenings flattered gets the measured figure. The best node afterwards is
// the champion.
#include "actors/campaign/campaign_steps.hpp"
#include "actors/campaign/promotion.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve::campaign_steps {

namespace {

void apply(pointer self, amendment_record r, promotion_rule rule, node_record node, const std::function<void()>& then,
           const std::vector<id128>& evaluations) {
  auto& st = self->state;
  auto& f = st.fold;
  if (f.ended)
    return;
  if (!fold_amended(f, r)) { // told twice: several nodes were in the screening with it
    if (then)
      then();
    return;
  }
  r.tree_hash = f.tree.hash();
  if (rule != promotion_rule::stays)
    log::warn("campaign", "{}: candidate {} was measured again: {}{}{}", st.context->name, r.index,
              r.result == verdict::pass ? fmt::format("right, and {:.2f}x now", r.speedup) : to_string(r.result),
              r.detail.empty() ? "" : ": ", r.detail);
  one_append together{self};
  const auto estimate = node.estimate; // an amendment does not say
  auto words = std::move(node.detail);
  node.set_measurement(r);
  if (node.duplicate_of != 0 && r.result == verdict::pass)
    node.detail = std::move(words); // whose figures these are
  node.estimate = estimate;
  node.reused_from = r.reused_from;
  node.basis = r.basis;
  node.confirmed = f.tree.at(r.index).confirmed;
  for (const auto& e : evaluations)
    if (std::find(node.evaluations.begin(), node.evaluations.end(), e) == node.evaluations.end())
      node.evaluations.push_back(e);
  push(self, event_kind::node_amended, encode(r), {{keys::nodes, keys::node(st.context->id, r.index), encode(node)}},
       then);
  const auto best = rule == promotion_rule::stays             ? f.champion.index
                    : rule == promotion_rule::to_the_measured ? best_measured(f)
                                                              : best_allowed(f, f.steered.banned);
  if (r.index != f.champion.index && f.tree.at(best).speedup <= f.champion.speedup)
    return;
  auto c = promotion_of(f, best);
  fold_champion_changed(f, c);
  c.tree_hash = f.tree.hash();
  push(self, event_kind::champion_changed, encode(c), {status_value(st)});
  self->send(st.context->evaluator, atom::champion_changed_v, champion_now(st));
}

void amend_one(pointer self, amendment_record r, promotion_rule promote, std::function<void()> then,
               std::vector<id128> evaluations) {
  auto& st = self->state;
  self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(st.context->id, r.index))
      .then(
          [self, r, promote, then, evaluations = std::move(evaluations)](std::string& bytes) mutable {
            auto node = decode_older<node_record>(bytes);
            if (node)
              apply(self, std::move(r), promote, std::move(*node), then, evaluations);
            else
              self->quit(to_error(node.error())); // only a fresh fold of what the journal holds is safe
          },
          [self](caf::error& e) { self->quit(std::move(e)); });
}

} // namespace

// Corrects the node first, then those that have its verdict because they hold its candidate.
void amend(pointer self, amendment_record r, promotion_rule promote, std::function<void()> then,
           std::vector<id128> evaluations) {
  const auto& f = self->state.fold;
  if (f.ended || r.index == 0 || r.index >= f.tree.size())
    return;
  for (const auto& n : f.tree.nodes())
    if (n.duplicate_of == r.index)
      then = [self, r, index = n.index, then]() mutable {
        r.index = index;
        r.confirmed = false;
        amend_one(self, std::move(r), promotion_rule::stays, then, {});
      };
  amend_one(self, std::move(r), promote, std::move(then), std::move(evaluations));
}

} // namespace kevolve::campaign_steps
