// One function per compiler family; each asks its driver and converts the answer to build_commands.
#pragma once

#include "backends/cpu/toolchain.hpp"

namespace kevolve {

result<build_commands> clang_commands(const toolchain& tools, const build_variant& variant);
result<build_commands> gcc_commands(const toolchain& tools, const build_variant& variant);

} // namespace kevolve
