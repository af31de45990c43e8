// kevolve debug: what somebody far away needs to understand a node, in one file, without any secret in it.
#include "backends/llm/protocol/redaction.hpp"
#include "config/node.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/version.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/token.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/secret_scan.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

extern char** environ;

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t events_told = 1'000;
constexpr std::streamoff most_of_a_log = 1 << 20;

constexpr size_t shortest_known = 8; // a shorter one would be found in ordinary words

struct debug_verb {
  common_options common;
  node_address where;
  std::string out;
  std::vector<std::string> configs;
  std::vector<std::string> without;
};

struct bundle {
  std::vector<std::pair<std::string, std::string>> files; // name, text
  std::vector<std::string> missing;                       // what could not be had, and why

  void add(const std::string& name, result<std::string> text) {
    if (text)
      files.emplace_back(name, std::move(*text));
    else
      missing.push_back(name + ": " + to_string(text.error()));
  }

  // Leaves a file out; tells if there was such a file.
  bool leave_out(const std::string& name) {
    missing.push_back(name + ": left out with --without");
    return std::erase_if(files, [&](const auto& f) { return f.first == name; }) > 0;
  }
};

// Returns the end of a file: the last lines tell most.
result<std::string> tail_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return fail(errc::not_found, "no " + path);
  in.seekg(0, std::ios::end);
  auto size = static_cast<std::streamoff>(in.tellg());
  in.seekg(std::max<std::streamoff>(0, size - most_of_a_log));
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

