// Prompts and their replies as JSON.
#pragma once

#include "actors/messages/messages.hpp"
#include "runtime/node/admin/call.hpp"
#include "runtime/node/admin/json.hpp"

#include <functional>

namespace kevolve {

json to_json(const relay_prompt& p);
json to_json(const relay_receipt& r);

// Calls `then` with a stored exchange and its texts, read from the journal.
void with_exchange(const call_ptr& c, const exchange_record& r, std::function<void(json)> then);

} // namespace kevolve
