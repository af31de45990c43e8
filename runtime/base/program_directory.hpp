// The folders of the programs: the running executable's own, and that of the helper programs it starts.
#pragma once

#include <string>

namespace kevolve {

// Returns the folder of the running executable.
std::string program_directory();

// Returns the folder of the helper programs (kevolve-judge, kevolve-compile-server, …). In a build tree and in a
// portable folder they lie beside the executable; an installation keeps them in libexec/kevolve. Without an
// installation the result is the folder of the executable, where a build puts them.
std::string helper_directory();
// Does the same for an executable that lies in `program_folder`.
std::string helper_directory_of(const std::string& program_folder);

} // namespace kevolve
