// The verbs of the command line, one file per group. Each adds its options to the parser and, when it is the one
// that was called, leaves the function that does it.
#pragma once

#include "tools/command_line/command_line.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

using verb_action = std::function<int()>;

// The options that every verb takes.
struct common_options {
  bool json = false;
  bool quiet = false;
};
// The address of the node that a verb asks.
struct node_address {
  std::string data = "kevolve-data";
  std::string url;
  std::string token_file;
  std::string ca_file;
};

void add_common(declared_verb& verb, common_options& o);
// Adds --allow-weak-sandbox, an option of verbs that run candidates.
void add_weak_sandbox(declared_verb& verb, std::vector<std::string>& layers);
void add_address(declared_verb& verb, node_address& a);

// Returns the name under which a campaign's events record the caller, unless another one is given.
std::string caller_name();
// Runs `kevolve watch`, for verbs that end in it.
int watch_campaign(const node_address& where, const common_options& common, const std::string& id);

// Runs a campaign file to its end as `kevolve run` does; returns the exit code.
int run_file(const common_options& common, const std::string& file, const std::string& data);

// add_NAME() of each group in verbs.def: adds its verbs to the parser.
#define KEVOLVE_VERB(name) void add_##name(declared_verb& app, verb_action& chosen);
#include "tools/kevolve/verbs.def"
#undef KEVOLVE_VERB

} // namespace kevolve
