// Helpers shared by the tests of campaigns with a provider's model.
#pragma once

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace kevolve::test {

inline const std::vector<std::string> by_llm{"generator[0].kind=llm", "generator[0].in_flight=1", "draft.candidates=2",
                                             "budget.candidates=4"};

// Returns how many of the campaign's first candidates each generator made; "nobody" made those that were withdrawn.
inline std::map<std::string, int> made_by(const std::string& data_dir, const id128& campaign, uint64_t nodes) {
  std::map<std::string, int> out;
  auto data = store::open(data_dir);
  REQUIRE(data);
  for (uint64_t i = 1; i <= nodes; ++i) {
    auto bytes = (*data)->get(table::nodes, keys::node(campaign, i));
    REQUIRE((bytes && *bytes));
    auto node = decode_older<node_record>(**bytes);
    REQUIRE(node);
    ++out[node->rule == "withdrawn" ? "nobody" : node->proposal.generator];
  }
  return out;
}

} // namespace kevolve::test
