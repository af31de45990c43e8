#include "backends/cpu/sanitised_replay/process_state.hpp"

#include <link.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace kevolve {

namespace {

using handler = void (*)(int);

constexpr int streams = 3;

struct process_state {
  std::array<handler, NSIG> handlers{};
  stack_t handlers_stack = {};
  std::array<struct stat, streams> files{};
};

process_state state_before;

// A handler of SIGSYS records what the sandbox refuses; to ask about it ends the process.
handler handler_of(int signal) {
  struct sigaction action = {};
  if (signal == SIGSYS || sigaction(signal, nullptr, &action) != 0)
    return nullptr;
  return action.sa_handler; // one with more arguments lies in the same place
}

// The C library asks by a call that could name other files and is therefore refused.
struct stat file_behind(int stream) {
  struct stat out = {};
  if (syscall(SYS_fstat, stream, &out) != 0)
    out = {};
  return out;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode;
}

int forget_in(dl_phdr_info* info, size_t, void* path) {
  const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  auto* const variables = static_cast<std::byte*>(info->dlpi_tls_data); // null: this thread has none yet
  if (variables == nullptr || !name.starts_with(static_cast<const char*>(path)))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_TLS)
      continue;
    std::memcpy(variables, reinterpret_cast<const void*>(info->dlpi_addr + part.p_vaddr), part.p_filesz); // NOLINT
    std::memset(variables + part.p_filesz, 0, part.p_memsz - part.p_filesz);
  }
  return 0;
}

} // namespace

void remember_process_state() {
  for (int signal = 1; signal < NSIG; ++signal)
    state_before.handlers.at(static_cast<size_t>(signal)) = handler_of(signal);
  sigaltstack(nullptr, &state_before.handlers_stack);
  for (int stream = 0; stream < streams; ++stream)
    state_before.files.at(static_cast<size_t>(stream)) = file_behind(stream);
}

const char* changed_process_state(bool signals) {
  if (signals)
    for (int signal = 1; signal < NSIG; ++signal)
      if (handler_of(signal) != state_before.handlers.at(static_cast<size_t>(signal)))
        return "a handler of a signal";
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  if (stack.ss_sp != state_before.handlers_stack.ss_sp || stack.ss_size != state_before.handlers_stack.ss_size)
    return "the stack on which handlers of signals run";
  for (int stream = 0; stream < streams; ++stream)
    if (!same_file(file_behind(stream), state_before.files.at(static_cast<size_t>(stream))))
      return "a standard stream";
  return "";
}

void forget_this_thread(const char* path) {
  dl_iterate_phdr(forget_in, const_cast<char*>(path)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

} // namespace kevolve
