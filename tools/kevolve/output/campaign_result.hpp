// The result of an ended campaign for its owner: the winning source, how to build it, and the proof.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/node.hpp"
#include "tools/kevolve/output/climb.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Everything the report says, read from the node.
struct campaign_result {
  campaign_spec spec;
  campaign_status status;
  std::optional<preparation> fixed;
  std::optional<node_record> best;            // absent: none faster
  std::string source;                         // of the best
  std::vector<evaluation_record> evaluations; // of the best
  std::map<std::string, uint64_t> by_verdict; // candidates
  uint64_t reused = 0;                        // candidates whose verdict another campaign measured
  double fastest = 0.0;                       // of the valid ones' speedups, rough ones included; 0: none
  std::vector<best_so_far> curve;
  std::vector<std::pair<uint64_t, std::string>> moves; // from the reference to the best: node, step
};
result<campaign_result> read_result(node& where, const campaign_spec& spec, const campaign_status& status);

// Returns notes on a result: limits of the winner's flags, shapes on which it is slower than the reference, and remarks
// of admission. Admission remarks on calls that are too short or too long to judge well.
std::vector<std::string> notes_of(const campaign_result& r, const target& hardware);

// Returns the last line of `kevolve run --json`. `folder`: where the files lie; empty: none.
json run_json(const campaign_result& r, const target& hardware, const std::string& folder);

// Returns the text of report.md.
std::string report_text(const campaign_result& r, const target& hardware);

// Writes kernel.c, build.sh, report.md and result.json into <data>/results/<id>/ and returns that folder.
result<std::string> write_result(const campaign_result& r, const target& hardware, const std::string& data_dir);

// Tells if the campaign has shown a candidate to be faster.
bool has_winner(const campaign_status& s);

} // namespace kevolve
