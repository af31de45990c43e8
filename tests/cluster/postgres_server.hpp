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
  // Starts a standby that streams from `primary`, which waits from then on until the standby has what it commits.
  explicit postgres_server(postgres_server& primary);
  ~postgres_server();
  postgres_server(const postgres_server&) = delete;
  postgres_server& operator=(const postgres_server&) = delete;

  void start();
  void stop();    // as an operator does: sessions are cut, nothing is lost
  void kill();    // as a power failure: the next start recovers from the log
  void promote(); // a standby: takes writes from then on
  // Changes a setting, for sessions that are there, too.
  void set(const std::string& name, const std::string& value);
  // Takes TLS connections from then on, with this key and certificate, and clients' certificates of this authority;
  // paths. `rules` go before the others of pg_hba.conf.
  void use_tls(const std::string& key, const std::string& certificate, const std::string& authority,
               const std::string& rules);
  const std::string& folder() const { return folder_; } // the server may write there
  // Makes a folder of the server's own.
  void give(const std::string& path) const;
  void run(const std::string& sql, const std::string& database = "postgres"); // as its owner
  std::string ask(const std::string& sql, const std::string& database);       // the first value of the first row
  // Makes a database with the schema, and the logins h1, h2, h3 (homes) and w1, w2, w3 (workers), whose password is
  // "secret". `more` follows `create database NAME`.
  void make_cluster(const std::string& database, const std::string& deployment = "lab", const std::string& more = "");
  int port() const { return port_; }
  // Returns the connection string of a login to a database.
  std::string connection(const std::string& login, const std::string& database) const;
  postgres::connection_options options(const std::string& login, const std::string& database) const;

private:
  void make_folder();
  int execute(const std::vector<std::string>& command) const;

  std::string folder_;
  int port_ = 0;
  int pid_ = 0; // of the server
};

} // namespace kevolve::test
