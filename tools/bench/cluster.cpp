// The home of a benchmark: puts jobs that only wait into a cluster's queue, keeps so many in flight, and collects them.
// Prints one JSON object: jobs a second, and the jobs that came back twice or not at all.
#include "store/postgres/queue.hpp"
#include "tools/command_line/command_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>

namespace {

using namespace kevolve;
using namespace kevolve::postgres;
using steady = std::chrono::steady_clock;

struct options {
  std::string postgres;
  std::string deployment = "bench";
  std::string name = "bench-home";
  int jobs = 1'000;
  int in_flight = 100;
  int milliseconds = 200;
  double pace = 0.0; // jobs a second that are put; 0: as many as fit in flight
  int group = 50;
};

queued_job wait_job(const options& o) {
  queued_job j;
  j.key = random_id();
  j.campaign = id128{1, 1};
  j.kind = "wait";
  j.payload = std::to_string(o.milliseconds);
  return j;
}

template <class T>
T must(result<T> r) {
  if (r)
    return std::move(*r);
  std::fprintf(stderr, "bench-cluster: %s\n", to_string(r.error()).c_str());
  std::exit(1);
}
void must(const result<void>& r) {
  if (r)
    return;
  std::fprintf(stderr, "bench-cluster: %s\n", to_string(r.error()).c_str());
  std::exit(1);
}

int run(const options& o) {
  connection_options how;
  how.connection = o.postgres;
  how.name = "bench-cluster";
  auto c = must(connection::open(how));
  auto told = must(connection::open(how));
  member m;
  m.deployment = o.deployment;
  m.name = o.name;
  m.instance = random_id();
  m.id = random_id();
  m.role = "home";
  m.version = "bench";
  must(told->listen("kevolve_done"));
  must(join(*c, m));
  std::set<id128> waiting;
  int put_so_far = 0;
  int ended = 0;
  int twice = 0;
  int dead = 0;
  size_t most = 0;
  const auto begun = steady::now();
  auto beat = begun;
  while (ended < o.jobs) {
    const auto seconds = std::chrono::duration<double>(steady::now() - begun).count();
    const auto due = o.pace > 0.0 ? static_cast<int>(seconds * o.pace) : o.jobs;
    const auto room = std::min({o.jobs - put_so_far, due - put_so_far, o.in_flight - static_cast<int>(waiting.size())});
    if (room > 0) {
      std::vector<queued_job> group;
      for (int i = 0; i < std::min(room, o.group); ++i) {
        group.push_back(wait_job(o));
        waiting.insert(group.back().key);
      }
      put_so_far += static_cast<int>(group.size());
      must(put(*c, m, {}, group));
    }
    most = std::max(most, waiting.size());
    if (room <= o.group)
      must(told->wait(-1, std::chrono::milliseconds{5}));
    const auto some = must(collect(*c, m, 500));
    std::vector<id128> keys;
    for (const auto& e : some) {
      keys.push_back(e.key);
      dead += e.dead ? 1 : 0;
      twice += waiting.erase(e.key) == 0 ? 1 : 0;
    }
    ended += static_cast<int>(keys.size());
    if (!keys.empty())
      must(acknowledge(*c, m, keys));
    if (steady::now() - beat > std::chrono::seconds{2}) {
      beat = steady::now();
      must(heartbeat(*c, m, {}));
    }
  }
  const auto seconds = std::chrono::duration<double>(steady::now() - begun).count();
  must(leave(*c, m));
  const nlohmann::ordered_json out{{"jobs", ended},          {"seconds", seconds}, {"jobs_a_second", ended / seconds},
                                   {"most_in_flight", most}, {"twice", twice},     {"dead", dead},
                                   {"lost", waiting.size()}};
  std::printf("%s\n", out.dump().c_str());
  return twice == 0 && dead == 0 && waiting.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  kevolve::declared_program app{"Puts jobs that only wait into a cluster's queue and collects them.", "bench-cluster"};
  options o;
  app.add_option("--postgres", o.postgres, "connection string")->required();
  app.add_option("--deployment", o.deployment, "of the database");
  app.add_option("--name", o.name, "this home's");
  app.add_option("--jobs", o.jobs, "in total");
  app.add_option("--in-flight", o.in_flight, "at most");
  app.add_option("--milliseconds", o.milliseconds, "that each waits");
  app.add_option("--pace", o.pace, "jobs put a second; 0: as many as fit in flight");
  app.add_option("--group", o.group, "jobs put in one transaction at most");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  return run(o);
}
