#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace kevolve::test {

postgres_server& shared_server() {
  static postgres_server one;
  return one;
}

std::string fresh_database() {
  static int last = 0;
  auto name = "campaign_" + std::to_string(++last);
  shared_server().make_cluster(name);
  return name;
}

node_folder::node_folder(const std::string& database, const std::string& login, const std::string& more,
                         const std::string& cluster, const std::string& connection) {
  for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
    write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  write("password", "secret\n");
  write("kevolved.toml", "data_dir = \"kevolve-data\"\nlisten = \"127.0.0.1:0\"\n" + more + "[cluster]\npostgres = \""
                             + (connection.empty() ? shared_server().connection(login, database) : connection)
                             + "\"\npassword_file = \"password\"\ndeployment = \"lab\"\nnode = \"" + login
                             + "\"\nrole = \"" + (login[0] == 'h' ? "home" : "worker") + "\"\n" + cluster);
}

void node_folder::start() {
  daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, path);
  REQUIRE(daemon->wait_for("joined 'lab'"));
}

void node_folder::await_joined(int times) const {
  REQUIRE(daemon->wait_for("joined 'lab'", times));
}

void node_folder::stop(int signal, int code) {
  daemon->signal(signal);
  CHECK(daemon->finish().code == code);
  daemon.reset();
}

json node_folder::told(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  auto said = kevolve(std::move(arguments));
  CAPTURE(said.err);
  CHECK(said.code == 0);
  return said.document();
}

json node_folder::await_event(const std::string& id, const std::string& kind, int how_many) const {
  return told({"events", id, "--follow", "--kind", kind, "--limit", std::to_string(how_many)});
}

std::vector<json> node_folder::events(const std::string& id) const {
  std::vector<json> out;
  std::istringstream lines{kevolve({"events", id, "--json"}).out};
  for (std::string line; std::getline(lines, line);)
    out.push_back(json::parse(line));
  return out;
}

json node_folder::node(const std::string& name) const {
  const auto cluster = told({"nodes", "list"});
  for (const auto& n : cluster["items"])
    if (n["name"] == name)
      return n;
  return {};
}

} // namespace kevolve::test
