// One kevolve node: the store, the actors, the helpers' I/O and, if requested, the HTTP admin. `kevolve run` and
// `kevolved` start the same node.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/devices/device_health.hpp"
#include "actors/interfaces.hpp"
#include "backends/target.hpp"
#include "config/node.hpp"
#include "runtime/base/result.hpp"
#include "runtime/node/admin/http_limits.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct node_parts;

struct node_options {
  std::string data_dir;
  std::string bin_dir;          // folder of the helper programs; empty: helper_directory()
  bool require_helpers = false; // refuse to start where a helper program of a target is missing
  std::vector<std::string> targets{"cpu"};
  std::map<std::string, std::vector<int>> cores;           // cores of a target, the timing core first; empty: as
                                                           // detected
  std::map<std::string, target_options> decisions;         // by target
  std::map<std::string, std::vector<std::string>> devices; // ids of a target's devices; empty: all
  std::set<std::string> batch;        // targets without a reachable device: their evaluations are exported (batch/)
  std::set<std::string> elsewhere;    // targets whose devices other nodes of the cluster have
  bool evaluate_only = false;         // runs a batch: judges existing candidates and makes none
  std::string listen = "127.0.0.1:0"; // of the admin; empty: no admin. Port 0: any free port; admin_url() returns it
  std::string token_file;             // empty: <data_dir>/token
  tls_files tls;                      // of the admin
  http_limits http;
  std::vector<provider_spec> providers;
  std::vector<std::string> knowledge_folders; // of an operator's documents
  std::vector<std::string> code_roots;        // that models may search
  int64_t campaigns = 0;                      // running at once, the others wait; 0: no limit
  int64_t compilers = 0;                      // at once; 0: one per core that does not time
  int64_t disk_reserve_mib = 0;               // with less free space the node neither starts nor writes
  int64_t keep_candidates = 0;                // of ended campaigns; 0: all are kept (retention.hpp)
  health_rules health;                        // when devices must prove themselves
  cluster_spec cluster;                       // without `postgres` the node works alone
  bool read_only = false;                     // neither runs nor writes anything: only shows the directory's contents
  bool resume_all = false;                    // resumes every unfinished campaign (the daemon does)
};

class node {
public:
  // Locks the data directory, starts the actors and the admin. errc::conflict names the process that holds the lock.
  static result<std::unique_ptr<node>> start(node_options options);
  // Stops in stages: admin, campaigns, resources, journal; each has a time limit. Work in flight is resumed by the next
  // node.
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  caf::actor_system& system();
  const std::shared_ptr<actor_status_table>& statuses() const;
  const campaigns_actor& campaigns() const;
  const journal_actor& journal() const;
  const scheduler_actor& scheduler() const;
  const relay_actor& relay() const;
  const models_actor& models() const; // null without providers
  const skill_book_actor& skills() const;
  // Returns the target of this name, or null.
  std::shared_ptr<const target> find_target(const std::string& name) const;
  id128 id() const;
  const std::string& data_dir() const;
  std::string admin_url() const;  // "http://127.0.0.1:41234"; empty without admin
  std::string token_file() const; // mode 0600
  // Returns an empty text while the node is well; else why it cannot go on (the root supervisor gave up).
  std::string broken() const;
  // Changes the settings that may change while the node runs.
  result<void> change_admin(const tls_files& tls, const http_limits& limits);
  // Gives access for code built beside the campaigns, such as evaluate_once.
  node_parts& parts_of();

private:
  struct parts;
  explicit node(std::unique_ptr<parts> p);
  std::unique_ptr<parts> parts_;
};

} // namespace kevolve
