// Loads the files that a command line names.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"
#include "config/task.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Load a file and check it against what this build can do; a campaign's reference and oracle are compiled where
// possible. On errors they print all of them (on stderr, or as JSON on stdout) and return nothing.
std::optional<campaign_spec> load_campaign_or_tell(const std::string& path, const std::vector<std::string>& overrides,
                                                   bool json_wanted);
std::optional<task_spec> load_task_or_tell(const std::string& path, bool json_wanted);
// Returns the overrides with the one that the option --fresh stands for, and that option's help.
std::vector<std::string> with_fresh(std::vector<std::string> overrides, bool fresh);
inline constexpr const char* fresh_help =
    "measure every candidate anew, whatever other campaigns in the data directory have measured";
void tell(const std::vector<diagnostic>& errors, bool json_wanted);

// Returns how a campaign is submitted to a node in this process, and its id. The place of the files does not count
// towards the id: the same command from another directory resumes it.
campaign_submission submission_of(const campaign_spec& spec);
id128 id_of_content(const campaign_spec& spec);

// Returns a campaign without a search: the judge's settings around a task.
campaign_spec spec_around(task_spec task, const std::string& target);

} // namespace kevolve
