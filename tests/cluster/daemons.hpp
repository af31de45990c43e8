// Real daemons that share a real PostgreSQL.
#pragma once

#include "tests/cluster/postgres_server.hpp"
#include "tests/support/program.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kevolve::test {

// Returns the server of the test program.
postgres_server& shared_server();
// Makes a database with a cluster of its own.
std::string fresh_database();

inline constexpr const char* judges_elsewhere = "[[device]]\ntarget = \"cpu\"\nelsewhere = true\n";

// Submits the folder's campaign with six candidates.
inline const std::vector<std::string> short_campaign{"submit", "row_energy.toml",   "--set", "budget.candidates=6",
                                                     "--set",  "draft.candidates=2"};

// A folder with a daemon's settings. The node is called as its login: h1 to h3 are homes, w1 to w3 workers.
struct node_folder : temporary_folder {
  std::unique_ptr<program> daemon;

  // `more` stands before [cluster] in the settings, `cluster` in it. `connection` takes the place of the login's
  // connection to the shared server.
  node_folder(const std::string& database, const std::string& login, const std::string& more,
              const std::string& cluster = "", const std::string& connection = "");
  void start(); // returns once it has joined
  // Waits until it has joined for that time, counted from 1 in the life of its process: after PostgreSQL was away.
  void await_joined(int times) const;
  void stop(int signal, int code);
  outcome kevolve(std::vector<std::string> arguments) const { return run_kevolve(arguments, path); }
  json told(std::vector<std::string> arguments) const; // the verb's JSON; it must succeed
  // Waits for an event of that kind, and returns it.
  json await_event(const std::string& id, const std::string& kind, int how_many = 1) const;
  std::vector<json> events(const std::string& id) const; // its log so far
  json node(const std::string& name) const;              // its row of `kevolve nodes list`
};

} // namespace kevolve::test
