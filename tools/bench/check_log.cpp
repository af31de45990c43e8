// Checks a data directory after a crash. Folds every campaign and compares the tree's hash at each event that records
// one. Finds evaluations that were started again after their result was stored. Writes every event in the admin's
// format, for comparison with earlier output.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "runtime/node/references.hpp"
#include "tools/bench/recording.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <fstream>
#include <map>
#include <set>

namespace kevolve::bench {

namespace {

struct findings {
  uint64_t events = 0;
  uint64_t hashes = 0;  // hashes recorded and compared
  uint64_t results = 0; // finished evaluations
  std::vector<std::string> mismatches;
  std::vector<std::string> repeated; // evaluations started after their result
  std::vector<std::string> twice;    // evaluations of two campaigns that both started before either had the result
  std::vector<std::string> dangling; // references to missing records or texts
  std::set<id128> finished;
  std::map<id128, campaign_fold> folds;
};

bool records_hash(event_kind k) {
  return k == event_kind::node_selected || k == event_kind::node_finished || k == event_kind::champion_changed
         || k == event_kind::node_amended;
}

void look_at_evaluation(const store& data, findings& f, const event_record& e) {
  auto i = decode<intent_record>(e.payload);
  if (!i) {
    f.mismatches.push_back("event " + std::to_string(e.sequence) + ": " + to_string(i.error()));
    return;
  }
  auto name = "event " + std::to_string(e.sequence) + ": " + i->stage + " " + to_string(i->evaluation);
  const bool begins = static_cast<event_kind>(e.kind) == event_kind::evaluation_intent;
  if (f.finished.contains(i->evaluation))
    (begins ? f.repeated : f.twice).push_back(name);
  if (static_cast<event_kind>(e.kind) != event_kind::evaluation_result)
    return;
  ++f.results;
  f.finished.insert(i->evaluation);
  auto bytes = data.get(table::evaluations, keys::evaluation(i->evaluation));
  if (!bytes || !*bytes) {
    f.dangling.push_back(name + ": no record");
    return;
  }
  auto record = decode_older<evaluation_record>(**bytes);
  if (!record)
    f.dangling.push_back(name + ": " + to_string(record.error()));
  else if (i->stage == "compile" && !record->object.empty())
    if (auto blob = data.blob(record->object); !blob || !*blob)
      f.dangling.push_back(name + ": no object");
}

void look_at(const store& data, findings& f, const event_record& e) {
  ++f.events;
  auto kind = static_cast<event_kind>(e.kind);
  if (records_hash(kind))
    ++f.hashes;
  if (kind == event_kind::evaluation_intent || kind == event_kind::evaluation_result)
    look_at_evaluation(data, f, e);
  if (!e.campaign)
    return;
  auto& campaign = f.folds[e.campaign];
  auto before = campaign.mismatch;
  fold(campaign, to_journal_event(e));
  if (campaign.mismatch != before)
    f.mismatches.push_back(campaign.mismatch);
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  std::string data_dir;
  std::string events_file;
  kevolve::declared_program app{"Checks the event log of a data directory that is not in use"};
  app.add_option("--data", data_dir, "the data directory")->required();
  app.add_option("--events", events_file, "write every event here, as the admin shows it, one a line");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  store_options options;
  options.create = false;
  auto data = store::open(data_dir, options);
  if (!data)
    return give_up(to_string(data.error()));
  auto events = all_events(**data, {});
  if (!events)
    return give_up(to_string(events.error()));
  findings f;
  std::ofstream out;
  if (!events_file.empty())
    out.open(events_file);
  for (const auto& e : *events) {
    look_at(**data, f, e);
    if (out.is_open())
      out << e.sequence << ' ' << to_text(to_json(to_journal_event(e))) << '\n';
  }
  auto campaigns = json::array();
  for (const auto& [id, c] : f.folds)
    campaigns.push_back({{"campaign", to_string(id)},
                         {"finished", c.tree.finished()},
                         {"in_flight", c.tree.in_flight()},
                         {"valid", c.tree.valid()},
                         {"ended", c.ended},
                         {"tree_hash", to_string(c.tree.hash())}});
  auto names = dangling_names(**data);
  if (!names)
    return give_up(to_string(names.error()));
  for (const auto& d : *names)
    f.dangling.push_back(d.where + " names " + d.what);
  return print({{"events", f.events},
                {"last_sequence", (*data)->last_sequence()},
                {"hashes_compared", f.hashes},
                {"hash_mismatches", f.mismatches},
                {"evaluations_finished", f.results},
                {"evaluations_repeated", f.repeated},
                {"evaluations_twice_at_once", f.twice},
                {"results_without_record", f.dangling},
                {"campaigns", campaigns}});
}
