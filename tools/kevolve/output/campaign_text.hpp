// Campaigns as the verbs show them, from the node's JSON.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// Returns the printable text; empty if absent or no text.
std::string text_at(const json& x, const char* key);
// Returns the text of several lines by a generator or a compiler: printable, its lines kept.
std::string lines_of(const json& x, const char* key);
// Returns 0 if absent or no number.
double number_at(const json& x, const char* key);
// Returns a candidate's index: of "candidate", or of "node", as the version before calls the key.
uint64_t candidate_at(const json& x);
// Tells whether an event's kind says that another candidate is the best now, under today's name or the one before.
bool is_champion_change(const std::string& kind);
// Returns a figure such as "~1.31x", rough where the judge says so.
std::string figure_text(const json& node);
// Returns a node's source, or that it is no longer there.
std::string source_text(const json& node);
// Returns the label of a verdict that another campaign measured, "reused from campaign 1a2b3c4d, candidate 5"; empty:
// this campaign has measured it.
std::string reused_text(const json& x);
// Returns a stage's name for people: "screening", "final confirmation".
std::string stage_text(const std::string& stage);
// Returns an interval such as "[1.20, 1.31]"; empty without one.
std::string interval_text(const json& x);
// Returns what a build's evidence reports about its machine code: the kernels, then the remarkable points; empty:
// nothing.
std::string machine_code_text(const json& evidence);

// Returns a line for each baseline of a campaign's best, or of an outcome.
std::vector<std::string> baseline_lines(const json& best);

// Returns what evidence says about the sanitised replay, a line each with this before it; empty: it says nothing.
std::string sanitised_text(const json& evidence, const std::string& before);
// Writes every byte but letters and digits as %XX, for a path or a query.
std::string percent_encoded(const std::string& text);

// Returns the state in a word for people. A continued campaign is "resuming" while the node prepares it anew, and a
// cancelled one is not "finished".
std::string state_text(const std::string& state, const std::string& stop_reason, uint64_t candidates);
std::string state_text(const json& status);
// Return the states that `state_text` can name, and the node's own state for one of them.
const std::vector<std::string>& shown_states();
std::string stored_state(const std::string& shown);

// Returns a note for a person who submits a campaign that the node has already; empty: none. `priority`: the requested
// one, 0 if none was.
std::string known_note(const json& status, uint32_t priority);

// Returns a line under figures that no calm session gave; `why` as the judge says it.
std::string disturbed_text(const std::string& why);

// Returns several lines on one campaign.
std::string status_text(const json& status);
// Returns one line, for logs: "[0:32 of 2:00] running: 12 candidates of 300, …".
std::string status_line(const json& status);

bool has_ended(const json& status);
// Returns the exit code of a campaign: 0 once a best is confirmed, 8 for a spent budget without anything valid. Any
// other end without a confirmed best is 1.
int exit_code_of(const json& status);

} // namespace kevolve
