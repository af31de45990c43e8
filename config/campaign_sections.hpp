// The declarations of the campaign and node files. Used by their loaders and by the reference.
#pragma once

#include "config/campaign.hpp"
#include "config/node.hpp"
#include "config/settings.hpp"

#include <string>

namespace kevolve {

struct campaign_draft {
  campaign_draft() { spec.profile.share = profile_spec::usual_share; }

  campaign_spec spec;
  std::string task_file; // relative to the campaign file
};

// Declares the settings of a campaign file. Only known names are accepted.
void declare_campaign(section& root, const known_names& known, campaign_draft& draft);

// Declares the tables [[generator]], and what the campaign's other defaults take from them.
void declare_generators(section& root, campaign_spec& spec);

// Declares the settings of a node file; `targets` are the accepted names.
void declare_node(section& root, const std::vector<std::string>& targets, node_spec& spec);

} // namespace kevolve
