#include "tools/kevolve/output/campaign_result.hpp"

#include "actors/messages/enums.hpp"
#include "runtime/node/admin/models_json.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/node_reader.hpp"
#include "tools/kevolve/output/result_notes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

void read_curve(campaign_result& r, const std::vector<journal_event>& events) {
  // The wall time in the campaign's last record of it, and the time of that record. Time while it was stopped does not
  // count.
  int64_t ran_ns = 0;
  int64_t told_at_ns = events.empty() ? 0 : events.front().time_ns;
  uint64_t finished = 0;
  for (const auto& e : events) {
    if (e.kind == event_kind::session_started)
      told_at_ns = e.time_ns;
    if (e.kind == event_kind::campaign_ran)
      if (auto ran = decode<run_record>(e.payload)) {
        ran_ns = ran->wall_ns;
        told_at_ns = e.time_ns;
      }
    if (e.kind == event_kind::node_finished)
      ++finished;
    if (e.kind != event_kind::champion_changed)
      continue;
    if (auto c = decode<champion_record>(e.payload))
      r.curve.push_back({static_cast<double>(ran_ns + e.time_ns - told_at_ns) / 1e9, finished, c->index, c->speedup});
  }
}

// Reads the steps that lead to the best: along the first parents.
void read_moves(campaign_result& r, const std::vector<node_brief>& tree) {
  std::map<uint64_t, const node_brief*> by_index;
  for (const auto& n : tree)
    by_index[n.index] = &n;
  auto at = r.status.best;
  while (at != 0 && by_index.contains(at) && r.moves.size() <= tree.size()) {
    const auto& n = *by_index[at];
    r.moves.emplace_back(at, n.summary);
    at = n.parents.empty() ? 0 : n.parents.front();
  }
  std::reverse(r.moves.begin(), r.moves.end());
}

result<void> read_best(node_reader& reader, campaign_result& r) {
  auto best = reader.record<node_record>(keys::nodes, keys::node(r.status.id, r.status.best));
  if (!best)
    return tl::unexpected(best.error());
  auto source = reader.blob(best->proposal.source);
  if (!source)
    return tl::unexpected(source.error());
  r.source = std::move(*source);
  for (const auto& id : best->evaluations)
    if (auto e = reader.record<evaluation_record>(keys::evaluations, keys::evaluation(id)))
      r.evaluations.push_back(std::move(*e));
  r.best = std::move(*best);
  return {};
}

result<void> write_file(const std::string& path, const std::string& text, bool executable) {
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out << text;
  out.close();
  if (!out)
    return tl::unexpected(from_errno(errno, "writing " + path));
  if (executable && ::chmod(path.c_str(), 0755) != 0)
    return tl::unexpected(from_errno(errno, "writing " + path));
  return {};
}

} // namespace

bool has_winner(const campaign_status& s) {
  return s.best != 0 && s.state == to_string(campaign_phase::finished);
}

result<campaign_result> read_result(node& where, const campaign_spec& spec, const campaign_status& status) {
  node_reader reader{where};
  campaign_result r;
  r.spec = spec;
  r.status = status;
  if (auto fixed = reader.record<preparation>(keys::index, keys::prepared(status.id)))
    r.fixed = std::move(*fixed);
  auto tree = reader.tree(status.id);
  if (!tree)
    return tl::unexpected(tree.error());
  for (const auto& n : *tree)
    if (n.index != 0 && n.state == to_string(candidate_state::finished))
      ++r.by_verdict[to_string(n.result)];
  for (const auto& n : *tree)
    if (n.reused_from)
      ++r.reused;
  for (const auto& n : *tree)
    if (n.index != 0 && n.result == verdict::pass)
      r.fastest = std::max(r.fastest, n.speedup);
  auto events = reader.events(status.id);
  if (!events)
    return tl::unexpected(events.error());
  read_curve(r, *events);
  if (has_winner(status)) {
    if (auto done = read_best(reader, r); !done)
      return tl::unexpected(done.error());
    read_moves(r, *tree);
  }
  return r;
}

