#include "backends/judge/zygote/candidate.hpp"

#include "backends/judge/zygote/arena_mapping.hpp"
#include "backends/judge/zygote/candidate_host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <ffi.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace kevolve {

namespace {

wire::child_status* status = nullptr;
std::byte* arena_begin = nullptr;
uint64_t arena_size = 0;

// Holds the widest register frames and a handler that runs after a stack overflow.
alignas(64) std::array<std::byte, size_t{64} << 10U> signal_stack;

// Handles a fatal signal: records the cause and returns. The handler is installed for one signal only, so the fault
// repeats and kills.
void on_death(int, siginfo_t* info, void* context) {
  candidate_host::note_death(*info, context);
  status->fault_address = reinterpret_cast<uint64_t>(info->si_addr);
  const auto in_arena = status->fault_address - reinterpret_cast<uint64_t>(arena_begin);
  status->fault_in_arena = in_arena < arena_size ? in_arena + 1 : 0;
  // A process that has used up its address space crashes on the null pointer from malloc.
  constexpr size_t probe = size_t{64} << 20U;
  auto* p = mmap(nullptr, probe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    status->memory_exhausted = 1;
  else
    munmap(p, probe);
}

void watch_deaths() {
  stack_t alternate = {};
  alternate.ss_sp = signal_stack.data();
  alternate.ss_size = signal_stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_death;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (auto signal : {SIGSEGV, SIGBUS, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void tell(wire::load_state state, const std::string& text = {}) {
  wire::load_report report = {};
  report.state = state;
  std::strncpy(report.text, text.c_str(), sizeof(report.text) - 1);
  if (write(child_command_fd, &report, sizeof(report)) != static_cast<ssize_t>(sizeof(report)))
    _exit(1);
}

[[noreturn]] void give_up(wire::load_state state, const std::string& why) {
  tell(state, why);
  _exit(1);
}

ffi_type* type_of(wire::parameter p) {
  switch (p) {
    case wire::parameter::pointer:
      return &ffi_type_pointer;
    case wire::parameter::i64:
      return &ffi_type_sint64;
    case wire::parameter::i32:
      return &ffi_type_sint32;
    case wire::parameter::i8:
      return &ffi_type_sint8;
    case wire::parameter::u16:
      return &ffi_type_uint16;
    case wire::parameter::u8:
      return &ffi_type_uint8;
    case wire::parameter::f32:
      return &ffi_type_float;
    case wire::parameter::f64:
      break;
  }
  return &ffi_type_double;
}

// The signature and its argument slots, prepared before any clock runs.
struct prepared_call {
  ffi_cif cif = {};
  std::array<ffi_type*, wire::max_arguments> types{};
  std::array<uint64_t, wire::max_arguments> slots{};
  std::array<void*, wire::max_arguments> pointers{};
  void (*entry)() = nullptr;
};

// Opens its own file description. The received one is shared by every launch, and its offset could pass information
// from one process to the next.
void reopen_object() {
  const auto path = "/proc/self/fd/" + std::to_string(child_object_fd);
  const auto own = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (own < 0 || dup2(own, child_object_fd) < 0)
    give_up(wire::load_state::lock_failed, std::string{"opening the object: "} + std::strerror(errno));
  close(own);
}

// Maps the pages now, since a page fault inside a timed call costs 2 µs. One read maps a huge page, or else the sixteen
// small pages around it, in a fifth of the time of MAP_POPULATE.
void* map_arena(const wire::launch_request& request, int fd) {
  auto* base = map_arena_file(fd, request.arena_bytes);
  if (base == MAP_FAILED)
    give_up(wire::load_state::lock_failed, std::string{"mapping the arena: "} + std::strerror(errno));
  constexpr size_t mapped_by_one_fault = size_t{64} << 10U;
  const auto* bytes = static_cast<const volatile std::byte*>(base);
  for (size_t i = 0; i < request.arena_bytes; i += mapped_by_one_fault)
    static_cast<void>(bytes[i]);
  return base;
}

void limit_resources(const wire::launch_request& request) {
  const rlimit time{request.cpu_seconds, request.cpu_seconds};
  if (!candidate_host::limit_memory(request) || setrlimit(RLIMIT_CPU, &time) != 0)
    give_up(wire::load_state::lock_failed, std::string{"resource limits: "} + std::strerror(errno));
}

void* object = nullptr; // of dlopen()

// Returns the entry; null if there is none, with the reason in `why`.
void (*load_entry(const char* name, std::string& why))() {
  const auto path = "/proc/self/fd/" + std::to_string(child_object_fd);
  object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    why = dlerror();
    if (auto at = why.find(path); at != std::string::npos)
      why.replace(at, path.size(), "the object");
    return nullptr;
  }
  auto* symbol = dlsym(object, name);
  if (symbol == nullptr)
    why = std::string{"no function named '"} + name
          + "' is exported: define it as the task declares it, not static, and in C++ extern \"C\"";
  return reinterpret_cast<void (*)()>(symbol);
}

void answer(uint64_t token) {
  const wire::done message{token};
  if (write(child_command_fd, &message, sizeof(message)) != static_cast<ssize_t>(sizeof(message)))
    _exit(0);
}

// Gives the inaccessible ranges and the read-only ones these rights.
bool protect(std::byte* arena, const wire::fences& which, int fenced, int read_only) {
  for (uint64_t i = 0; i < which.count + which.read_only_count; ++i) {
    const auto [from, to] = which.ranges[i];
    if (to != from && mprotect(arena + from, to - from, i < which.count ? fenced : read_only) != 0)
      return false;
  }
  return true;
}

// Removes the previous fences first. A process that cannot be fenced exits; the judge reports that it ended itself.
void fence(std::byte* arena, const wire::fences& wanted) {
  static wire::fences standing = {};
  constexpr int all = PROT_READ | PROT_WRITE;
  if (!protect(arena, standing, all, all) || !protect(arena, wanted, PROT_NONE, PROT_READ))
    _exit(1);
  standing = wanted;
}

[[noreturn]] void serve(const wire::launch_request& request, prepared_call& call, std::byte* arena) {
  const auto expected =
      wire::go_header_bytes + size_t{request.argument_count} * candidate_host::values_per_argument * sizeof(uint64_t);
  union {
    wire::go message;
    wire::fences fences;
  };
  for (;;) {
    auto got = read(child_command_fd, &fences, sizeof(fences));
    if (got == static_cast<ssize_t>(sizeof(fences))) {
      fence(arena, fences);
      answer(fences.done_token);
      continue;
    }
    if (got == static_cast<ssize_t>(wire::go_header_bytes) && request.argument_count > 0) {
      candidate_host::unload(request, object);
      answer(message.done_token); // an empty call, to measure the cost of calling or to end a replay
      continue;
    }
    if (got != static_cast<ssize_t>(expected)) {
      if (got < 0 && errno == EINTR)
        continue;
      _exit(0); // the judge is gone or has finished
    }
    candidate_host::arrange(request, arena, message.values, call.slots.data());
    ffi_arg ignored = 0;
    ffi_call(&call.cif, call.entry, &ignored, call.pointers.data());
    candidate_host::conclude(request);
    answer(message.done_token);
  }
}

} // namespace

void live_as_candidate(const wire::launch_request& request, const launch_fds& fds, const candidate_sandbox& locks,
                       library_copies& libraries) {
  dup2(fds.command, child_command_fd);
  dup2(fds.object, child_object_fd);
  if (candidate_host::copies_libraries && !libraries.take(request.slot))
    give_up(wire::load_state::lock_failed, std::string{"its copies of the libraries: "} + std::strerror(errno));
  reopen_object();
  sched_setaffinity(0, sizeof(request.cores), &request.cores);
  clearenv(); // a thread run time may leave information there

  // The object's constructors must not get this descriptor, since they could map the memory behind the arguments.
  auto* arena = static_cast<std::byte*>(map_arena(request, fds.arena));
  close(fds.arena);
  status = reinterpret_cast<wire::child_status*>(arena + request.status_offset);
  arena_begin = arena;
  arena_size = request.status_offset;
  status->system_call = -1;
  record_violations(&status->system_call);
  watch_deaths();
  candidate_host::begin(request, arena);

  static prepared_call call;
  for (uint32_t i = 0; i < request.argument_count; ++i) {
    call.types[i] = type_of(request.parameters[i]);
    call.pointers[i] = &call.slots[i];
  }
  if (ffi_prep_cif(&call.cif, FFI_DEFAULT_ABI, request.argument_count, &ffi_type_void, call.types.data()) != FFI_OK)
    give_up(wire::load_state::lock_failed, "this signature cannot be called");

  limit_resources(request);
  if (auto pinned = locks.running.pin_syscalls(); !pinned)
    give_up(wire::load_state::lock_failed, to_string(pinned.error()));
  if (auto locked = locks.loading.lock(); !locked)
    give_up(wire::load_state::lock_failed, to_string(locked.error()));
  tell(wire::load_state::locked);
  std::string why;
  candidate_host::before_loading();
  call.entry = load_entry(request.entry, why);
  candidate_host::after_loading();
  watch_deaths(); // a constructor may have put handlers of its own in place
  close(child_object_fd);
  // From here on, the object's own code may cause a failure, so it is not our fault.
  if (!locks.running.lock_pinned_syscalls())
    _exit(1);
  if (call.entry == nullptr) {
    tell(wire::load_state::load_failed, why);
    // Stays alive until the judge has checked the profile under which the report was sent.
    char end = 0;
    while (read(child_command_fd, &end, 1) < 0 && errno == EINTR) {
    }
    _exit(1);
  }
  tell(wire::load_state::ready);
  serve(request, call, arena);
}

} // namespace kevolve
