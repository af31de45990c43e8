// Reads a campaign's task from a node's answer.
#pragma once

#include "config/task.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

// Reads the answer of /v1/campaigns/{id}/task: the whole operator, without the paths of its files. errc::unsupported:
// the node and the task have other versions than this program.
result<task_spec> task_told(const json& task);

} // namespace kevolve
