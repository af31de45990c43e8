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
// --allow-weak-sandbox, of verbs that run candidates.
void add_weak_sandbox(declared_verb& verb, std::vector<std::string>& layers);
void add_address(declared_verb& verb, node_address& a);

// Returns the name under which a campaign's events record the caller, unless another one is given.
std::string caller_name();
// `kevolve watch`, for verbs that end in it.
int watch_campaign(const node_address& where, const common_options& common, const std::string& id);

// Runs a campaign file to its end as `kevolve run` does; returns the exit code.
int run_file(const common_options& common, const std::string& file, const std::string& data);

void add_run(declared_verb& app, verb_action& chosen);       // run
void add_new(declared_verb& app, verb_action& chosen);       // new
void add_optimize(declared_verb& app, verb_action& chosen);  // optimize
void add_import(declared_verb& app, verb_action& chosen);    // import kernelbench, import aten
void add_suite(declared_verb& app, verb_action& chosen);     // suite run, status, table
void add_eval(declared_verb& app, verb_action& chosen);      // eval
void add_checks(declared_verb& app, verb_action& chosen);    // task check, campaign validate, campaign plan
void add_campaigns(declared_verb& app, verb_action& chosen); // list status tree candidate best pause resume cancel
void add_bundle(declared_verb& app, verb_action& chosen);    // bundle
void add_dispatch(declared_verb& app, verb_action& chosen);  // dispatch
void add_submit(declared_verb& app, verb_action& chosen);    // submit
void add_watch(declared_verb& app, verb_action& chosen);     // watch
void add_events(declared_verb& app, verb_action& chosen);    // events
void add_steering(declared_verb& app, verb_action& chosen);  // priority budget inject pin ban fork
void add_provider(declared_verb& app, verb_action& chosen);  // provider test, list, resume
void add_replay(declared_verb& app, verb_action& chosen);    // record, replay
void add_relay(declared_verb& app, verb_action& chosen);     // relay next, answer, release, list, show
void add_cluster(declared_verb& app, verb_action& chosen);   // cluster init, nodes list, show, drain, undrain
void add_help(declared_verb& app, verb_action& chosen);      // help version
void add_generated(declared_verb& app, verb_action& chosen); // completions man
void add_actors(declared_verb& app, verb_action& chosen);    // actors list, get, tree, summary
void add_doctor(declared_verb& app, verb_action& chosen);    // doctor
void add_fsck(declared_verb& app, verb_action& chosen);      // fsck
void add_profile(declared_verb& app, verb_action& chosen);   // profile
void add_explain(declared_verb& app, verb_action& chosen);   // explain
void add_rejudge(declared_verb& app, verb_action& chosen);   // rejudge
void add_bench(declared_verb& app, verb_action& chosen);     // bench
void add_backup(declared_verb& app, verb_action& chosen);    // backup restore
void add_batch(declared_verb& app, verb_action& chosen);     // batch export, work, import, status, cancel
void add_debug(declared_verb& app, verb_action& chosen);     // debug
void add_knowledge(declared_verb& app, verb_action& chosen); // knowledge list, search, show, check, add
void add_skills(declared_verb& app, verb_action& chosen);    // skills list, show, why, revoke, export, import
void add_code(declared_verb& app, verb_action& chosen);      // code search

} // namespace kevolve
