// A standard stream of a child that is about to run another program.
#pragma once

namespace kevolve {

// Opens a file with these flags of open() and puts it in the place of descriptor `to`. A file that is made gets mode
// 0600. Returns false with errno set if the file cannot be opened or put there. It may be called after fork().
bool redirect(const char* path, int flags, int to);

} // namespace kevolve
