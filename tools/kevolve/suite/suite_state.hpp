// A suite on disk: its tasks, its budget and what of it is spent. Its campaigns are in the store of the same directory.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/kevolve/suite/suite_table.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct suite_budget { // 0: unlimited
  double wall_s = 0.0;
  double device_s = 0.0;
  uint64_t tokens = 0;
};

struct suite_state {
  std::string name;
  suite_budget budget;  // of the whole
  double each_s = 60.0; // wall time of one campaign
  double wall_s = 0.0;  // that all sessions so far have taken
  std::vector<suite_item> items;
};

// Returns the file of the suite of this name in a data directory.
std::string suite_file(const std::string& data, const std::string& name);
// Returns "aten", or of a folder its last part.
std::string suite_name(const std::string& given, int level);

json to_json(const suite_state& s);
// Reads what to_json() wrote; an error names the file and the key.
result<suite_state> parse_suite(const std::string& text, const std::string& file);
// Loads a suite. errc::not_found: there is none.
result<suite_state> load_suite(const std::string& data, const std::string& name);
// Replaces the file whole, or leaves it as it is.
result<void> save_suite(const std::string& data, const suite_state& s);

// Returns the tasks below a folder, ordered by folder and by the numbers in their names; not those below `but`.
std::vector<suite_item> tasks_below(const std::string& folder, const std::string& but);
// Adds tasks that are new, and keeps the campaigns of the others. Tasks whose files are gone are dropped unless they
// have a campaign.
void merge_tasks(suite_state& s, const std::vector<suite_item>& found);

// The rest of a budget. If nothing is left, `used_up` names the part.
struct suite_remainder {
  suite_budget left; // 0: unlimited
  std::string used_up;
};
suite_remainder remainder_of(const suite_state& s, double device_s, uint64_t tokens);
// Returns the settings of the next campaign, as `kevolve run --set` takes them.
std::vector<std::string> settings_of(const suite_item& item, const suite_state& s, const suite_remainder& left);

} // namespace kevolve
