// A node file (kevolved.toml), loaded and checked: the settings of a daemon.
#pragma once

#include "config/diagnostic.hpp"
#include "runtime/base/cluster_words.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Prices for a million tokens. A negative cache price means that of `input`; without input and output the price is
// unknown.
struct price_spec {
  double input = -1.0;
  double output = -1.0; // includes reasoning
  double cached_read = -1.0;
  double cache_write = -1.0;
  std::string currency = "USD";
};

struct caps_spec { // 0: unlimited
  double cost = 0.0;
  int64_t tokens = 0;
  int64_t calls = 0;
};

struct provider_spec {
  std::string name;
  std::string kind;
  std::string url; // empty: the provider's default
  std::string model;
  std::string key_env; // the key itself is never in a settings file
  std::string key_file;
  std::map<std::string, std::string> headers; // sent in addition to our headers
  std::string proxy;
  std::string proxy_env; // environment variable with the proxy's URL, which may contain a password
  std::string ca_file;
  std::string unix_socket;
  bool plain_text = false; // allow http:// to other machines
  int64_t at_once = 64;    // most calls at once
  price_spec price;
  caps_spec total;
  caps_spec per_day;        // days of UTC
  bool elsewhere = false;   // another node of the cluster holds its key and asks it
  bool known_price = false; // refuse calls whose price is unknown
  std::string terms;        // the permitted use of its replies, in the operator's words; stored with every call
};

struct device_spec {
  std::string target;
  std::string id;             // empty: every device of the target
  std::vector<int64_t> cores; // the timing core first; empty: as detected
  bool batch = false;         // not reachable: evaluations are exported as files
  bool elsewhere = false;     // other nodes of the cluster have it, and this one judges nothing
};

// Nodes that share a PostgreSQL.
struct cluster_spec {
  std::string postgres; // libpq's connection string or URL, without a password; empty: the node works alone
  std::string password_file;
  std::string password_env;
  std::string deployment = "kevolve"; // must be the database's
  std::string node;                   // this node's name; empty: the host's
  std::string role = cluster_role::home;
  std::vector<std::string> labels; // of this node
  int64_t waits = 1024;            // jobs at once that only wait
  std::string durable = durable_on::node;
  std::vector<std::string> run_on; // labels that nodes must have to run this node's jobs
};

// With less free space a node writes nothing. The default lets the machine's other programs notice in time, and lets
// the node stop in order.
inline constexpr int64_t usual_disk_reserve_mib = 256;

struct limits_spec {
  int64_t campaigns = 8;  // running at once
  int64_t compilers = 0;  // 0: one per core that is not timing
  int64_t memory_mib = 0; // for one candidate besides its arguments; 0: 1024
  int64_t disk_reserve_mib = usual_disk_reserve_mib;
  int64_t keep_candidates = 0;        // of ended campaigns; 0: all
  int64_t connections = 256;          // to the admin, at once
  int64_t connections_per_peer = 192; // of one address that have not shown the token
};

// Without a certificate the admin speaks plain HTTP, on loopback only.
struct tls_spec {
  std::string certificate;
  std::string key;
  std::vector<std::string> hosts; // names by which requests may address this node, besides those of loopback
};

struct log_spec {
  std::string level = "info";
  bool json = false;
  std::string file; // empty: stderr
};

struct sandbox_spec {
  std::vector<std::string> allow_without; // layers that the operator allows to be missing: landlock
};

// Documents of the operator, beside the shipped ones.
struct knowledge_spec {
  std::vector<std::string> folders;
};

// Trees of source that models and people may search.
struct code_search_spec {
  std::vector<std::string> roots;
};

struct node_spec {
  std::string path;
  std::string data_dir;
  std::string listen = "127.0.0.1:7700";
  std::string token_file; // <data_dir>/token unless set
  std::vector<provider_spec> providers;
  std::vector<device_spec> devices;
  cluster_spec cluster;
  limits_spec limits;
  sandbox_spec sandbox;
  tls_spec tls;
  log_spec log;
  knowledge_spec knowledge;
  code_search_spec code_search;
};

template <class I>
typename I::result_type inspect(I& f, price_spec& x) {
  return f(x.input, x.output, x.cached_read, x.cache_write, x.currency);
}
template <class I>
typename I::result_type inspect(I& f, caps_spec& x) {
  return f(x.cost, x.tokens, x.calls);
}
template <class I>
typename I::result_type inspect(I& f, provider_spec& x) {
  return f(x.name, x.kind, x.url, x.model, x.key_env, x.key_file, x.headers, x.proxy, x.proxy_env, x.ca_file,
           x.unix_socket, x.plain_text, x.at_once, x.price, x.total, x.per_day, x.known_price, x.terms, x.elsewhere);
}
template <class I>
typename I::result_type inspect(I& f, device_spec& x) {
  return f(x.target, x.id, x.cores, x.batch, x.elsewhere);
}
template <class I>
typename I::result_type inspect(I& f, cluster_spec& x) {
  return f(x.postgres, x.password_file, x.password_env, x.deployment, x.node, x.role, x.labels, x.waits, x.durable,
           x.run_on);
}
template <class I>
typename I::result_type inspect(I& f, limits_spec& x) {
  return f(x.campaigns, x.compilers, x.memory_mib, x.disk_reserve_mib, x.keep_candidates, x.connections,
           x.connections_per_peer);
}
template <class I>
typename I::result_type inspect(I& f, sandbox_spec& x) {
  return f(x.allow_without);
}
template <class I>
typename I::result_type inspect(I& f, tls_spec& x) {
  return f(x.certificate, x.key, x.hosts);
}
template <class I>
typename I::result_type inspect(I& f, log_spec& x) {
  return f(x.level, x.json, x.file);
}
template <class I>
typename I::result_type inspect(I& f, knowledge_spec& x) {
  return f(x.folders);
}
template <class I>
typename I::result_type inspect(I& f, code_search_spec& x) {
  return f(x.roots);
}
template <class I>
typename I::result_type inspect(I& f, node_spec& x) {
  return f(x.path, x.data_dir, x.listen, x.token_file, x.providers, x.devices, x.cluster, x.limits, x.sandbox, x.tls,
           x.log, x.knowledge, x.code_search);
}

// Relative paths are relative to the file. `targets`: the names there are; empty: any.
result_or_errors<node_spec> load_node(const std::string& path, const std::vector<std::string>& overrides = {},
                                      const std::vector<std::string>& targets = {});

} // namespace kevolve
