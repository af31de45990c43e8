// What batches come to, as JSON: the admin's answers and the command line's.
#pragma once

#include "runtime/node/admin/json.hpp"
#include "runtime/node/batch/batch.hpp"

namespace kevolve {

json to_json(const batch_import& x);
json to_json(const batch_record& x);
// Of a file that was written.
json export_json(const batch_bundle& b, const std::string& path, uint64_t bytes);

} // namespace kevolve
