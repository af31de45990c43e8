// The web page: its files at / and /page/, open to all, since they hold no data; what it shows it asks of /v1 with
// the token.
#pragma once

#include "runtime/node/admin/router.hpp"

#include <vector>

namespace kevolve {

void add_page_routes(std::vector<route>& table);

} // namespace kevolve
