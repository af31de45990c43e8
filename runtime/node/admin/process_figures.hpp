// What this process takes of the machine, under the names that Prometheus' own clients use.
#pragma once

#include "runtime/node/admin/exposition.hpp"

namespace kevolve {

void put_process(exposition& out);

} // namespace kevolve