std::vector<std::string> notes_of(const campaign_result& r, const target& hardware) {
  std::vector<std::string> out;
  const auto take = [&](std::string text) {
    if (!text.empty())
      out.push_back(std::move(text));
  };
  if (r.best && has_winner(r.status)) {
    const auto& task = r.spec.task.task;
    const auto& p = r.best->proposal;
    const bool floats =
        std::any_of(task.arguments.begin(), task.arguments.end(), [](const auto& a) { return is_floating(a.type); });
    if (floats)
      take(fast_math_note(p.flags,
                          hardware.build_script({p.language, p.flags, task.threads, task.libraries, task.entry})));
  }
  if (r.best && has_winner(r.status))
    take(alignment_note(r.source, r.spec.task.task));
  if (r.status.final_confirmed)
    for (const auto& t : r.status.shapes)
      take(slower_note(t));
  if (!r.fixed)
    return out;
  const auto& admission = r.fixed->admission.evidence;
  for (const auto& [key, text] : admission)
    if (key.starts_with("note."))
      out.push_back(text);
  // Where even the reference's calls are short, that has been said.
  if (auto own = admission.find("call_overhead_ns"); own != admission.end() && admission.count("note.short") == 0)
    for (const auto& t : r.status.shapes)
      take(flattened_note(t, std::atof(own->second.c_str())));
  return out;
}

namespace {

// Returns the evidence of this name of the best's last evaluation that has it; null: none has.
json evidence_of(const campaign_result& r, const char* name) {
  for (auto e = r.evaluations.rbegin(); e != r.evaluations.rend(); ++e)
    if (const auto found = e->outcome.evidence.find(name); found != e->outcome.evidence.end())
      return found->second;
  return nullptr;
}

} // namespace

json run_json(const campaign_result& r, const target& hardware, const std::string& folder) {
  const auto& s = r.status;
  const auto ended = has_ended(s.state);
  json out{{"campaign", to_string(s.id)},
           {"state", ended ? s.state : to_string(campaign_phase::paused)},
           {"stop_reason", or_null(to_string(s.stop_reason))},
           {"reason", or_null(s.reason)},
           {"notes", notes_of(r, hardware)},
           {"candidates", s.candidates},
           {"valid", s.valid},
           {"reused", r.reused},
           {"best", nullptr},
           {"spent",
            {{"wall_s", s.wall_s},
             {"llm_calls", s.models.calls},
             {"tokens_in", s.models.tokens - s.models.output_tokens},
             {"tokens_out", s.models.output_tokens},
             {"cost", to_json(s.models)["cost"]},
             {"device_s", s.device_s},
             {"compile_s", s.compile_s}}},
           {"bundle", or_null(folder)}};
  if (s.best == 0)
    return out;
  out["best"] = {{"candidate", s.best},
                 {"node", s.best},
                 {"speedup", s.speedup},
                 {"outputs", outputs_json(s.outputs, s.speedup)},
                 {"trust", to_string(hardware.trust())},
                 {"final", s.final_confirmed},
                 {"disturbed", or_null(s.disturbed)},
                 {"reused_from", to_json(s.reused_from)},
                 {"sanitised", evidence_of(r, sanitised_evidence)},
                 {"unsanitised", evidence_of(r, unsanitised_evidence)},
                 {"summary", s.best_summary}};
  add_interval(out["best"], s, basis_of(s));
  add_baselines(out["best"], s.baselines);
  return out;
}

result<std::string> write_result(const campaign_result& r, const target& hardware, const std::string& data_dir) {
  auto folder = data_dir + "/results/" + short_string(r.status.id);
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec)
    return tl::unexpected(from_errno(ec.value(), "making " + folder));
  auto document = run_json(r, hardware, folder);
  document["shapes"] = to_json(r.status.shapes, basis_of(r.status));
  document["candidates_by_verdict"] = r.by_verdict;
  std::vector<std::tuple<std::string, std::string, bool>> files{
      {"report.md", report_text(r, hardware), false}, {"result.json", to_pretty_text(document) + "\n", false}};
  if (r.best) {
    const auto& p = r.best->proposal;
    const auto& task = r.spec.task.task;
    files.emplace_back("kernel" + source_extension(p.language), r.source, false);
    if (auto script = hardware.build_script({p.language, p.flags, task.threads, task.libraries, task.entry});
        !script.empty())
      files.emplace_back("build.sh", script, true);
  }
  for (const auto& [name, text, executable] : files)
    if (auto done = write_file(folder + "/" + name, text, executable); !done)
      return tl::unexpected(done.error());
  return folder;
}

} // namespace kevolve
