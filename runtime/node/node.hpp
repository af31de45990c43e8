// One kevolve node: the store, the actors, the helpers' I/O and, if asked for, the HTTP admin. `kevolve run`
// and `kevolved` start the very same one.
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
  std::string bin_dir;          // helper programs; empty: helper_directory()
  bool require_helpers = false; // refuse to start where a helper program of a target is missing
  std::vector<std::string> targets{"cpu"};
  std::map<std::string, std::vector<int>> cores;           // of a target, the timing core first; none: as detected
  std::map<std::string, target_options> decisions;         // by target
  std::map<std::string, std::vector<std::string>> devices; // of a target, by id; none: all it has
  std::set<std::string> batch;        // targets of which no device can be reached: what they judge travels (batch/)
  bool evaluate_only = false;         // runs what came as a batch: judges what has a candidate, and makes nothing
  std::string listen = "127.0.0.1:0"; // of the admin; empty: none. Port 0: any; admin_url() tells
  std::string token_file;             // empty: <data_dir>/token
  tls_files tls;                      // of the admin
  http_limits http;
  std::vector<provider_spec> providers;
  int64_t campaigns = 0;        // running at once, the others wait; 0: any number
  int64_t compilers = 0;        // at once; 0: one per core that is not timing
  int64_t disk_reserve_mib = 0; // free space below which it does not start and nothing more is written
  int64_t keep_candidates = 0;  // of ended campaigns; 0: all (retention.hpp)
  health_rules health;          // when devices prove themselves
  bool read_only = false;       // runs and writes nothing: to look at what the directory holds
  bool resume_all = false;      // take up every unfinished campaign (the daemon does)
};

class node {
public:
  // Takes the data directory, starts the actors and the admin. errc::conflict names the process that has it.
  static result<std::unique_ptr<node>> start(node_options options);
  // Stops in stages: admin, campaigns, resources, journal; each bounded. What is in flight is taken up next time.
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  caf::actor_system& system();
  const std::shared_ptr<card_table>& cards() const;
  const campaigns_actor& campaigns() const;
  const journal_actor& journal() const;
  const scheduler_actor& scheduler() const;
  const relay_actor& relay() const;
  const models_actor& models() const; // null without providers
  std::shared_ptr<const target> find_target(const std::string& name) const;
  id128 id() const;
  const std::string& data_dir() const;
  std::string admin_url() const;  // "http://127.0.0.1:41234"; empty without admin
  std::string token_file() const; // mode 0600
  // Empty while well; else why the node cannot go on (the root supervisor gave up).
  std::string broken() const;
  // What may change while it runs.
  result<void> change_admin(const tls_files& tls, const http_limits& limits);
  // For what is built beside the campaigns, as evaluate_once.
  node_parts& parts_of();

private:
  struct parts;
  explicit node(std::unique_ptr<parts> p);
  std::unique_ptr<parts> parts_;
};

} // namespace kevolve
