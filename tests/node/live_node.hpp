// A real node with real helpers in its own directory, and the queries of tests.
#pragma once

#include "actors/campaign/campaign_fold.hpp"
#include "runtime/node/node.hpp"

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {
class store;
}

namespace kevolve::test {

// Removed with its content.
struct scratch_folder {
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  std::string path;
};

// Restores the core affinity. A node keeps its threads off the timing cores, but the next one in this process must find
// all cores, as in a new process.
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
  std::vector<std::string> code_roots{}; // that models may search
};

class live_node {
public:
  explicit live_node(const std::string& data_dir, const live_options& options = {});

  // Submits tests/node/tasks/<name>.toml, or resumes it.
  id128 submit(const std::string& name, const std::vector<std::string>& overrides = {});
  result<id128> try_submit(const std::string& name, const std::vector<std::string>& overrides = {});
  campaign_status status(const id128& id);
  std::vector<campaign_status> list();
  // Polls until the condition holds. If it does not in time, fails the test and names the last state. The node does not
  // push to callers of its API, so this polls every few milliseconds.
  campaign_status await(const id128& id, const std::function<bool(const campaign_status&)>& condition,
                        std::chrono::seconds limit = std::chrono::seconds{240});
  campaign_status await_end(const id128& id, std::chrono::seconds limit = std::chrono::seconds{240});
  result<campaign_status> pause(const id128& id, const std::string& reason);
  result<campaign_status> resume(const id128& id, const std::string& reason = {});
  result<steer_answer> steer(const id128& id, const steer_request& q);
  // Returns the campaign's actor, even if the campaign has ended.
  result<caf::actor> wake(const id128& id);
  std::vector<node_brief> tree(const id128& id);
  result<campaign_status> cancel(const id128& id, const std::string& reason);

  // Crashes the live actor of that kind, and of that name if one is given. Returns whether there was one.
  bool crash(const std::string& kind, const std::string& name = {});
  void stop() { running_.reset(); }
  node& get() { return *running_; }
  const store& data();

private:
  campaign_actor proxy(const id128& id);

  same_cores cores_;
  std::unique_ptr<node> running_;
};

// Returns live child processes whose name starts with `name`, such as "kevolve-judge".
std::vector<pid_t> helpers(const std::string& name);

// Returns a campaign folded from the journal of a stopped node.
campaign_fold folded(const std::string& data_dir, const id128& campaign);
// Does the same with checks: the tree's hash matches at every event, no evaluation was started after its result was
// stored, and no node was scored for a fault.
campaign_fold audit(const std::string& data_dir, const id128& campaign);

} // namespace kevolve::test
