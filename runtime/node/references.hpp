// The references between records of the store: candidates name results, and both name texts. Only this file knows where
// such names are.
#pragma once

#include "actors/messages/messages.hpp"
#include "store/store.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

using record_name = std::pair<table, std::string>;
using name_visitor = std::function<void(table, const std::string&)>;
using row_visitor = std::function<result<void>(const std::string& key, const std::string& value)>;

// Calls `visit` for every record whose key begins with the prefix, reading a thousand at a time.
result<void> each_row(const store& data, table where, const std::string& prefix, const row_visitor& visit);

// A place of such names, by campaign: the table, the key prefix before the campaign's own 16 bytes, and the function
// that reads them. A record that cannot be read is errc::corrupt.
struct naming_place {
  table where;
  const char* prefix;
  const char* what; // "candidate"
  result<void> (*names)(const std::string&, const name_visitor&);
};
const std::vector<naming_place>& naming_places();

result<void> names_of_evaluation(const std::string& bytes, const name_visitor& visit);

// Visits results that a campaign bought but no candidate's record names: final confirmations, and evaluations in flight
// when it ended. With `intended`, evaluations that were about to start, too.
result<void> names_of_events(const store& data, const id128& campaign, const name_visitor& visit, bool intended);

// Returns campaigns whose removal has begun and not ended.
result<std::vector<id128>> half_forgotten(const store& data);

struct dangling_name {
  std::string where; // "candidate 3 of 0123…", "result 0123…"
  std::string what;  // "text 0123…"
};
// Returns names of missing records, including those that a campaign's events require. A repair moved them to
// quarantine, or something erased a record in use. Campaigns that are being forgotten are skipped.
result<std::vector<dangling_name>> dangling_names(const store& data);

} // namespace kevolve
