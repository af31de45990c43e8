// The texts of schema/*.sql, built in.
#pragma once

#include <string_view>

namespace kevolve::postgres {

std::string_view schema_0001();
std::string_view schema_0002();
std::string_view schema_0003();
std::string_view schema_0004();
std::string_view schema_0005();

} // namespace kevolve::postgres
