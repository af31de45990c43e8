// Membership and the work queue, as one node uses them. Every function is one round trip. schema/ holds their meaning.
#pragma once

#include "runtime/base/ids.hpp"
#include "store/postgres/connection.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::postgres {

// A node offers to run so many jobs of one kind at once that ask for this target and fingerprint.
struct offered_resource {
  std::string kind;     // compile | judge | model | wait
  std::string target;   // or the provider of a model
  std::string hardware; // fingerprint of tool chain, or of device and judge
  uint32_t slots = 0;
  std::string about; // for people: "AMD EPYC 7763", "clang 19.1"
};

struct member {
  std::string deployment;
  std::string name;
  id128 instance;   // of the process
  id128 id;         // of the data directory
  std::string role; // home | worker
  std::string version;
  std::vector<std::string> labels;
  int64_t memory_mib = 0;
  std::vector<offered_resource> resources;
};

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

struct heartbeat_answer {
  bool draining = false;
  std::string quarantined;       // the reason; empty: it is not
  std::vector<std::string> lost; // tokens that are no longer the node's
};

struct node_row {
  std::string name;
  std::string role;
  std::string version;
  std::string state; // live | draining | quarantined | left | gone
  std::string reason;
  int64_t epoch = 0;
  double seen_s = 0.0; // since its last heartbeat
  std::vector<std::string> labels;
  std::vector<offered_resource> resources;
  int64_t claimed = 0; // jobs that it runs
};
struct queue_row {
  std::string kind;
  std::string target;
  int64_t queued = 0;
  int64_t claimed = 0;
  int64_t dead = 0;
  double oldest_s = 0.0;
};

// Returns the node's epoch. errc::conflict: a live node has the name; errc::bad_input: another deployment.
result<int64_t> join(connection& c, const member& m);
result<heartbeat_answer> heartbeat(connection& c, const member& m, const std::vector<std::string>& tokens);
result<void> leave(connection& c, const member& m);
result<void> quarantine(connection& c, const member& m, const std::string& reason);

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

result<std::vector<node_row>> list_nodes(connection& c);
result<std::vector<queue_row>> queue_figures(connection& c);
// Returns false if there is no node of that name.
result<bool> drain(connection& c, const std::string& name, bool on);

} // namespace kevolve::postgres
