// Lets a command about a campaign omit the id where there is only one campaign.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

class connection;

// Returns `id` if it is given, else that of the only campaign. errc::not_found: there is none; errc::bad_input, with
// their ids: there are several.
result<std::string> campaign_or_only(connection& node, const std::string& id);

} // namespace kevolve
