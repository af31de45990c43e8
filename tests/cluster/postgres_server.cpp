#include "tests/cluster/postgres_server.hpp"

#include "store/postgres/migrate.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace kevolve::test {

namespace {

namespace fs = std::filesystem;

// Returns a port that was free a moment ago.
int free_port() {
  const auto s = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  auto* address = reinterpret_cast<sockaddr*>(&a);
  const auto bound = ::bind(s, address, size) == 0 && ::getsockname(s, address, &size) == 0;
  ::close(s);
  REQUIRE(bound);
  return ntohs(a.sin_port);
}

// Returns the user that PostgreSQL runs as: it refuses root.
const passwd* unprivileged() {
  return ::geteuid() == 0 ? ::getpwnam("nobody") : nullptr;
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::string& log) {
  if (const auto* user = unprivileged(); user != nullptr)
    if (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)
      ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGINT); // PostgreSQL's fast shutdown
  if (std::freopen(log.c_str(), "a", stdout) == nullptr || std::freopen(log.c_str(), "a", stderr) == nullptr)
    ::_exit(125);
  std::vector<char*> argv;
  for (const auto& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

struct owned_fd {
  explicit owned_fd(int n) : fd(n) {}
  owned_fd(const owned_fd&) = delete;
  owned_fd& operator=(const owned_fd&) = delete;
  ~owned_fd() {
    if (fd >= 0)
      ::close(fd);
  }
  int fd;
};

// PostgreSQL rewrites its lock file whenever its state changes, and `pg_ctl --wait` reads it, too: the first line is
// its process, the eighth its state.
bool takes_connections(const std::string& data, int pid) {
  std::ifstream in{data + "/postmaster.pid"};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (number == 1 && line != std::to_string(pid))
      return false;
    if (number == 8)
      return line.starts_with("ready");
  }
  return false;
}

} // namespace

std::string postgres_server::programs() {
  std::vector<std::string> folders;
  std::error_code ec;
  for (const auto& version : fs::directory_iterator{"/usr/lib/postgresql", ec})
    folders.push_back((version.path() / "bin").string());
  std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  for (size_t from = 0; from <= path.size();) {
    const auto end = std::min(path.find(':', from), path.size());
    folders.push_back(path.substr(from, end - from));
    from = end + 1;
  }
  for (const auto& f : folders)
    if (fs::exists(f + "/initdb", ec) && fs::exists(f + "/postgres", ec))
      return f;
  return {};
}

