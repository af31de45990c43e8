// Where the programs lie.
#pragma once

#include <string>

namespace kevolve {

// The folder of the running executable: the helper programs lie beside it.
std::string program_directory();

} // namespace kevolve
