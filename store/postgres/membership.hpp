// The membership of nodes in a cluster, as one node uses it. Every function is one round trip. schema/ holds their
// meaning.
#pragma once

#include "runtime/base/ids.hpp"
#include "store/postgres/connection.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::postgres {

// A node offers to run so many jobs of one kind at once that ask for this target and fingerprint.
struct offered_resource {
  std::string kind;     // a job_kind of runtime/base/cluster_words.hpp
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
// Returns the node's epoch. errc::conflict: a live node has the name; errc::bad_input: another deployment.
result<int64_t> join(connection& c, const member& m);
result<heartbeat_answer> heartbeat(connection& c, const member& m, const std::vector<std::string>& tokens);
result<void> leave(connection& c, const member& m);
// The node gets no more jobs until a person lets it in again, and those that it runs go to other nodes.
result<void> quarantine(connection& c, const member& m, const std::string& reason);

// The rate that is expected of a device with some fingerprint.
struct expected_figure {
  double value = 0.0;
  int64_t of_nodes = 0; // that measured it; 0: this node's own earlier reading
};
// Notes what the node has measured of its devices with this fingerprint. Returns what is expected, by name; nothing for
// a figure that nobody has measured before.
result<std::map<std::string, expected_figure>> note_figures(connection& c, const member& m, const std::string& hardware,
                                                            const std::map<std::string, double>& figures);

result<std::vector<node_row>> list_nodes(connection& c);
// Gives a node no new jobs, or gives it jobs again, also a quarantined one. Returns false if there is no node of that
// name.
result<bool> drain(connection& c, const std::string& name, bool on);

} // namespace kevolve::postgres
