// A PostgreSQL of the test's own: a fresh data directory, on loopback, run as an unprivileged user. It ends with the
// object, or with this process.
#pragma once

#include "store/postgres/connection.hpp"

#include <string>
#include <vector>

namespace kevolve::test {

class postgres_server {
public:
  // Returns the folder of PostgreSQL's programs; empty: they are not installed.
  static std::string programs();

  postgres_server(); // starts it
  ~postgres_server();
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  void start();
  void stop(); // as an operator does: sessions are cut, nothing is lost
  void kill(); // as a power failure: the next start recovers from the log
  void run(const std::string& sql, const std::string& database = "postgres"); // as its owner
  // Makes a database with the schema, and the logins h1, h2, h3 (homes) and w1, w2, w3 (workers), whose password is
  // "secret".
  void make_cluster(const std::string& database, const std::string& deployment = "lab");
  int port() const { return port_; }
  // Returns the connection string of a login to a database.
  std::string connection(const std::string& login, const std::string& database) const;
  postgres::connection_options options(const std::string& login, const std::string& database) const;

private:
  int execute(const std::vector<std::string>& command) const;

  std::string folder_;
  int port_ = 0;
  int pid_ = 0; // of the server
};

} // namespace kevolve::test
