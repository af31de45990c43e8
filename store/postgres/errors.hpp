// The meaning of what PostgreSQL and libpq say when something fails.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

struct pg_conn;
struct pg_result;

namespace kevolve::postgres {

// Returns the text in one line, without blanks at its end.
std::string trimmed(const char* text);
// Returns the failure of a statement; `r` is null if there was no answer.
failure failure_of(const pg_conn* c, const pg_result* r);
// Returns the failure to connect with this text of libpq, and the remedy.
failure failure_to_connect(const std::string& said);

} // namespace kevolve::postgres
