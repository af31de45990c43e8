// bench-landscape: records landscapes, names what bounds their candidates, and plays policies on them. tools/bench/run
// landscape drives it.
#include "tools/bench/landscape/bound_record.hpp"
#include "tools/bench/landscape/contender.hpp"
#include "tools/bench/landscape/recorder.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

namespace kevolve::bench {

namespace {

struct play_arguments {
  std::vector<std::string> records;
  std::string campaign;
  std::vector<std::string> contenders;
  uint64_t seeds = 40;
  uint64_t seed = 1;
  uint64_t budget = 60;
  double share = 0.95;
  bool other_generator = false;
};

json played(const world& on, const contender& c, const play_arguments& a) {
  auto evaluations = json::array();
  auto finals = json::array();
  uint64_t steps = 0;
  uint64_t lacking = 0;
  uint64_t stretched = 0;
  uint64_t reached = 0;
  auto restricted = 0.0;
  auto seconds = 0.0;
  for (uint64_t i = 0; i < a.seeds; ++i) {
    auto o = c.options;
    o.seed = a.seed + i;
    const auto p = play(on, o);
    const auto counted = std::min<uint64_t>(p.evaluations.value_or(a.budget), a.budget);
    evaluations.push_back(counted);
    finals.push_back(std::round(1e4 * (p.best_after.empty() ? 1.0 : p.best_after.back())) / 1e4);
    restricted += static_cast<double>(counted);
    reached += p.evaluations ? 1U : 0U;
    steps += p.steps;
    lacking += p.lacking;
    stretched += p.stretched;
    seconds += p.seconds;
  }
  const auto runs = static_cast<double>(a.seeds);
  const auto share = [&](uint64_t of) {
    return steps == 0 ? 0.0 : static_cast<double>(of) / static_cast<double>(steps);
  };
  return {{"contender", c.name},       {"restricted_mean", restricted / runs}, {"reached", reached},
          {"lacking", share(lacking)}, {"stretched", share(stretched)},        {"steps", steps},
          {"seconds", seconds / runs}, {"evaluations", evaluations},           {"final", finals}};
}

int play_all(const play_arguments& a) {
  std::vector<contender> contenders;
  for (const auto& text : a.contenders) {
    auto c = contender_of(text, a.campaign);
    if (!c)
      return give_up(c.error().detail);
    c->options.budget = a.budget;
    c->options.share = a.share;
    contenders.push_back(std::move(*c));
  }
  const auto from = std::clock();
  auto all = json::array();
  for (const auto& path : a.records) {
    auto record = read_landscape(path);
    if (!record)
      return give_up(to_string(record.error()));
    if (auto ok = check_generator(*record, path); !ok) {
      if (!a.other_generator)
        return give_up(to_string(ok.error()));
      fmt::print(stderr, "{} was recorded with {}, and this build has {}: its moves are those of that version\n", path,
                 record->generator, present_generator());
    }
    const world on{std::move(*record)};
    const auto& r = on.record();
    json row{{"record", path},       {"task", r.task},     {"plans", r.plans},  {"candidates", on.size() - 1},
             {"machine", r.machine}, {"shapes", r.shapes}, {"best", on.best()}, {"plays", json::array()}};
    uint64_t good = 0;
    for (uint32_t i = 1; i < on.size(); ++i)
      good += on.truth(i) >= a.share * on.best() ? 1U : 0U;
    row["at_the_goal"] = good;
    row["bounds"] =
        std::count_if(r.nodes.begin(), r.nodes.end(), [](const auto& n) { return n.features.contains("bound"); });
    for (const auto& c : contenders)
      row["plays"].push_back(played(on, c, a));
    all.push_back(std::move(row));
  }
  const auto took = static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
  const auto campaigns = static_cast<double>(a.records.size() * contenders.size() * a.seeds);
  return print({{"seeds", a.seeds},
                {"budget", a.budget},
                {"share", a.share},
                {"campaigns", campaigns},
                {"campaigns_a_minute", std::round(60.0 * campaigns / took)},
                {"landscapes", all}});
}

int bound_one(const bounding_options& options) {
  const auto done = name_bounds(options);
  if (!done)
    return give_up(to_string(done.error()));
  return print({{"record", options.record},
                {"bounds", done->bounds},
                {"profiles", done->profiles},
                {"named", done->named},
                {"unnamed", done->unnamed},
                {"other_code", done->changed}});
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  kevolve::declared_program app{"Measures candidates of a task by uniform expansion, and plays policies on the record"};
  app.require_subcommand(1);
  record_options recorded;
  auto* record = app.add_subcommand("record", "measures candidates of a task");
  record->add_option("--bin", recorded.bin, "folder of the helper programs")->required();
  record->add_option("--task", recorded.task, "task file")->required();
  record->add_option("--out", recorded.out, "the record; goes on with what OUT.part holds")->required();
  record->add_option("--seconds", recorded.seconds, "time limit")->capture_default_str();
  record->add_option("--candidates", recorded.candidates, "size of the record; 0: any")->capture_default_str();
  record->add_option("--again", recorded.again, "the fastest so many are measured twice")->capture_default_str();
  record->add_option("--compilers", recorded.compilers, "compile servers at once")->capture_default_str();
  record->add_option("--bound", recorded.bound_s, "seconds of profiling a candidate, for what bounds it; 0: none")
      ->capture_default_str();
  std::vector<std::string> sizes;
  record->add_option("--size", sizes, "NAME=N: replaces the declared shapes by one of these sizes; may be repeated");
  record->add_option("--seed", recorded.seed)->capture_default_str();
  record->add_flag("--keep-finished", recorded.keep_finished, "measure nothing where OUT stands, finished");
  record->add_flag("--plans", recorded.plans, "with whole sequences of moves");
  bounding_options bounding;
  auto* bound = app.add_subcommand("bound", "adds what bounds a record's candidates, made again from their moves");
  bound->add_option("--bin", bounding.bin, "folder of the helper programs")->required();
  bound->add_option("--task", bounding.task, "task file")->required();
  bound->add_option("--record", bounding.record, "read, and written again")->required();
  bound->add_option("--bound", bounding.budget_s, "seconds of a profile")->capture_default_str();
  bound->add_option("--most", bounding.most, "profiles, the fastest candidates first")->capture_default_str();
  bound->add_option("--size", sizes, "NAME=N: as the record was made");
  play_arguments played;
  auto* plays = app.add_subcommand("play", "plays policies on records, without generator and judge");
  plays->add_option("records", played.records)->required();
  plays->add_option("--campaign", played.campaign, "campaign file with the settings that all share")->required();
  plays
      ->add_option("--contender", played.contenders,
                   "a policy, or \"name: key=value; key=value\" with settings of a campaign file; may be repeated")
      ->required();
  plays->add_option("--seeds", played.seeds)->capture_default_str();
  plays->add_option("--seed", played.seed, "the first")->capture_default_str();
  plays->add_option("--budget", played.budget, "evaluations after the first drafts")->capture_default_str();
  plays->add_option("--share", played.share, "of the best figure: the goal")->capture_default_str();
  plays->add_flag("--other-generator", played.other_generator, "play records of other generator versions, too");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  if (plays->parsed())
    return play_all(played);
  for (const auto& s : sizes) {
    const auto at = s.find('=');
    char* end = nullptr;
    const auto size = at == std::string::npos ? 0 : std::strtoll(s.c_str() + at + 1, &end, 10);
    if (size <= 0 || *end != '\0')
      return give_up("--size " + s + ": expected NAME=N, such as rows=128");
    recorded.sizes[s.substr(0, at)] = bounding.sizes[s.substr(0, at)] = size;
  }
  if (bound->parsed())
    return bound_one(bounding);
  const auto held = record_landscape(recorded);
  if (!held)
    return give_up(to_string(held.error()));
  return print({{"record", recorded.out}, {"candidates", *held}});
}
