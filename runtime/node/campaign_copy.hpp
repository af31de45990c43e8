// Copies a campaign from PostgreSQL to the local store.
#pragma once

#include "runtime/base/ids.hpp"
#include "store/postgres/campaigns.hpp"
#include "store/store.hpp"

namespace kevolve {

// Adds what the store lacks of the campaign's first `events` events, and all values and blobs that they name. The
// events come last, so that a copy that breaks off names nothing that is missing.
result<void> copy_campaign(postgres::connection& from, store& to, const id128& campaign, uint64_t events);

} // namespace kevolve
