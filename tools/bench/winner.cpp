// Writes a finished campaign's winner as source and object files, and its progress as JSON.
#include "tools/bench/recording.hpp"
#include "tools/bench/report.hpp"

#include "actors/knowledge/skill.hpp"
#include "actors/messages/keys.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"
#include "tools/command_line/command_line.hpp"

#include <filesystem>
#include <fstream>

namespace kevolve::bench {

namespace {

void write(const std::string& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

// Returns when the champion first reached that share of the final result.
json reached(const recording& r, double share) {
  for (const auto& c : r.promotions)
    if (c.speedup >= share * r.finish.speedup)
      return {{"candidates", c.candidates}, {"seconds", c.seconds}};
  return nullptr;
}

// Returns how many skills the store holds in each state.
json skills_of(const store& data) {
  auto out = json::object();
  const auto rows = data.scan(table::skills, "", SIZE_MAX);
  if (!rows)
    return nullptr;
  for (const auto& [key, bytes] : *rows)
    if (const auto s = decode_older<skill>(bytes)) {
      const auto state = to_string(s->state);
      out[state] = out.value(state, 0) + 1;
    }
  return out;
}

json shape_json(const shape_timing& t) {
  return {{"shape", t.shape},
          {"held_out", t.held_out},
          {"weight", t.weight},
          {"reference_ns", median(t.baseline_ns)},
          {"candidate_ns", median(t.candidate_ns)},
          {"speedup", t.speedup},
          {"ci95", interval(t.ci_low, t.ci_high)},
          {"coverage", basis_of(t).coverage},
          {"floor_ns", t.floor_ns},
          {"pairs", t.baseline_ns.size()}};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string data_dir;
  std::string out_dir;
  std::string campaign;
  kevolve::declared_program app{"Writes the winner of a campaign in a data directory"};
  app.add_option("--data", data_dir, "the data directory, not in use")->required();
  app.add_option("--out", out_dir, "an existing folder for kernel.c and kernel.so")->required();
  app.add_option("--campaign", campaign, "its id, where there are several");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  store_options options;
  options.create = false;
  auto data = store::open(data_dir, options);
  if (!data)
    return give_up(to_string(data.error()));
  auto r = read_recording(**data, parse_id(campaign));
  if (!r)
    return give_up(to_string(r.error()));
  const auto search_ns = r->candidates == 0 ? 0 : r->last_finished_ns - r->first_selected_ns;
  json out{{"task", r->spec.task.task.name},
           {"seed", r->spec.seed},
           {"state", to_string(r->finish.state)},
           {"stop_reason", to_string(r->finish.stop_reason)},
           {"detail", r->finish.detail},
           {"candidates", r->candidates},
           {"search_s", static_cast<double>(search_ns) / 1e9},
           {"speedup", r->finish.speedup},
           {"ci95", interval(r->finish.ci_low, r->finish.ci_high)},
           {"coverage", r->finish.basis.coverage},
           {"sessions", r->finish.basis.sessions},
           {"outputs_read", r->finish.outputs.read.speedup},
           {"outputs_not_read", r->finish.outputs.not_read.speedup},
           {"reached_90_percent", reached(*r, 0.9)},
           {"skills", skills_of(**data)},
           {"given_skills", r->given_skills},
           {"applied_skills", r->applied_skills},
           {"winner", nullptr}};
  auto curve = json::array();
  for (const auto& c : r->promotions)
    curve.push_back({{"seconds", c.seconds}, {"candidates", c.candidates}, {"speedup", c.speedup}});
  out["curve"] = curve;
  auto shapes = json::array();
  for (const auto& t : r->finish.shapes)
    shapes.push_back(shape_json(t));
  out["shapes"] = shapes;
  if (r->finish.best == 0)
    return print(out);
  auto bytes = (*data)->get(table::nodes, keys::node(r->campaign, r->finish.best));
  if (!bytes || !*bytes)
    return give_up("the best node's record is missing");
  auto best = decode_older<node_record>(**bytes);
  if (!best)
    return give_up(to_string(best.error()));
  auto source = read_blob(**data, best->proposal.source);
  auto object = read_blob(**data, best->object);
  if (!source || !object)
    return give_up(to_string(source ? object.error() : source.error()));
  auto file = out_dir + "/kernel" + source_extension(best->proposal.language);
  write(file, *source);
  write(out_dir + "/kernel.so", *object);
  out["winner"] = {{"node", best->index},
                   {"flags", best->proposal.flags},
                   {"language", best->proposal.language},
                   {"summary", best->proposal.summary},
                   {"source", file}};
  return print(out);
}
