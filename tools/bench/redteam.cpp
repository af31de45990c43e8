// Runs the red team many times. Counts how often each cheat was rejected and by which rule, which ones gained, and how
// often honest controls were rejected.
#include "tools/bench/helper_session.hpp"
#include "tools/bench/redteam_judgement.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

namespace kevolve::bench {

namespace {

constexpr size_t objections_kept = 5;

// The results of one exhibit.
struct tally {
  int runs = 0;
  int passed = 0;
  int gained = 0;
  int faults = 0;
  int repeated = 0;                    // screenings that found no gain
  std::vector<std::string> edge_calls; // of each screening that passed and was confirmed
  double largest_speedup = 0.0;
  std::map<std::string, int> refusals; // for example "wrong_result/tolerance"
  std::vector<std::string> objections; // the first few
  int objected = 0;
};

void count(tally& t, const redteam::exhibit& e, const std::string& variant, const judge_outcome& o) {
  ++t.runs;
  if (o.trouble)
    ++t.faults;
  else if (o.result != verdict::pass)
    ++t.refusals[to_string(o.result) + "/" + o.rule];
  else {
    ++(o.decision == comparison_decision::faster ? t.gained : t.passed);
    t.largest_speedup = std::max(t.largest_speedup, o.speedup);
  }
  const auto wrong = redteam::objection(e, o);
  if (wrong.empty())
    return;
  ++t.objected;
  if (t.objections.size() < objections_kept)
    t.objections.push_back(variant.empty() ? wrong : variant + ": " + wrong);
}

json row(const redteam::exhibit& e, const tally& t) {
  json out{{"name", e.name},         {"task", e.task},
           {"runs", t.runs},         {"refusals", json::object()},
           {"passed", t.passed},     {"gained", t.gained},
           {"faults", t.faults},     {"left_to_confirmation", t.edge_calls.size()},
           {"objected", t.objected}, {"objections", t.objections},
           {"repeated", t.repeated}, {"edge_calls", t.edge_calls}};
  for (const auto& [rule, n] : t.refusals)
    out["refusals"][rule] = n;
  if (!e.honest) {
    out["classes"] = e.classes;
    out["control"] = e.control;
    out["wanted"] = e.gainless ? "gainless" : "refused";
    out["variants"] = e.variants.size();
    out["largest_speedup"] = t.largest_speedup;
  }
  return out;
}

// Judges one exhibit. If the judge does not answer, that is recorded as a finding.
result<void> try_once(helper_session& judge, const redteam::catalogue& c, const redteam::exhibit& e,
                      const std::string& variant, const std::string& object, tally& t) {
  auto judged = redteam::judge_exhibit(e, variant, redteam::request_for(c, e, object),
                                       [&judge](const judge_request& request) { return judge.ask(request); });
  if (!judged) {
    if (judged.error().code != errc::internal)
      return tl::unexpected(judged.error());
    judge_outcome faulty; // helper_session reports a fault as an error
    faulty.trouble = {"fault", judged.error().detail, 0};
    count(t, e, variant, faulty);
    return {};
  }
  t.repeated += judged->repeated;
  if (judged->left_to_confirmation)
    t.edge_calls.push_back(judged->edge_calls);
  count(t, e, variant, judged->outcome);
  return {};
}

// Tries cheats. `only`: the name of one cheat; empty: all.
result<json> try_cheats(helper_session& judge, const redteam::catalogue& c, int runs, const std::string& only) {
  auto rows = json::array();
  for (const auto& e : c.cheats) {
    if (!only.empty() && e.name != only)
      continue;
    tally t;
    for (const auto& variant : e.variants) {
      auto object = redteam::build_object(e, variant);
      if (!object)
        return tl::unexpected(object.error());
      for (int i = 0; i < runs; ++i)
        if (auto ok = try_once(judge, c, e, variant, *object, t); !ok)
          return fail(ok.error().code, e.name + " " + variant + ": " + ok.error().detail);
    }
    std::fprintf(stderr, "%s: %d runs, %d objections\n", e.name.c_str(), t.runs, t.objected);
    rows.push_back(row(e, t));
  }
  return rows;
}

// Runs the controls in turn, `runs` times, so that each meets the states that the others leave behind.
result<json> try_controls(helper_session& judge, const redteam::catalogue& c, int runs, const std::string& only) {
  std::vector<const redteam::exhibit*> chosen;
  std::vector<std::string> objects;
  for (const auto& e : c.controls) {
    if (!only.empty() && e.name != only)
      continue;
    auto object = redteam::build_object(e, "");
    if (!object)
      return tl::unexpected(object.error());
    chosen.push_back(&e);
    objects.push_back(std::move(*object));
  }
  std::vector<tally> tallies(chosen.size());
  for (size_t i = 0; i < static_cast<size_t>(runs) && !chosen.empty(); ++i) {
    const auto k = i % chosen.size();
    if (auto ok = try_once(judge, c, *chosen[k], "", objects[k], tallies[k]); !ok)
      return tl::unexpected(ok.error());
  }
  auto rows = json::array();
  for (size_t i = 0; i < chosen.size(); ++i)
    rows.push_back(row(*chosen[i], tallies[i]));
  return rows;
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string bin;
  std::string folder;
  std::string only;
  int runs = 2;
  int controls = 50;
  kevolve::declared_program app{"Every cheat of the red team, and its honest controls, judged many times"};
  app.add_option("--bin", bin, "folder of the helper programs")->required();
  app.add_option("--exhibits", folder, "tests/redteam of the source tree")->required();
  app.add_option("--runs", runs, "of each cheat and each of its variants")->capture_default_str();
  app.add_option("--controls", controls, "runs over all controls together")->capture_default_str();
  app.add_option("--only", only, "the name of one cheat or of one control; default: all");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto catalogue = redteam::open_catalogue(folder);
  if (!catalogue)
    return give_up(to_string(catalogue.error()));
  auto bench = open_workbench(bin);
  if (!bench)
    return give_up(to_string(bench.error()));
  auto before = machine();
  auto honest = try_controls(*bench->judge, *catalogue, controls, only);
  if (!honest)
    return give_up(to_string(honest.error()));
  auto cheats = try_cheats(*bench->judge, *catalogue, runs, only);
  if (!cheats)
    return give_up(to_string(cheats.error()));
  return print({{"benchmark", "redteam"},
                {"seed", "the judge's own, from the kernel"},
                {"machine", before},
                {"load_after", machine()["load_1min"]},
                {"sandbox", bench->judge->hello().facts.at("sandbox")},
                {"cheats", *cheats},
                {"controls", *honest}});
}
