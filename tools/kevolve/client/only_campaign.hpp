// A command about a campaign may leave out which, where there is but one.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

class connection;

// `id` if there is one; else that of the only campaign. errc::not_found if there is none at all, errc::bad_input with
// their ids if there are several.
result<std::string> campaign_or_only(connection& node, const std::string& id);

} // namespace kevolve