// Runs a program and returns its stdout, whatever its exit status.
result<std::string> output_of(std::vector<std::string> words) {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0)
    return tl::unexpected(from_errno(errno, "a pipe"));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  auto failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; failed == 0 && (n = ::read(out[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::close(out[0]);
  if (failed != 0)
    return tl::unexpected(from_errno(failed, words[0]));
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || !text.empty()) ? result<std::string>{text}
                                                                          : fail(errc::io, words[0] + " failed");
}

std::string versions() {
  utsname about{};
  ::uname(&about);
  return fmt::format("{}\ncompiled by {}\n{} {} {} {}\n", version_line("kevolve"), __VERSION__, about.sysname,
                     about.release, about.version, about.machine);
}

// From the node if one runs, else from the directory.
void ask_node(const debug_verb& o, bundle& b) {
  auto link = connection::open(o.where, true);
  if (!link) {
    b.missing.push_back("node: " + to_string(link.error()));
    return;
  }
  auto get = [&](const char* name, const std::string& target) {
    auto answer = (*link)->get(target);
    b.add(name, answer ? result<std::string>{to_pretty_text(*answer) + "\n"} : tl::unexpected(answer.error()));
    return answer;
  };
  uint64_t last = 0;
  if (auto all = get("campaigns.json", "/v1/campaigns?limit=1000"))
    for (const auto& c : (*all)["items"])
      if (c.contains("last_sequence") && c["last_sequence"].is_number_unsigned())
        last = std::max(last, c["last_sequence"].get<uint64_t>());
  get("actors.json", "/v1/actors?limit=1000");
  get("actor_summary.json", "/v1/actors/summary");
  get("resources.json", "/v1/resources");
  get("events.json",
      fmt::format("/v1/events?limit={}&after={}", events_told, last > events_told ? last - events_told : 0));
  const auto audited = (*link)->get("/v1/audit?limit=1");
  const auto records = audited && audited->contains("total") ? (*audited)["total"].get<uint64_t>() : 0;
  get("audit.json",
      fmt::format("/v1/audit?limit={}&cursor={}", events_told, records > events_told ? records - events_told : 0));
  b.add("metrics.txt", (*link)->text("/metrics"));
}

// Returns the secrets that must not be in the bundle, known by their values. Adds the node's files of settings to the
// bundle.
std::vector<known_secret> read_settings(const debug_verb& o, bundle& b) {
  std::vector<known_secret> out;
  auto known = [&out](const std::string& what, const result<std::string>& text) {
    if (!text)
      return;
    auto value = *text;
    while (!value.empty() && (value.back() == '\n' || value.back() == ' '))
      value.pop_back();
    if (!value.empty())
      out.push_back({what, value});
  };
  known("the node's token", tail_of(o.where.token_file.empty() ? o.where.data + "/token" : o.where.token_file));
  for (const auto& path : o.configs) {
    b.add("config-" + std::to_string(b.files.size()) + "-" + fs::path{path}.filename().string(), tail_of(path));
    auto spec = load_node(path);
    if (!spec)
      continue;
    known("the node's token", tail_of(spec->token_file));
    for (const auto& p : spec->providers) {
      known("the key of provider " + p.name, tail_of(p.key_file));
      const auto* set = p.key_env.empty() ? nullptr : std::getenv(p.key_env.c_str());
      if (set != nullptr)
        known("the key of provider " + p.name, std::string{set});
    }
    if (!spec->log.file.empty())
      b.add("kevolved.log", tail_of(spec->log.file));
  }
  return out;
}

result<void> write_archive(const bundle& b, const std::string& out) {
  auto pattern = (fs::temp_directory_path() / "kevolve-debug-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return tl::unexpected(from_errno(errno, pattern));
  const auto folder = fs::path{pattern} / "kevolve-debug";
  std::error_code ec;
  fs::create_directories(folder, ec);
  for (const auto& [name, text] : b.files)
    std::ofstream{folder / name, std::ios::binary} << text;
  auto draft = out + ".part";
  auto packed = output_of({"tar", "--create", "--gzip", "--owner=0", "--group=0", "--file", draft, "--directory",
                           pattern, "kevolve-debug"});
  fs::remove_all(pattern, ec);
  if (!packed)
    return tl::unexpected(packed.error());
  fs::permissions(draft, fs::perms::owner_read | fs::perms::owner_write, ec);
  fs::rename(draft, out, ec);
  return ec ? tl::unexpected(from_errno(ec.value(), "writing " + out)) : result<void>{};
}

// Known before anything is gathered: a path that cannot be written costs no wait.
result<void> may_write(const std::string& out) {
  if (out.empty())
    return fail(errc::bad_input, "--out: name the file to write, such as --out report.tar.gz");
  std::error_code ec;
  if (fs::exists(out, ec))
    return fail(errc::conflict, out + " is there already");
  auto fd = ::open((out + ".part").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(errc::bad_input, "--out: cannot write " + out + ": " + std::strerror(errno));
  ::close(fd);
  ::unlink((out + ".part").c_str());
  return {};
}

std::vector<std::string> names_in(const bundle& b) {
  std::vector<std::string> out;
  for (const auto& [name, text] : b.files)
    out.push_back(name);
  return out;
}

int run(const debug_verb& o) {
  if (auto good = may_write(o.out); !good)
    return report(good.error(), o.common.json);
  std::error_code ec;
  if (o.where.url.empty() && !fs::is_directory(o.where.data, ec))
    return report({errc::not_found, "--data: there is no directory " + o.where.data}, o.common.json);
  for (const auto& path : o.configs)
    if (auto read = tail_of(path); !read)
      return report({errc::bad_input, "--config: " + read.error().detail}, o.common.json);
  bundle b;
  b.add("versions.txt", versions());
  b.add("doctor.json", output_of({program_directory() + "/kevolve", "doctor", "--json"}));
  auto known = read_settings(o, b);
  ask_node(o, b);
  b.add("helpers.log", tail_of(o.where.data + "/helpers.log"));
  for (const auto& name : o.without)
    if (!b.leave_out(name))
      return report({errc::bad_input, fmt::format("--without: there is no {} to leave out, only {}", name,
                                                  fmt::join(names_in(b), ", "))},
                    o.common.json);
  std::string missing;
  for (const auto& m : b.missing)
    missing += m + "\n";
  b.add("missing.txt", missing);
  // Refused whole, rather than blacked out: what looks like one secret may stand beside another that does not.
  std::string found;
  std::vector<llm::secret> values;
  for (const auto& k : known)
    if (k.value.size() >= shortest_known)
      values.push_back({k.what, k.value});
  const auto in_other_forms = llm::redactor::make(std::move(values));
  for (const auto& [name, text] : b.files) {
    const auto leaks = find_secrets(text, known);
    for (const auto& leaked : leaks)
      found += fmt::format("\n  {}:{}: {}", name, leaked.line, leaked.what);
    if (leaks.empty() && in_other_forms && in_other_forms->finds(text))
      found += fmt::format("\n  {}: a secret of the node, encoded (base64, hexadecimal, escapes)", name);
  }
  if (!found.empty())
    return report({errc::bad_input, "nothing is written, since it would tell a secret:" + found
                                        + "\nremove it where it comes from, and change what it opens; or leave that "
                                          "file out: --without NAME"},
                  o.common.json);
  if (auto written = write_archive(b, o.out); !written)
    return report(written.error(), o.common.json);
  if (o.common.json)
    print_out(to_text(json{{"file", o.out}, {"files", names_in(b)}, {"missing", b.missing}}) + "\n");
  else
    print_out(fmt::format("{}: {} files, searched for secrets; {} parts could not be had (missing.txt)\n", o.out,
                          b.files.size(), b.missing.size()));
  return exit_code::ok;
}

} // namespace

void add_debug(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<debug_verb>();
  auto* verb = app.add_subcommand("debug", "Pack what explains a node's state into one file, searched for secrets");
  verb->footer("Example: kevolve debug --data kevolve-data --config kevolved.toml --out report.tar.gz\nNothing is "
               "written when something in it looks like a secret: file and line are named.");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->add_option("--config", o->configs, "a node's file of settings, to be packed too")->allow_extra_args(false);
  verb->add_option("--without", o->without,
                   "a file of the bundle to leave out, such as events.json: what it holds is "
                   "kept for ever, a secret in it, too")
      ->allow_extra_args(false);
  verb->add_option("--out", o->out, "the .tar.gz to write")->required();
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

} // namespace kevolve
