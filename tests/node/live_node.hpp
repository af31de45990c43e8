// A real node with real helpers on a directory of its own, and what tests ask of it.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/node.hpp"
#include "runtime/node/node_parts.hpp"

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve::test {

// Removed with all it holds.
struct scratch_folder {
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string path;
};

// A node keeps its threads off the timing cores; the next one in this process is to find all cores, as a new process
// would.
class same_cores {
public:
  same_cores() { ::sched_getaffinity(0, sizeof before_, &before_); }
  same_cores(const same_cores&) = delete;
  same_cores& operator=(const same_cores&) = delete;
  ~same_cores() { ::sched_setaffinity(0, sizeof before_, &before_); }

private:
  cpu_set_t before_{};
};

struct live_options {
  bool with_target = true;
  health_rules health{};
  int64_t places = 0;
  int64_t keep_candidates = 0;
  std::vector<provider_spec> providers{};
  std::set<std::string> batch{};
  bool resume_all = false;
};

class live_node {
public:
  explicit live_node(const std::string& data_dir, const live_options& options = {});

  // Submits tests/node/tasks/<name>.toml, or takes it up again.
  id128 submit(const std::string& name, const std::vector<std::string>& overrides = {});
  result<id128> try_submit(const std::string& name, const std::vector<std::string>& overrides = {});
  campaign_status status(const id128& id);
  std::vector<campaign_status> list();
  // Asks until the condition holds; fails the test, naming what it saw last, when it does not come about in time.
  // The node pushes nothing to a caller of its API, so this looks again every few milliseconds.
  campaign_status await(const id128& id, const std::function<bool(const campaign_status&)>& condition,
                        std::chrono::seconds limit = std::chrono::seconds{240});
  campaign_status await_end(const id128& id, std::chrono::seconds limit = std::chrono::seconds{240});
  result<campaign_status> pause(const id128& id, const std::string& reason);
  result<campaign_status> resume(const id128& id, const std::string& reason = {});
  result<steer_answer> steer(const id128& id, const steer_request& q);
  // Its actor, though it has ended.
  result<caf::actor> wake(const id128& id);
  std::vector<node_brief> tree(const id128& id);
  result<campaign_status> cancel(const id128& id, const std::string& reason);

  // Crashes the live actor of that kind, and of that name if one is given, if there is one now.
  bool crash(const std::string& kind, const std::string& name = {});
  void stop() { running_.reset(); }
  node& get() { return *running_; }
  const store& data() { return *running_->parts_of().data; }

private:
  campaign_actor front(const id128& id);

  same_cores cores_;
  std::unique_ptr<node> running_;
};

// Live processes below this one whose name starts so ("kevolve-judge").
std::vector<pid_t> helpers(const std::string& name);

// What the journal of a stopped node says of a campaign.
campaign_fold folded(const std::string& data_dir, const id128& campaign);
// The same, checked: the tree's hash holds at every event, no
// evaluation was paid for after its result was there, no node was scored for a fault.
campaign_fold audit(const std::string& data_dir, const id128& campaign);

} // namespace kevolve::test
