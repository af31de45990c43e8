// Reads facts about other processes from /proc and their clocks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace kevolve {

// Returns a number of /proc/PROCESS/status. `key` includes the colon. Returns -1 if the kernel does not report it.
int status_number(const std::string& process, std::string_view key);

// Returns the processor time of all threads of the process; 0 if there is no such process.
std::chrono::nanoseconds processor_time(pid_t pid);

// Returns each thread's total time of waiting for a processor, by thread.
std::map<std::string, std::chrono::nanoseconds> waits_of(pid_t pid);

// Returns the longest time that one thread has waited since `before`.
std::chrono::nanoseconds longest_wait(pid_t pid, const std::map<std::string, std::chrono::nanoseconds>& before);

// Returns 'R', 'S', 'D', 'T', …; '?' if there is no such process.
char state_of(pid_t pid);

} // namespace kevolve
