// Model calls, their costs, and the providers as JSON. Unknown counts and costs are null.
#pragma once

#include "actors/models/provider_messages.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

json to_json(const model_spending& x);
json to_json(const call_record& x);
json to_json(const provider_status& x);

} // namespace kevolve
