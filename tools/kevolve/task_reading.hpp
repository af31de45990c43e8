// A campaign's task, as its node tells it.
#pragma once

#include "config/task.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

// From /v1/campaigns/{id}/task: the operator whole, without the paths of its files. errc::unsupported where node and
// task are of other versions than this program.
result<task_spec> task_told(const json& task);

} // namespace kevolve
