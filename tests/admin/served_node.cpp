#include "tests/admin/served_node.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/token.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

namespace kevolve::test {

namespace {

campaign_submission submission() {
  campaign_spec spec;
  spec.target = "cpu";
  spec.task.task.name = "twice";
  spec.task.task.language = "c";
  spec.task.reference_source = reference_source;
  spec.task.reference_path = "twice.c";
  campaign_submission out;
  out.name = "twice";
  out.spec = encode(spec);
  return out;
}

node_record finished_node(const id128& campaign, uint64_t index, std::vector<uint64_t> parents,
                          const std::string& source) {
  node_record r;
  r.index = index;
  r.node = node_id(campaign, index);
  r.parents = std::move(parents);
  r.state = candidate_state::finished;
  r.result = verdict::pass;
  r.speedup = 1.0 + static_cast<double>(index);
  r.ci_low = r.speedup - 0.1;
  r.ci_high = r.speedup + 0.1;
  r.confirmed = true;
  r.proposal.index = index;
  r.proposal.source = sha256_hex(source);
  r.proposal.language = "c";
  r.proposal.flags = "O3";
  r.proposal.generator = "transform";
  r.proposal.summary = "step " + std::to_string(index);
  r.evaluations = {derive_id("test", "compile" + std::to_string(index)),
                   derive_id("test", "race" + std::to_string(index))};
  return r;
}

void put_node(campaign_fold& f, append_request& a, node_record r, const std::string& source) {
  selection_record s;
  s.index = r.index;
  s.node = r.node;
  s.parents = r.parents;
  s.policy = "greedy";
  fold_selected(f, s);
  s.tree_hash = f.tree.hash();
  a.events.push_back({event_kind::node_selected, encode(s)});
  fold_finished(f, r);
  r.tree_hash = f.tree.hash();
  a.events.push_back({event_kind::node_finished, encode(r)});
  a.values.push_back({keys::nodes, keys::node(a.campaign, r.index), encode(r)});
  a.blobs.push_back(source);
  evaluation_record compiled;
  compiled.evaluation = r.evaluations[0];
  compiled.stage = "compile";
  compiled.log = "kernel.c:1: remark: vectorised\n";
  compiled.outcome.result = verdict::pass;
  compiled.outcome.evidence["sass"] = "[]";
  evaluation_record compared;
  compared.evaluation = r.evaluations[1];
  compared.stage = "race";
  compared.outcome.result = verdict::pass;
  compared.outcome.speedup = r.speedup;
  shape_timing t;
  t.shape = "n=8";
  t.baseline_ns = {300, 100, 200};
  t.candidate_ns = {100, 50, 75};
  t.ci_high = std::numeric_limits<double>::infinity();
  compared.outcome.timings.push_back(t);
  for (const auto& e : {compiled, compared})
    a.values.push_back({keys::evaluations, keys::evaluation(e.evaluation), encode(e)});
}

} // namespace

served_node::served_node(const std::function<void(node_options&)>& change, bool filled) {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-admin-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  folder = pattern;
  node_options options;
  options.data_dir = folder + "/data";
  options.targets.clear();
  if (change)
    change(options);
  auto started = node::start(std::move(options));
  REQUIRE_MESSAGE(started, (started ? "" : to_string(started.error())));
  running = std::move(*started);
  auto url = running->admin_url();
  port = static_cast<uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  auto read = read_token(running->token_file());
  REQUIRE(read);
  token = *read;

  campaign = campaign_id(submission());
  if (!filled)
    return;
  append_request a;
  a.campaign = campaign;
  a.events.push_back({event_kind::campaign_submitted, encode(submission())});
  a.values.push_back({keys::index, keys::campaign(campaign), encode(submission())});
  campaign_fold f;
  put_node(f, a, finished_node(campaign, 1, {0}, first_source), first_source);
  put_node(f, a, finished_node(campaign, 2, {1}, best_source), best_source);
  campaign_status s;
  s.id = campaign;
  s.name = "twice";
  s.target = "cpu";
  s.state = "finished";
  s.stop_reason = end_reason::target;
  s.candidates = 2;
  s.valid = 2;
  s.best = 2;
  s.speedup = 3.0;
  s.ci_low = 2.9;
  s.ci_high = 3.1;
  a.values.push_back({keys::index, keys::status(campaign), encode(s)});
  node_reader reader{*running};
  auto stored = reader.ask<uint64_t>(running->journal(), atom::append_v, std::move(a));
  REQUIRE_MESSAGE(stored, (stored ? "" : to_string(stored.error())));
}

served_node::~served_node() {
  running.reset();
  std::error_code ec;
  std::filesystem::remove_all(folder, ec);
}

raw_answer served_node::ask(const std::string& method, const std::string& target,
                            const std::vector<std::pair<std::string, std::string>>& headers, const std::string& body) {
  auto text = method + " " + target + " HTTP/1.1\r\nConnection: close\r\n";
  auto has_host = false;
  auto has_token = false;
  for (const auto& [name, value] : headers) {
    has_host = has_host || name == "Host";
    has_token = has_token || name == "Authorization";
    if (!value.empty())
      text += name + ": " + value + "\r\n";
  }
  if (!has_host)
    text += "Host: 127.0.0.1:" + std::to_string(port) + "\r\n";
  if (!has_token)
    text += "Authorization: Bearer " + token + "\r\n";
  if (!body.empty())
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return parse_answer(send_raw(port, text + "\r\n" + body));
}

json served_node::get(const std::string& target) {
  auto answer = ask("GET", target);
  REQUIRE_MESSAGE(answer.status == 200, target << ": " << answer.status << " " << answer.body);
  return json::parse(answer.body);
}

uint64_t served_node::append_event(const std::string& reason) {
  append_request a;
  a.campaign = campaign;
  a.events.push_back({event_kind::campaign_state, encode(state_record{run_state::paused, reason})});
  node_reader reader{*running};
  auto stored = reader.ask<uint64_t>(running->journal(), atom::append_v, std::move(a));
  REQUIRE(stored);
  return *stored;
}

namespace {
std::unique_ptr<served_node> shared;
}

served_node& shared_node() {
  if (!shared)
    shared = std::make_unique<served_node>();
  return *shared;
}

void end_shared_node() {
  shared.reset();
}

} // namespace kevolve::test
