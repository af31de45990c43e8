// Measures a node with a long history and many actors. `fill` writes campaigns as if they had run. `serve` starts a
// node with additional search nodes until its standard input ends. `actors` measures the bytes of one. `poll` sends
// requests to a node. `still` serves fixed answers copied from a node.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "config/campaign.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/memory_operators.hpp"
#include "runtime/node/node.hpp"
#include "tools/bench/crowd_nodes.hpp"
#include "tools/bench/polling.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/still_server.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace kevolve::bench {

namespace {

struct past {
  std::string data;
  std::string campaign;
  std::vector<std::string> overrides;
  uint64_t campaigns = 50;
  uint64_t nodes = 100'000; // total over all campaigns
  uint64_t open = 2;        // campaigns that have not ended
};

// Pairs of a screening in ns that differ between nodes.
std::vector<double> samples(uint64_t index, double around) {
  std::vector<double> out(36);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = around + static_cast<double>((index * 7919 + i * 104'729) % 1'000);
  return out;
}

// Writes one campaign, appending a hundred candidates at a time.
class writer {
public:
  writer(node_reader& reader, const node& where, const campaign_spec& spec, uint64_t seed)
      : reader_(reader), where_(where), spec_(spec) {
    spec_.seed = seed;
    submission_.name = spec_.task.task.name;
    submission_.seed = seed;
    submission_.spec = encode(spec_);
    id_ = campaign_id(submission_);
  }

  result<void> write(uint64_t nodes, bool ends) {
    begin();
    next_.events.push_back({event_kind::campaign_submitted, encode(submission_)});
    next_.values.push_back({keys::index, keys::campaign(id_), encode(submission_)});
    for (uint64_t index = 1; index <= nodes; ++index) {
      add(index);
      if (index % 100 == 0)
        if (auto ok = store(); !ok)
          return ok;
    }
    if (ends) {
      fold_.ended = true;
      fold_.finish.state = campaign_phase::finished;
      fold_.finish.stop_reason = end_reason::budget;
      fold_.finish.best = fold_.champion.index;
      fold_.finish.speedup = fold_.champion.speedup;
      next_.events.push_back({event_kind::campaign_finished, encode(fold_.finish)});
    }
    next_.values.push_back(
        {keys::index, keys::status(id_), encode(status_at_rest(fold_, spec_, id_, submission_.name))});
    return store();
  }

private:
  void begin() {
    next_ = {};
    next_.campaign = id_;
  }

  result<void> store() {
    auto stored = reader_.ask<uint64_t>(where_.journal(), atom::append_v, std::move(next_));
    begin();
    if (!stored)
      return tl::unexpected(stored.error());
    return {};
  }

  void add(uint64_t index) {
    selection_record s;
    s.index = index;
    s.node = node_id(id_, index);
    s.parents = {index < 10 ? 0 : index / 3};
    s.policy = "uct";
    s.memory = to_string(memory_operator::both);
    s.seed = node_seed(spec_.seed, index);
    fold_selected(fold_, s);
    s.tree_hash = fold_.tree.hash();
    next_.events.push_back({event_kind::node_selected, encode(s)});
    auto source = fmt::format("// candidate {} of {}\n{}", index, spec_.seed, spec_.task.reference_source);
    node_record r;
    r.index = index;
    r.node = s.node;
    r.parents = s.parents;
    r.state = candidate_state::finished;
    r.result = index % 5 == 0 ? verdict::wrong_result : verdict::pass;
    r.speedup = r.result == verdict::pass ? 1.0 + static_cast<double>(index % 97) / 10.0 : 0.0;
    r.ci_low = 0.95 * r.speedup;
    r.ci_high = 1.05 * r.speedup;
    r.proposal.index = index;
    r.proposal.source = sha256_hex(source);
    r.proposal.language = "c";
    r.proposal.flags = "O3";
    r.proposal.generator = "transform";
    r.proposal.genome = fmt::format("tile(i,{}); unroll(j,{})", 16 + index % 64, 2 + index % 62);
    r.proposal.summary = fmt::format("unrolls loop 1 {} times", index);
    r.evaluations = {derive_id("evaluation", r.proposal.source + "compile"),
                     derive_id("evaluation", r.proposal.source + "race")};
    fold_finished(fold_, r);
    r.tree_hash = fold_.tree.hash();
    next_.events.push_back({event_kind::node_finished, encode(r)});
    next_.values.push_back({keys::nodes, keys::node(id_, index), encode(r)});
    next_.blobs.push_back(std::move(source));
    evaluation_record e;
    e.evaluation = r.evaluations[0];
    e.stage = "compile";
    e.outcome.result = verdict::pass;
    next_.values.push_back({keys::evaluations, keys::evaluation(e.evaluation), encode(e)});
    e.evaluation = r.evaluations[1];
    e.stage = "race";
    e.outcome.result = r.result;
    e.outcome.speedup = r.speedup;
    shape_timing t;
    t.shape = "timed";
    t.baseline_ns = samples(index, 2e6);
    t.candidate_ns = samples(index + 1, 1e6);
    e.outcome.timings.push_back(std::move(t));
    next_.values.push_back({keys::evaluations, keys::evaluation(e.evaluation), encode(e)});
    if (r.speedup > fold_.champion.speedup)
      promote(r);
  }

  void promote(const node_record& r) {
    champion_record c;
    c.index = r.index;
    c.set_speedup(r);
    fold_champion_changed(fold_, c);
    c.tree_hash = fold_.tree.hash();
    next_.events.push_back({event_kind::champion_changed, encode(c)});
  }

  node_reader& reader_;
  const node& where_;
  campaign_spec spec_;
  campaign_submission submission_;
  id128 id_;
  campaign_fold fold_;
  append_request next_;
};

int fill(const past& p) {
  auto spec = load_campaign(p.campaign, p.overrides);
  if (!spec)
    return give_up(to_string(spec.error().front()));
  node_options options;
  options.data_dir = p.data;
  options.targets.clear();
  options.listen.clear();
  auto n = node::start(std::move(options));
  if (!n)
    return give_up(to_string(n.error()));
  node_reader reader{**n};
  for (uint64_t c = 0; c < p.campaigns; ++c) {
    writer w{reader, **n, *spec, 1'000 + c};
    const auto share = p.nodes / p.campaigns + (c < p.nodes % p.campaigns ? 1 : 0);
    if (auto ok = w.write(share, c >= p.open); !ok)
      return give_up(to_string(ok.error()));
  }
  return print({{"campaigns", p.campaigns}, {"nodes", p.nodes}, {"open", p.open}});
}

// The campaigns that `fill` wrote, and the candidates that each of them has.
struct filled_campaigns {
  std::vector<id128> ids;
  uint64_t candidates_each = UINT64_MAX;
};

result<filled_campaigns> campaigns_of(node& where) {
  node_reader reader{where};
  auto all = reader.ask<std::vector<campaign_status>>(where.campaigns(), atom::list_v, std::string{});
  if (!all)
    return tl::unexpected(all.error());
  filled_campaigns out;
  for (const auto& s : *all) {
    out.ids.push_back(s.id);
    out.candidates_each = std::min(out.candidates_each, s.candidates);
  }
  if (out.ids.empty() || out.candidates_each == 0)
    return fail(errc::bad_input, "the data directory has no campaign with candidates");
  return out;
}

int actors(const std::string& data, uint64_t count) {
  node_options options;
  options.data_dir = data;
  options.targets.clear();
  options.listen.clear();
  auto n = node::start(std::move(options));
  if (!n)
    return give_up(to_string(n.error()));
  auto campaigns = campaigns_of(**n);
  if (!campaigns)
    return give_up(to_string(campaigns.error()));
  return measure_actors(**n, campaigns->ids, campaigns->candidates_each, count);
}

int serve(const std::string& data, const std::string& bin, const std::string& model, uint64_t actors) {
  node_options options;
  options.data_dir = data;
  options.bin_dir = bin;
  options.resume_all = true;
  if (!model.empty()) {
    provider_spec fake;
    fake.name = "fake";
    fake.kind = "openai-chat";
    fake.model = "fake";
    fake.url = model;
    options.providers = {fake};
  }
  auto n = node::start(std::move(options));
  if (!n)
    return give_up(to_string(n.error()));
  auto campaigns = campaigns_of(**n);
  if (!campaigns)
    return give_up(to_string(campaigns.error()));
  crowd_nodes crowd{**n, campaigns->ids, campaigns->candidates_each};
  if (auto done = crowd.spawn_live(actors); !done)
    return give_up(to_string(done.error()));
  print({{"url", (*n)->admin_url()}, {"actors", actors}});
  std::cout.flush();
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  kevolve::declared_program app{"A node with a long past and many actors"};
  app.require_subcommand(1);
  past p;
  auto* filling = app.add_subcommand("fill", "writes campaigns as if they had run");
  filling->add_option("--data", p.data, "data directory that is not there yet")->required();
  filling->add_option("--campaign", p.campaign, "campaign file; each campaign has another seed")->required();
  filling->add_option("--set", p.overrides, "key=value, over the file's")->allow_extra_args(false);
  filling->add_option("--campaigns", p.campaigns)->capture_default_str();
  filling->add_option("--nodes", p.nodes, "candidates of all campaigns together")->capture_default_str();
  filling->add_option("--open", p.open, "campaigns that have not ended")->capture_default_str();
  std::string data;
  std::string bin;
  std::string model;
  uint64_t count = 100'000;
  polling asked;
  auto* clients = app.add_subcommand("poll", "clients that ask a node again and again, until standard input ends");
  auto* still = app.add_subcommand("still", "answers with what a node says now, until standard input ends");
  for (auto* of : {clients, still}) {
    of->add_option("--port", asked.port, "the node's")->required();
    of->add_option("--token-file", asked.token_file)->required();
    of->add_option("paths", asked.paths)->required();
  }
  clients->add_option("--clients", asked.clients)->capture_default_str();
  clients->add_option("--pause-ms", asked.pause_ms, "between the answer and a client's next question")
      ->capture_default_str();
  auto* measuring =
      app.add_subcommand("actors", "the bytes of a live and of a revived search node beside an empty actor");
  measuring->add_option("--data", data, "data directory that `fill` made")->required();
  measuring->add_option("--actors", count, "of each kind")->capture_default_str();
  auto* serving = app.add_subcommand("serve", "a node with search nodes beside its own, until standard input ends");
  serving->add_option("--data", data, "data directory")->required();
  serving->add_option("--bin", bin, "folder of the helper programs")->required();
  serving->add_option("--model", model, "base address of a server of Chat Completions, the node's one provider");
  serving->add_option("--actors", count)->capture_default_str();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  if (clients->parsed())
    return poll(asked);
  if (still->parsed())
    return serve_still(asked);
  if (measuring->parsed())
    return actors(data, count);
  return filling->parsed() ? fill(p) : serve(data, bin, model, count);
}
