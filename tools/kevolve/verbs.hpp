// The verbs of the command line, one file per group. Each adds its options to the parser and, when it is the one
// that was called, leaves the function that does it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

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

void add_common(CLI::App& verb, common_options& o);
// --allow-weak-sandbox, of verbs that run candidates.
void add_weak_sandbox(CLI::App& verb, std::vector<std::string>& layers);
void add_address(CLI::App& verb, node_address& a);

// Returns the name under which a campaign's events record the caller, unless another one is given.
std::string caller_name();
// `kevolve watch`, for verbs that end in it.
int watch_campaign(const node_address& where, const common_options& common, const std::string& id);

// Runs a campaign file to its end as `kevolve run` does; returns the exit code.
int run_file(const common_options& common, const std::string& file, const std::string& data);

void add_run(CLI::App& app, verb_action& chosen);       // run
void add_new(CLI::App& app, verb_action& chosen);       // new
void add_optimize(CLI::App& app, verb_action& chosen);  // optimize
void add_import(CLI::App& app, verb_action& chosen);    // import kernelbench, import aten
void add_suite(CLI::App& app, verb_action& chosen);     // suite run, status, table
void add_eval(CLI::App& app, verb_action& chosen);      // eval
void add_checks(CLI::App& app, verb_action& chosen);    // task check, campaign validate, campaign plan
void add_campaigns(CLI::App& app, verb_action& chosen); // list status tree candidate best pause resume cancel
void add_bundle(CLI::App& app, verb_action& chosen);    // bundle
void add_dispatch(CLI::App& app, verb_action& chosen);  // dispatch
void add_submit(CLI::App& app, verb_action& chosen);    // submit
void add_watch(CLI::App& app, verb_action& chosen);     // watch
void add_events(CLI::App& app, verb_action& chosen);    // events
void add_steering(CLI::App& app, verb_action& chosen);  // priority budget inject pin ban fork
void add_provider(CLI::App& app, verb_action& chosen);  // provider test, list, resume
void add_replay(CLI::App& app, verb_action& chosen);    // record, replay
void add_relay(CLI::App& app, verb_action& chosen);     // relay next, answer, release, list, show
void add_cluster(CLI::App& app, verb_action& chosen);   // cluster init, nodes list, show, drain, undrain
void add_help(CLI::App& app, verb_action& chosen);      // help version
void add_generated(CLI::App& app, verb_action& chosen); // completions man
void add_actors(CLI::App& app, verb_action& chosen);    // actors list, get, tree, summary
void add_doctor(CLI::App& app, verb_action& chosen);    // doctor
void add_fsck(CLI::App& app, verb_action& chosen);      // fsck
void add_profile(CLI::App& app, verb_action& chosen);   // profile
void add_explain(CLI::App& app, verb_action& chosen);   // explain
void add_rejudge(CLI::App& app, verb_action& chosen);   // rejudge
void add_bench(CLI::App& app, verb_action& chosen);     // bench
void add_backup(CLI::App& app, verb_action& chosen);    // backup restore
void add_batch(CLI::App& app, verb_action& chosen);     // batch export, work, import, status, cancel
void add_debug(CLI::App& app, verb_action& chosen);     // debug
void add_knowledge(CLI::App& app, verb_action& chosen); // knowledge list, search, show, check, add
void add_skills(CLI::App& app, verb_action& chosen);    // skills list, show, why, revoke, export, import
void add_code(CLI::App& app, verb_action& chosen);      // code search

} // namespace kevolve
