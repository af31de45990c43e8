// The work queue, as one node uses it. Every function is one round trip. schema/ holds their meaning.
#pragma once

#include "store/postgres/membership.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::postgres {

struct queued_job {
  id128 key;
  id128 campaign;
  double weight = 100.0; // the campaign's share relative to others
  std::string kind;
  std::string target;
  std::string hardware; // empty: any
  std::vector<std::string> labels;
  int64_t memory_mib = 0;
  int32_t priority = 0; // among all campaigns: higher first
  std::string payload;
  std::vector<std::string> blobs; // SHA-256 of what the payload names
};

struct claimed_job {
  int64_t id = 0;
  id128 key;
  id128 campaign;
  std::string kind;
  std::string target;
  std::string hardware; // of the node's resource that it was claimed for
  int64_t claim = 0;    // how often it was claimed: a result counts only for the latest
  std::string token;
  std::string payload;
  double waited_ms = 0.0;
};

struct ended_job {
  id128 key;
  bool dead = false; // it failed too often; `reason` says how
  std::string result;
  std::string reason;
  std::string node;
};

struct queue_row {
  std::string kind;
  std::string target;
  int64_t queued = 0;
  int64_t claimed = 0;
  int64_t dead = 0;
  double oldest_s = 0.0;
};

result<std::vector<claimed_job>> claim(connection& c, const member& m, const offered_resource& free);
// Returns the bytes of a blob that the claimed job names, checked against the digest.
result<std::string> fetch(connection& c, const std::string& token, const std::string& digest);
struct job_end {
  std::string token;
  std::string result;
  std::string failure; // empty: it has the result; else the job is returned, and another node tries it
  bool blamed = true;  // a failure counts against the job and this node
};
// Returns for each end whether it counted.
result<std::vector<bool>> finish(connection& c, const std::vector<job_end>& ends);

result<std::vector<std::string>> missing_blobs(connection& c, const std::vector<std::string>& digests);
// Stores the blobs and puts the jobs, all in one transaction. Returns true if one of them has ended already.
result<bool> put(connection& c, const member& m, const std::vector<std::string>& blobs,
                 const std::vector<queued_job>& jobs);
result<std::vector<ended_job>> collect(connection& c, const member& m, int most);
result<void> acknowledge(connection& c, const member& m, const std::vector<id128>& keys);
result<void> withdraw(connection& c, const member& m, const std::vector<id128>& keys);

result<std::vector<queue_row>> queue_figures(connection& c);

} // namespace kevolve::postgres
