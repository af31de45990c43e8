// Replays a campaign's record: its events, the prompts and replies behind its candidates, its sources. Every choice of
// the search is made again from what had happened before it, and every reply is read again. The tree must be the same.
// Pure: no network, no machine, no judge.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct recording {
  id128 campaign;
  std::string name;
  campaign_spec spec;
  std::vector<journal_event> events;      // those that the tree is folded from, in order
  std::vector<exchange_record> exchanges; // their texts are in `texts`, by digest
  std::map<std::string, std::string> texts;
  std::set<std::string> redacted; // of these: something that looked like a key was taken out
  id128 tree_hash;                // at the end
};

struct replayed_node {
  uint64_t index = 0;
  std::string generator;
  std::string verdict;
  std::string rule;
  double speedup = 0.0;
  double best = 0.0;         // of all so far, by screenings
  uint64_t rounds = 0;       // of questions
  int64_t prompt_tokens = 0; // by estimate
  int64_t reply_tokens = 0;
};

struct replay_report {
  uint64_t nodes = 0;
  uint64_t choices = 0;                  // of the search, made again
  uint64_t replies = 0;                  // read again
  uint64_t refused = 0;                  // of these: held no candidate
  std::vector<replayed_node> candidates; // in the order in which they ended
  finish_record finish;
  id128 tree_hash;
  std::string difference; // the first; empty: identical
};

replay_report replay(const recording& r);

} // namespace kevolve
