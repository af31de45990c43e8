// The resources that this process uses, under the names of Prometheus' own clients.
#pragma once

#include "runtime/node/admin/exposition.hpp"

namespace kevolve {

void put_process(exposition& out);

} // namespace kevolve
