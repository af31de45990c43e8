// The web page: its files are at / and /page/ and open to all, since they hold no data. The page asks /v1 for its data,
// with the token.
#pragma once

#include "runtime/node/admin/router.hpp"

#include <vector>

namespace kevolve {

void add_page_routes(std::vector<route>& table);

} // namespace kevolve
