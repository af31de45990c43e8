#include "actors/evaluation/telemetry.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace kevolve {

namespace {

// Other processes, files and sockets; clocks; generated or self-starting code; foreign memory.
const std::unordered_set<std::string_view> noteworthy{"__asm",
                                                      "__asm__",
                                                      "__builtin_readcyclecounter",
                                                      "__rdtsc",
                                                      "__rdtscp",
                                                      "_rdtsc",
                                                      "alarm",
                                                      "alias",
                                                      "asm",
                                                      "atexit",
                                                      "clock",
                                                      "clock_gettime",
                                                      "clone",
                                                      "connect",
                                                      "constructor",
                                                      "destructor",
                                                      "dlopen",
                                                      "dlsym",
                                                      "environ",
                                                      "execve",
                                                      "fopen",
                                                      "fork",
                                                      "getenv",
                                                      "gettimeofday",
                                                      "ifunc",
                                                      "incbin",
                                                      "kill",
                                                      "longjmp",
                                                      "memfd_create",
                                                      "mmap",
                                                      "mprotect",
                                                      "nanosleep",
                                                      "open",
                                                      "openat",
                                                      "popen",
                                                      "prctl",
                                                      "process_vm_readv",
                                                      "process_vm_writev",
                                                      "pthread_create",
                                                      "ptrace",
                                                      "raise",
                                                      "sched_setaffinity",
                                                      "sched_yield",
                                                      "section",
                                                      "setitimer",
                                                      "setjmp",
                                                      "shm_open",
                                                      "sigaction",
                                                      "signal",
                                                      "socket",
                                                      "syscall",
                                                      "system",
                                                      "thrd_create",
                                                      "timer_create",
                                                      "usleep",
                                                      "userfaultfd",
                                                      "vfork"};

bool begins_word(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool in_word(char c) {
  return begins_word(c) || (c >= '0' && c <= '9');
}

// Returns the position after the comment or literal that begins at `at`; `at` if none begins there.
size_t behind_text(std::string_view source, size_t at) {
  const auto rest = source.substr(at);
  const auto until = [&](std::string_view end) {
    const auto found = source.find(end, at + 2);
    return found == std::string_view::npos ? source.size() : found + end.size();
  };
  if (rest.starts_with("//"))
    return until("\n");
  if (rest.starts_with("/*"))
    return until("*/");
  if (rest[0] != '"' && rest[0] != '\'')
    return at;
  auto end = at + 1;
  while (end < source.size() && source[end] != rest[0] && source[end] != '\n')
    end += source[end] == '\\' ? 2U : 1U;
  return std::min(end + 1, source.size());
}

} // namespace

std::string noteworthy_words(std::string_view source) {
  std::set<std::string_view> found;
  for (size_t at = 0; at < source.size();) {
    if (const auto next = behind_text(source, at); next != at) {
      at = next;
      continue;
    }
    auto end = at;
    while (end < source.size() && in_word(source[end]))
      ++end;
    const auto word = source.substr(at, end - at);
    if (!word.empty() && begins_word(word[0]) && noteworthy.contains(word))
      found.insert(word);
    at = std::max(end, at + 1);
  }
  std::string out;
  for (const auto word : found)
    out.append(out.empty() ? "" : " ").append(word);
  return out;
}

} // namespace kevolve