int postgres_server::execute(const std::vector<std::string>& command) const {
  std::fflush(stdout); // or the child would write it again
  const auto child = ::fork();
  if (child == 0)
    become(command, folder_ + "/log");
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

void postgres_server::give(const std::string& path) const {
  if (const auto* user = unprivileged(); user != nullptr)
    REQUIRE(::chown(path.c_str(), user->pw_uid, user->pw_gid) == 0);
}

void postgres_server::make_folder() {
  auto name = (fs::temp_directory_path() / "kevolve-postgres-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  folder_ = name;
  give(folder_);
}

postgres_server::postgres_server() {
  make_folder();
  REQUIRE(execute({programs() + "/initdb", "-D", folder_ + "/data", "-U", "owner", "-A", "trust"}) == 0);
  std::ofstream{folder_ + "/data/pg_hba.conf"} << "host all owner 127.0.0.1/32 trust\n"
                                                  "host replication owner 127.0.0.1/32 trust\n"
                                                  "host all all 127.0.0.1/32 scram-sha-256\n";
  start();
}

postgres_server::postgres_server(postgres_server& primary) {
  make_folder();
  REQUIRE(
      execute({programs() + "/pg_basebackup", "--pgdata", folder_ + "/data", "--write-recovery-conf", "--wal-method",
               "stream", "--checkpoint", "fast", "--dbname", primary.connection("owner", "postgres")})
      == 0);
  start();
  primary.set("synchronous_standby_names", "*");
}

postgres_server::~postgres_server() {
  stop();
  std::error_code ec;
  fs::remove_all(folder_, ec);
}

void postgres_server::start() {
  if (port_ == 0)
    port_ = free_port();
  const auto data = folder_ + "/data";
  const owned_fd changes{::inotify_init1(IN_CLOEXEC)};
  REQUIRE(::inotify_add_watch(changes.fd, data.c_str(), IN_CREATE | IN_MODIFY) >= 0);
  std::fflush(stdout);
  pid_ = ::fork();
  if (pid_ == 0)
    become({programs() + "/postgres", "-D", data, "-p", std::to_string(port_), "-k", folder_, "-c",
            "listen_addresses=127.0.0.1", "-c", "max_connections=200"},
           folder_ + "/log");
  const owned_fd end{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
  REQUIRE(end.fd >= 0);
  while (!takes_connections(data, pid_)) {
    pollfd fds[] = {{changes.fd, POLLIN, 0}, {end.fd, POLLIN, 0}};
    ::poll(fds, 2, -1);
    REQUIRE_MESSAGE(fds[1].revents == 0, "PostgreSQL ended; its log is in " << folder_);
    char events[4096];
    REQUIRE(::read(changes.fd, events, sizeof events) > 0);
  }
  const auto opened = postgres::connection::open(options("owner", "postgres"));
  REQUIRE_MESSAGE(opened.has_value(), opened.error().detail);
}

void postgres_server::stop() {
  if (pid_ == 0)
    return;
  ::kill(pid_, SIGINT);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void postgres_server::kill() {
  ::kill(pid_, SIGQUIT); // ends its children, too, without a checkpoint
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void postgres_server::promote() {
  REQUIRE(execute({programs() + "/pg_ctl", "promote", "--wait", "--pgdata", folder_ + "/data"}) == 0);
}

void postgres_server::set(const std::string& name, const std::string& value) {
  run("alter system set " + name + " = '" + value + "'");
  run("select pg_reload_conf()");
}

void postgres_server::use_tls(const std::string& key, const std::string& certificate, const std::string& authority,
                              const std::string& rules) {
  for (const auto& [from, name] :
       {std::pair{key, "server.key"}, {certificate, "server.crt"}, {authority, "clients.crt"}}) {
    const auto to = folder_ + "/data/" + name;
    fs::copy_file(from, to);
    fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
    give(to);
  }
  const auto path = folder_ + "/data/pg_hba.conf";
  std::stringstream before;
  before << std::ifstream{path}.rdbuf();
  std::ofstream{path} << rules << before.str();
  run("alter system set ssl_ca_file = 'clients.crt'");
  set("ssl", "on");
}

std::string postgres_server::ask(const std::string& sql, const std::string& database) {
  auto c = postgres::connection::open(options("owner", database));
  REQUIRE_MESSAGE(c.has_value(), c.error().detail);
  const auto done = (*c)->run({sql, {}});
  REQUIRE_MESSAGE(done.has_value(), done.error().detail);
  return done->size() == 0 ? std::string{} : done->text(0, 0);
}

void postgres_server::run(const std::string& sql, const std::string& database) {
  auto c = postgres::connection::open(options("owner", database));
  REQUIRE_MESSAGE(c.has_value(), c.error().detail);
  const auto done = (*c)->run_script(sql);
  REQUIRE_MESSAGE(done.has_value(), done.error().detail);
}

void postgres_server::make_cluster(const std::string& database, const std::string& deployment,
                                   const std::string& more) {
  run("create database " + database + " " + more);
  auto c = postgres::connection::open(options("owner", database));
  REQUIRE_MESSAGE(c.has_value(), c.error().detail);
  const auto made = postgres::initialise(**c, deployment);
  REQUIRE_MESSAGE(made.has_value(), made.error().detail);
  for (const auto* login : {"h1", "h2", "h3", "w1", "w2", "w3"}) {
    const auto role = std::string{login[0] == 'h' ? "kevolve_home" : "kevolve_worker"};
    run("do $$ begin create role " + std::string{login} + " login password 'secret' in role " + role
        + "; exception when duplicate_object then null; end $$");
  }
}

std::string postgres_server::connection(const std::string& login, const std::string& database) const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=" + login + " dbname=" + database;
}

postgres::connection_options postgres_server::options(const std::string& login, const std::string& database) const {
  postgres::connection_options out;
  out.connection = connection(login, database);
  out.password = login == "owner" ? "" : "secret";
  out.name = "test";
  if (login == "owner") { // of the operator, who waits, and who repairs what takes no writes
    out.connection += " target_session_attrs=any options='-c default_transaction_read_only=off'";
    out.statement_limit = std::chrono::minutes{1};
  }
  return out;
}

} // namespace kevolve::test
