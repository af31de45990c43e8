// Measures one campaign's tree as it grows: the processor time of a selection with the node's start and end, and the
// nodes that it reads. Measures the memory of a candidate and the fold of its events, too. There is no judge and no
// actor: outcomes are drawn. Bytes and reads may be bounded, since they do not depend on the machine's load.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/search/policy.hpp"
#include "runtime/base/codec.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <fmt/core.h>

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace kevolve::bench {

namespace {

constexpr uint64_t few = 1'000;
constexpr int levels = 24; // steps from the reference to the fastest

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

uint64_t allocated_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Draws outcomes: a child stands a level above its parent more rarely the higher that is, or at its level, or below.
class outcomes {
public:
  explicit outcomes(uint64_t seed) : random_(seed) {}

  node_outcome of(uint64_t parent) {
    auto level = level_.at(parent);
    const auto u = random_.uniform();
    if (u < 0.15 * (1.0 - static_cast<double>(level) / levels))
      ++level;
    else if (u > 0.5 && level > 0)
      --level;
    level_.push_back(level);
    node_outcome o;
    const auto fate = random_.uniform();
    o.result = fate < 0.15 ? verdict::wrong_result : fate < 0.2 ? verdict::none : verdict::pass;
    const auto figure = 1.0 + 0.1 * level + 0.01 * random_.uniform();
    o.set_speedup({figure, 0.99 * figure, 1.01 * figure});
    o.verified = true;
    o.behaviour = {static_cast<uint8_t>(1 + random_.below(5)), static_cast<uint8_t>(1 + level / 5), 1, 0};
    return o;
  }

private:
  splitmix64 random_;
  std::vector<uint8_t> level_{0};
};

// The nodes that steps read: those of the selections, and for each level of their candidates those of the starts and
// ends, which follow the path to the root.
struct node_reads {
  uint64_t steps = 0;
  uint64_t selecting = 0;
  uint64_t changing = 0;
  uint64_t levels = 0;

  double a_selection() const { return static_cast<double>(selecting) / static_cast<double>(steps); }
  double a_level() const { return static_cast<double>(changing) / static_cast<double>(levels); }
};

uint64_t levels_of(const search_tree& tree, uint64_t index) {
  uint64_t out = 1;
  for (auto at = index; at != 0; at = tree.at(at).parents.front())
    ++out;
  return out;
}

struct growth {
  search_tree tree;
  double seconds = 0.0;      // of all steps
  double seconds_few = 0.0;  // of the steps up to `few` candidates
  double seconds_last = 0.0; // of the last tenth
  node_reads reads_few;      // of the last tenth of `few` candidates
  node_reads reads_last;     // of the last tenth
  uint64_t bytes = 0;
};

// Grows a tree of `size` candidates, sixteen in flight.
growth grow(const std::string& policy, uint64_t size, uint64_t seed) {
  growth out;
  policy_options options;
  options.policies = {{policy, 1.0}};
  options.stall.restarts = 0.3;
  outcomes drawn{seed};
  std::vector<std::pair<uint64_t, node_outcome>> open; // outcomes are drawn beforehand, outside of the measured time
  const auto before = allocated_bytes();
  for (uint64_t i = 0; i < size; ++i) {
    const auto reads = tree_nodes::reads();
    const auto from = processor_seconds();
    const auto s = select(out.tree, options, mix_seed(seed, i));
    const auto selecting = tree_nodes::reads() - reads;
    const auto index = add(out.tree, s);
    const auto selected = processor_seconds();
    open.emplace_back(index, drawn.of(s.parents.front()));
    if (open.size() < 16) {
      out.seconds += selected - from;
      continue;
    }
    const auto end = open[i % open.size()];
    std::swap(open[i % open.size()], open.back());
    open.pop_back();
    const auto ending = processor_seconds();
    out.tree.finish(end.first, end.second);
    const auto took = selected - from + processor_seconds() - ending;
    out.seconds += took;
    out.seconds_few += i < few ? took : 0.0;
    out.seconds_last += i >= size - size / 10 ? took : 0.0;
    const auto changing = tree_nodes::reads() - reads - selecting;
    for (auto [to, until] : {std::pair{&out.reads_few, few}, {&out.reads_last, size}})
      if (i < until && i >= until - until / 10) {
        ++to->steps;
        to->selecting += selecting;
        to->changing += changing;
        to->levels += levels_of(out.tree, index) + levels_of(out.tree, end.first);
      }
  }
  out.bytes = allocated_bytes() - before;
  return out;
}

double depth_of(const search_tree& tree) {
  auto sum = 0.0;
  auto paths = 0.0;
  for (uint64_t i = 1; i < tree.size(); i += 97, paths += 1.0)
    for (auto at = i; at != 0; at = tree.at(at).parents.front())
      sum += 1.0;
  return sum / paths;
}

json measured(const std::string& policy, uint64_t size, uint64_t seed) {
  const auto g = grow(policy, size, seed);
  const auto n = static_cast<double>(size);
  uint64_t widest = 0;
  for (const auto& node : g.tree.nodes())
    widest = std::max<uint64_t>(widest, node.children.size());
  return {{"policy", policy},
          {"candidates", size},
          {"us", 1e6 * g.seconds / n},
          {"us_at_1000", 1e6 * g.seconds_few / static_cast<double>(few)},
          {"us_at_end", 1e7 * g.seconds_last / n},
          {"reads_at_1000", g.reads_few.a_selection()},
          {"reads_at_end", g.reads_last.a_selection()},
          {"level_reads_at_1000", g.reads_few.a_level()},
          {"level_reads_at_end", g.reads_last.a_level()},
          {"bytes", static_cast<double>(g.bytes) / n},
          {"depth", depth_of(g.tree)},
          {"most_children", widest}};
}

// Records a campaign's selections and ends, then folds them anew.
json fold_of(uint64_t events, uint64_t seed) {
  campaign_fold live;
  policy_options options;
  outcomes drawn{seed};
  std::vector<journal_event> all;
  const auto note = [&](event_kind kind, std::string payload) {
    journal_event e;
    e.sequence = all.size() + 1;
    e.time_ns = static_cast<int64_t>(all.size());
    e.kind = kind;
    e.payload = std::move(payload);
    all.push_back(std::move(e));
  };
  while (all.size() < events) {
    const auto s = select(live.tree, options, mix_seed(seed, all.size()));
    selection_record r;
    r.index = live.tree.size();
    r.parents = s.parents;
    r.policy = s.policy;
    r.memory = s.memory;
    r.statistics = s.statistics;
    r.draft = s.draft;
    fold_selected(live, r);
    r.tree_hash = live.tree.hash();
    note(event_kind::node_selected, encode(r));
    const auto o = drawn.of(s.parents.front());
    node_record n;
    n.index = r.index;
    n.parents = r.parents;
    n.state = candidate_state::finished;
    n.set_score(o);
    n.confirmed = true;
    n.proposal.genome = "tile(L1,64); vectorise(L2,8) " + std::to_string(n.index);
    n.proposal.summary = "a step of the usual length, as generators tell it";
    n.proposal.candidate = {r.index, seed};
    n.features = {{"vector_bits", 256.0}, {"code_bytes", 1500.0}, {"nests_changed", 2.0}};
    fold_finished(live, n);
    n.tree_hash = live.tree.hash();
    note(event_kind::node_finished, encode(n));
  }
  campaign_fold again;
  const auto from = processor_seconds();
  for (const auto& e : all)
    fold(again, e);
  const auto seconds = processor_seconds() - from;
  return {{"events", all.size()},
          {"seconds", seconds},
          {"us", 1e6 * seconds / static_cast<double>(all.size())},
          {"same_tree", again.mismatch.empty() && again.tree.hash() == live.tree.hash()}};
}

// Returns a line for each bound that a policy breaks; bounds of 0 are none.
std::vector<std::string> broken_bounds(const json& policies, double most_bytes, double most_growth) {
  std::vector<std::string> out;
  for (const auto& p : policies) {
    const auto name = p.at("policy").get<std::string>();
    const auto bytes = p.at("bytes").get<double>();
    if (most_bytes > 0.0 && bytes > most_bytes)
      out.push_back(fmt::format("{}: {:.0f} bytes a candidate, at most {:g} wanted", name, bytes, most_bytes));
    for (const auto& [what, text] :
         {std::pair{"reads", "a selection"}, {"level_reads", "a start and an end, a level,"}}) {
      const auto before = p.at(std::string{what} + "_at_1000").get<double>();
      const auto growth = p.at(std::string{what} + "_at_end").get<double>() / before;
      if (most_growth > 0.0 && !(growth <= most_growth))
        out.push_back(
            fmt::format("{}: {} in the last tenth reads {:.1f} times the {:.1f} nodes of one at 1,000 candidates, "
                        "at most {:g} times wanted",
                        name, text, growth, before, most_growth));
    }
  }
  return out;
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  kevolve::declared_program app{"Measures selections in a growing tree and the fold of its events"};
  uint64_t candidates = 20'000;
  uint64_t events = 40'000;
  uint64_t seed = 1;
  auto most_bytes = 0.0;
  auto most_growth = 0.0;
  app.add_option("--candidates", candidates, "of each tree")
      ->check(kevolve::in_range(uint64_t{2'000}, uint64_t{100'000'000}));
  app.add_option("--events", events, "to fold")->check(kevolve::in_range(uint64_t{2}, uint64_t{100'000'000}));
  app.add_option("--seed", seed, "of every draw");
  app.add_option("--most-bytes", most_bytes, "a candidate may take; more ends with exit status 1");
  app.add_option("--most-growth", most_growth,
                 "of the nodes that a selection reads, from 1,000 candidates to the last tenth; likewise");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  json policies = json::array();
  for (const auto& name : kevolve::policy_names())
    policies.push_back(measured(name, candidates, seed));
  const auto fold = fold_of(events, seed);
  print({{"benchmark", "tree"}, {"seed", seed}, {"machine", machine()}, {"policies", policies}, {"fold", fold}});
  const auto broken = broken_bounds(policies, most_bytes, most_growth);
  for (const auto& line : broken)
    fmt::print(stderr, "bench-tree: {}\n", line);
  return fold.at("same_tree").get<bool>() && broken.empty() ? 0 : 1;
}
