// What the kernel shows of another process, from /proc and its clocks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace kevolve {

// A number of /proc/PROCESS/status, by its key with the colon; -1 where the kernel does not tell it.
int status_number(const std::string& process, std::string_view key);

// Of all its threads; 0 if there is no such process.
std::chrono::nanoseconds processor_time(pid_t pid);

// How long each of its threads has waited for a processor in all, by thread.
std::map<std::string, std::chrono::nanoseconds> waits_of(pid_t pid);

// The longest that one of its threads has waited since `before`.
std::chrono::nanoseconds longest_wait(pid_t pid, const std::map<std::string, std::chrono::nanoseconds>& before);

// 'R', 'S', 'D', 'T', …; '?' if there is no such process.
char state_of(pid_t pid);

} // namespace kevolve
