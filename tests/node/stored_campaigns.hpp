// Helpers shared by the tests of stored campaigns.
#pragma once

#include "actors/messages/keys.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace kevolve::test {

// Returns the status of an ended campaign, or one in another state.
inline campaign_status ended(uint64_t id, uint64_t last_sequence, uint64_t candidates, const char* state = "finished") {
  campaign_status s;
  s.id = {0, id};
  s.state = state;
  s.last_sequence = last_sequence;
  s.candidates = candidates;
  return s;
}

// Returns a table's rows whose keys begin with the prefix.
inline std::map<std::string, std::string> rows(const store& data, table where, const std::string& prefix = {}) {
  auto all = data.scan(where, prefix, SIZE_MAX);
  REQUIRE(all);
  return {all->begin(), all->end()};
}

// Checks that every text and result of the campaign's candidates exists; returns their number.
inline size_t check_whole(const store& data, const id128& campaign) {
  size_t named = 0;
  for (const auto& [key, value] : rows(data, table::nodes, keys::of(campaign))) {
    auto r = decode_older<node_record>(value);
    REQUIRE(r);
    for (const auto& blob : {r->proposal.source, r->object})
      if (!blob.empty()) {
        CHECK(data.blob(blob)->has_value());
        ++named;
      }
    for (const auto& id : r->evaluations) {
      CHECK(data.get(table::evaluations, keys::evaluation(id))->has_value());
      ++named;
    }
  }
  return named;
}

} // namespace kevolve::test
