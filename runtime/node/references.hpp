// What records of the store name: results by candidates, texts by both. The one place that knows where names stand.
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

// Every record whose key begins so, a thousand at a time.
result<void> each_row(const store& data, table where, const std::string& prefix, const row_visitor& visit);

// Where names stand, by campaign: the table, what keys begin with before the campaign's own 16 bytes, and how to read
// them. Of a record that cannot be read nobody knows what it names: errc::corrupt.
struct naming_place {
  table where;
  const char* prefix;
  const char* what; // "candidate"
  result<void> (*names)(const std::string&, const name_visitor&);
};
const std::vector<naming_place>& naming_places();

result<void> names_of_evaluation(const std::string& bytes, const name_visitor& visit);

// Results that a campaign bought and no record of a candidate names: final confirmations, and what was in flight when
// it ended. With `intended` also what it was about to buy.
result<void> names_of_events(const store& data, const id128& campaign, const name_visitor& visit, bool intended);

// Campaigns that are not whole any more: forgetting them was begun and has not come to its end.
result<std::vector<id128>> half_forgotten(const store& data);

struct dangling_name {
  std::string where; // "candidate 3 of 0123…", "result 0123…"
  std::string what;  // "text 0123…"
};
// Names of records that are not there, also of those that a campaign's events tell of: a repair moved them to
// quarantine, or something erased what was in use. Campaigns that are being forgotten are not looked at.
result<std::vector<dangling_name>> dangling_names(const store& data);

} // namespace kevolve
