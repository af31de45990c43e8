// The schema of a cluster in PostgreSQL, and its versions.
#pragma once

#include "store/postgres/connection.hpp"

#include <string>

namespace kevolve::postgres {

// The version of the schema that this build works with.
inline constexpr int schema_version = 5;

// Makes the group roles kevolve_home and kevolve_worker, the schema and its deployment, or brings an older schema to
// this build's version, in one transaction. The login must be allowed to create roles and schemas. Returns the version
// that was there before; 0: none. errc::bad_input: the database belongs to another deployment. errc::newer_format: a
// newer kevolve made its schema.
result<int> initialise(connection& c, const std::string& deployment);

// Checks that the schema has this build's version. The text names the remedy.
result<void> check_schema(connection& c);

} // namespace kevolve::postgres
