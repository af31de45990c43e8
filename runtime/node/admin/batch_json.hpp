// Batches as JSON, in answers of the admin and in output of the command line.
#pragma once

#include "runtime/node/admin/json.hpp"
#include "runtime/node/batch/batch.hpp"

namespace kevolve {

json to_json(const batch_import& x);
json to_json(const batch_record& x);
// Describes a file that was written.
json export_json(const batch_bundle& b, const std::string& path, uint64_t bytes);

} // namespace kevolve
