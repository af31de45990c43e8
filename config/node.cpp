#include "config/node.hpp"

#include "config/campaign_sections.hpp"
#include "config/settings_file.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/provider_kinds.hpp"
#include "runtime/base/url.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

namespace kevolve {

namespace {

// Accepts "127.0.0.1:7700" and "[::1]:7700".
bool is_endpoint(const std::string& text) {
  auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return false;
  auto host = text.substr(0, colon);
  auto bracketed = host.front() == '[' && host.back() == ']';
  if (host.find(':') != std::string::npos && !bracketed)
    return false;
  unsigned port = 0;
  const auto* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, port);
  return problem == std::errc{} && stop == end && port <= 65535;
}

bool is_loopback(const std::string& endpoint) {
  return endpoint.starts_with("127.") || endpoint.starts_with("[::1]:") || endpoint.starts_with("localhost:");
}

void endpoint(section& s, std::string_view name, const setting_rule& rule, std::string& x) {
  if (s.value(name, rule, x) && !is_endpoint(x))
    s.error(name, "'" + x + "' is no address; write \"127.0.0.1:7700\"");
}

void declare_price(section& s, price_spec& x) {
  const auto rate = [](std::string text, std::string fallback) {
    return setting_rule{.text = std::move(text), .low = 0.0, .high = 1e6, .fallback = std::move(fallback)};
  };
  s.value("input", rate("money for a million tokens asked", "unknown"), x.input);
  s.value("output", rate("for a million answered, reasoning included", "unknown"), x.output);
  s.value("cached_read", rate("for a million that its cache held", "as input"), x.cached_read);
  s.value("cache_write", rate("for a million that it puts there", "as input"), x.cache_write);
  s.value("currency", {.text = "what money is counted in"}, x.currency);
  if (s.has("input") != s.has("output"))
    s.error("", "give input and output, or neither");
}

void declare_caps(section& s, caps_spec& x) {
  s.value("cost", {.text = "money", .low = 0.0, .low_open = true, .fallback = "unlimited"}, x.cost);
  s.value("tokens", {.text = "in and out", .low = 1, .high = 1e15, .fallback = "unlimited"}, x.tokens);
  s.value("calls", {.text = "requests, repeated ones too", .low = 1, .high = 1e12, .fallback = "unlimited"}, x.calls);
}

// Returns true for headers by which one of the providers takes its key.
bool carries_key(const std::string& header) {
  static const std::set<std::string> names{"authorization", "proxy-authorization", "x-api-key",
                                           "api-key",       "x-goog-api-key",      "cookie"};
  std::string small;
  for (const auto c : header)
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return names.contains(small);
}

// The message does not repeat the text, which may be the key itself.
void variable(section& s, std::string_view name, const setting_rule& rule, std::string& x) {
  const auto of_a_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (s.value(name, rule, x) && !std::all_of(x.begin(), x.end(), of_a_name))
    s.error(name, "this is no name of an environment variable; a key itself stands in none of the settings");
}

void declare_network(section& s, provider_spec& x) {
  s.table("headers", {.text = "sent beside ours; no secrets"}, [&](section& t) {
    t.others("name", {.text = "value of the header"}, [&](const document_member& m) {
      if (m.value.what != document_value::kind::text)
        t.error(m.key, "expected text, found " + describe(m.value.what));
      else if (carries_key(m.key))
        t.error(m.key, "this header carries a key, and keys come from key_env or key_file alone");
      else
        x.headers[m.key] = m.value.text;
    });
  });
  s.value("proxy", {.text = "\"http://host:port\", without a password", .fallback = "none"}, x.proxy);
  variable(s, "proxy_env", {.text = "environment variable that holds such a URL, perhaps with one", .fallback = "none"},
           x.proxy_env);
  s.value("ca_file", {.text = "authorities trusted beside the system's, PEM", .fallback = "none"}, x.ca_file);
  s.value("unix_socket", {.text = "connected to in place of the address", .fallback = "none"}, x.unix_socket);
  s.value("plain_text", {.text = "http:// to another machine: who is between reads prompt and key"}, x.plain_text);
  if (s.has("proxy") && s.has("proxy_env"))
    s.error("proxy_env", "give proxy or proxy_env, not both");
}

void declare_provider(section& s, std::set<std::string>& names, provider_spec& x) {
  if (s.value("name", {.text = "how campaigns call it", .required = true}, x.name) && !names.insert(x.name).second)
    s.error("name", "there is a provider '" + x.name + "' already");
  constexpr size_t longest_name = 64;
  if (x.name.size() > longest_name)
    s.error("name", "may have 64 characters");
  s.value("kind", {.text = "whose protocol and address", .required = true, .choices = provider_kind_names()}, x.kind);
  s.value("url", {.text = "base address, without a key in it", .fallback = "the provider's own"}, x.url);
  if (auto problem = x.url.empty() ? std::nullopt : base_url_problem(x.url))
    s.error("url", *problem);
  s.value("model", {.text = "the model asked for", .required = true}, x.model);
  variable(s, "key_env", {.text = "environment variable that holds the key", .fallback = "the provider's own"},
           x.key_env);
  s.value("key_file", {.text = "file that holds the key", .fallback = "none"}, x.key_file);
  if (s.has("key_env") && s.has("key_file"))
    s.error("key_file", "give key_env or key_file, not both");
  declare_network(s, x);
  s.value("at_once", {.text = "calls at most; fewer when it pushes back", .low = 1, .high = 10'000}, x.at_once);
  s.value("elsewhere", {.text = "another node of the cluster holds its key, and asks it for this one"}, x.elsewhere);
  s.table("price", {.text = "what its tokens cost; unknown, money is not counted"},
          [&](section& t) { declare_price(t, x.price); });
  s.table("total", {.text = "what may be spent with it, ever"}, [&](section& t) { declare_caps(t, x.total); });
  s.table("per_day", {.text = "what may be spent with it on a day of UTC"},
          [&](section& t) { declare_caps(t, x.per_day); });
  s.value("known_price", {.text = "refuse calls whose price is unknown"}, x.known_price);
  if (x.price.input < 0.0)
    for (const auto& [key, asks] : {std::pair{"total.cost", x.total.cost > 0.0},
                                    {"per_day.cost", x.per_day.cost > 0.0},
                                    {"known_price", x.known_price}})
      if (asks)
        s.error(key, "without a price no call has a cost: give price = { input = …, output = … }");
  s.value("terms",
          {.text = "what its replies may be used for, in your words: kept with every call", .fallback = "none"},
          x.terms);
}

void declare_device(section& s, const std::vector<std::string>& targets, std::set<std::string>& seen, device_spec& x) {
  s.value("target", {.text = "the hardware", .required = true, .choices = targets}, x.target);
  s.value("id", {.text = "one device", .fallback = "every device of the target"}, x.id);
  s.value("cores",
          {.text = "processor cores, the timing core first", .low = 0, .high = 65535, .fallback = "as detected"},
          x.cores);
  s.value("batch",
          {.text = "cannot be reached from here: what it is to judge waits for kevolve batch export, work and import"},
          x.batch);
  s.value("elsewhere", {.text = "other nodes of the cluster judge for this target, and this node compiles alone"},
          x.elsewhere);
  if (x.batch && x.elsewhere)
    s.error("elsewhere", "give batch or elsewhere, not both");
  if ((x.batch || x.elsewhere) && !x.cores.empty())
    s.error("cores", "a device with batch = true or elsewhere = true is on another machine, and so are its cores");
  if (!x.target.empty() && !seen.insert(x.target + ":" + x.id).second)
    s.error("target", "this device stands above already");
}

// Names of nodes, deployments and labels stand in logs, paths and arrays of PostgreSQL.
bool is_plain_name(const std::string& text) {
  constexpr size_t longest = 64;
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
}

void plain_name(section& s, std::string_view name, const setting_rule& rule, std::string& x) {
  if (s.value(name, rule, x) && !is_plain_name(x))
    s.error(name, "'" + x + "' is no name: write at most 64 letters, digits, hyphens, dots and underscores");
}

void plain_names(section& s, std::string_view name, const setting_rule& rule, std::vector<std::string>& x) {
  if (!s.value(name, rule, x))
    return;
  for (const auto& one : x)
    if (!is_plain_name(one))
      s.error(name, "'" + one + "' is no label: write at most 64 letters, digits, hyphens, dots and underscores");
}

void declare_cluster(section& s, cluster_spec& x) {
  s.value("postgres",
          {.text = "libpq's connection string or URL, without a password; several hosts are tried in turn. TLS is "
                   "verified except on loopback, unless it gives sslmode",
           .required = true},
          x.postgres);
  s.value("password_file", {.text = "file that holds the password", .fallback = "none"}, x.password_file);
  variable(s, "password_env", {.text = "environment variable that holds the password", .fallback = "none"},
           x.password_env);
  if (s.has("password_file") && s.has("password_env"))
    s.error("password_env", "give password_file or password_env, not both");
  if (x.postgres.find("password=") != std::string::npos)
    s.error("postgres", "it holds a password; give password_file or password_env");
  plain_name(s, "deployment", {.text = "whose database it is; another one's is refused"}, x.deployment);
  plain_name(s, "node", {.text = "this node's name; two live nodes of one name are refused", .fallback = "the host's"},
             x.node);
  s.value("role",
          {.text = "home: runs campaigns, and jobs of others; worker: runs jobs of others alone",
           .choices = {cluster_role::home, cluster_role::worker}},
          x.role);
  s.value("waits",
          {.text = "jobs at once that only wait, by which tools/bench/run cluster measures", .low = 0, .high = 100'000},
          x.waits);
  s.value("durable",
          {.text = "node: campaigns are kept on this node; cluster: their records are in PostgreSQL before they are "
                   "acknowledged, and another home goes on with them when this node is gone",
           .choices = {durable_on::node, durable_on::cluster}},
          x.durable);
  plain_names(s, "labels", {.text = "of this node, for others to ask for"}, x.labels);
  plain_names(s, "run_on", {.text = "labels that other nodes must have to run this node's jobs"}, x.run_on);
}

void declare_tls(section& s, tls_spec& x) {
  s.value("certificate",
          {.text = "the admin's certificate and those between it and the authority, PEM", .required = true},
          x.certificate);
  s.value("key", {.text = "file of its private key, PEM", .required = true}, x.key);
  s.value("hosts", {.text = "names that requests may call this node by, beside loopback's"}, x.hosts);
}

} // namespace

void declare_node(section& root, const std::vector<std::string>& targets, node_spec& spec) {
  root.value("data_dir", {.text = "where everything is kept", .required = true}, spec.data_dir);
  endpoint(root, "listen", {.text = "address of the admin"}, spec.listen);
  root.value("token_file", {.text = "the admin's bearer token", .fallback = "<data_dir>/token"}, spec.token_file);
  std::set<std::string> providers;
  root.tables("provider", {.text = "a language model service"},
              [&](section& s) { declare_provider(s, providers, spec.providers.emplace_back()); });
  std::set<std::string> devices;
  root.tables("device", {.text = "what may be timed on", .fallback = "all that is found"},
              [&](section& s) { declare_device(s, targets, devices, spec.devices.emplace_back()); });
  root.table("cluster",
             {.text = "nodes that share a PostgreSQL run each other's jobs", .fallback = "none: the node works alone"},
             [&](section& s) { declare_cluster(s, spec.cluster); });
  if (spec.cluster.postgres.empty()
      && std::any_of(spec.providers.begin(), spec.providers.end(), [](const auto& p) { return p.elsewhere; }))
    root.error("provider", "elsewhere = true needs [cluster]: without it no other node asks");
  if (spec.cluster.postgres.empty()
      && std::any_of(spec.devices.begin(), spec.devices.end(), [](const auto& d) { return d.elsewhere; }))
    root.error("device", "elsewhere = true needs [cluster]: without it no other node judges");
  root.table("limits", {.text = "of this node"}, [&](section& s) {
    auto& x = spec.limits;
    s.value("campaigns", {.text = "running at once", .low = 1, .high = 10000}, x.campaigns);
    s.value("compilers",
            {.text = "compile workers", .low = 1, .high = 1024, .fallback = "one per core that is not timing"},
            x.compilers);
    s.value("memory_mib",
            {.text = "memory of one candidate beside its arguments", .low = 1, .high = 1e9, .fallback = "1024"},
            x.memory_mib);
    s.value("disk_reserve_mib",
            {.text = "free space below which no node starts and campaigns pause; kevolve run keeps as much, unless its "
                     "--disk-reserve-mib says otherwise",
             .low = 0,
             .high = 1e9},
            x.disk_reserve_mib);
    s.value("keep_candidates",
            {.text =
                 "candidates of ended campaigns that are kept, about 3 KiB each: once there are more, campaigns are "
                 "forgotten with all they were made of, those that ended first, until at most nine tenths of it are "
                 "left; the newest never. 0: all are kept",
             .low = 0,
             .high = 1e12},
            x.keep_candidates);
    s.value("connections", {.text = "to the admin, at once", .low = 16, .high = 65536}, x.connections);
    s.value("connections_per_peer",
            {.text = "to the admin from one address, before they have shown the token", .low = 4, .high = 65536},
            x.connections_per_peer);
  });
  root.table("tls", {.text = "of the admin; with it `listen` may be an address that other machines reach"},
             [&](section& s) { declare_tls(s, spec.tls); });
  if (spec.tls.certificate.empty() && !spec.listen.empty() && is_endpoint(spec.listen) && !is_loopback(spec.listen))
    root.error("listen", "'" + spec.listen
                             + "' is an address that other machines reach: give [tls], or an address of loopback such "
                               "as \"127.0.0.1:7700\"");
  root.table("log", {.text = "read again on SIGHUP"}, [&](section& s) {
    s.value("level", {.text = "the least that is told", .choices = {"trace", "debug", "info", "warn", "error"}},
            spec.log.level);
    s.value("json", {.text = "one JSON object a line"}, spec.log.json);
    s.value("file", {.text = "opened again on SIGHUP, so that it may be rotated", .fallback = "stderr"}, spec.log.file);
  });
  root.table("knowledge", {.text = "documents for prompts"}, [&](section& s) {
    s.value("folders", {.text = "folders of your own documents (*.md), served beside the shipped ones"},
            spec.knowledge.folders);
  });
  root.table("code_search", {.text = "source that models may search, to read only"}, [&](section& s) {
    s.value(
        "roots",
        {.text = "folders; nothing outside them is read, no link is followed, and what looks like a key is blanked"},
        spec.code_search.roots);
  });
  root.table("sandbox", {.text = "around native candidates"}, [&](section& s) {
    s.value("allow_without",
            {.text = "layers whose lack is accepted, by name; without them native candidates are refused",
             .choices = {"landlock"}},
            spec.sandbox.allow_without);
  });
}

result_or_errors<node_spec> load_node(const std::string& path, const std::vector<std::string>& overrides,
                                      const std::vector<std::string>& targets) {
  auto file = read_settings_file(path, overrides);
  if (!file)
    return tl::unexpected(file.error());
  auto& root = file->root;
  error_list errors{path, root};
  errors.append(std::move(file->bad_overrides));
  node_spec spec;
  {
    table_reader reader{root, "", errors};
    declare_node(reader, targets, spec);
  }
  if (!errors.empty())
    return tl::unexpected(errors.take());
  spec.path = path;
  auto beside = [&](std::string& x) {
    if (!x.empty())
      x = (std::filesystem::path{path}.parent_path() / x).lexically_normal().string();
  };
  for (auto* x : {&spec.data_dir, &spec.token_file, &spec.cluster.password_file, &spec.tls.certificate, &spec.tls.key,
                  &spec.log.file})
    beside(*x);
  for (auto& p : spec.providers)
    for (auto* x : {&p.key_file, &p.ca_file, &p.unix_socket})
      beside(*x);
  for (auto* folders : {&spec.knowledge.folders, &spec.code_search.roots})
    for (auto& x : *folders)
      beside(x);
  if (spec.token_file.empty())
    spec.token_file = (std::filesystem::path{spec.data_dir} / "token").string();
  return spec;
}

} // namespace kevolve
