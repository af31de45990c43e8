// kevolve-sanitised-replay's candidates: each call works on copies of its arrays, of exactly their sizes, in memory of
// AddressSanitizer. Findings are noted for the judge. One that is not excused ends the process, so that a clean end
// cannot hide it.
#include "backends/cpu/sanitised_replay/process_state.hpp"
#include "backends/cpu/sanitised_replay/processor_state.hpp"
#include "backends/judge/zygote/candidate_host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

// Declared by no header of the run time.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file,
                                                unsigned* line, unsigned* column, char** address);

namespace kevolve::candidate_host {

const sandbox_profile running_profile = sandbox_profile::replaying;
const bool copies_libraries = false;
const uint32_t values_per_argument = 2;

namespace {

// The copy of one array for one call. An array without bytes points to the end of its block.
struct exact_copy {
  std::byte* block = nullptr;
  std::byte* data = nullptr;
  std::byte* home = nullptr; // in the arena
  size_t bytes = 0;
};

std::array<exact_copy, wire::max_arguments> copies;
wire::replay_report* report = nullptr;
std::array<char, wire::max_excused + 1> excused{};
// The candidate's object is the only one that is loaded by this name.
constexpr const char* object_path = "/proc/self/fd/";

bool is_excused(const wire::replay_finding& f) {
  const std::string_view all{excused.data()};
  if (all == "*")
    return true;
  std::array<char, sizeof(f.key) + 1> entry{};
  std::snprintf(entry.data(), entry.size(), "%s;", f.key);
  return all.find(entry.data()) != std::string_view::npos;
}

// Notes the finding. Ends the process unless it is excused.
void note(const wire::replay_finding& f) {
  const auto n = report->count;
  if (n < wire::max_findings)
    report->findings[n] = f;
  report->count = n + 1;
  if (!is_excused(f))
    _exit(wire::finding_exit_status);
}

// Returns the offset of the instruction in the candidate's object; 0 if it is elsewhere.
uint64_t offset_in_object(uint64_t at) {
  Dl_info info = {};
  if (at == 0 || dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_fname == nullptr // NOLINT
      || !std::string_view{info.dli_fname}.starts_with(object_path))
    return 0;
  return at - reinterpret_cast<uint64_t>(info.dli_fbase);
}

// Returns the candidate's innermost instruction on the first stack of the report's text, "    #3 0x7f00… (…".
uint64_t innermost_code(std::string_view text) {
  bool seen = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto mark = line.find('#');
    const auto number = line.find(" 0x");
    if (mark == std::string_view::npos || line.find_first_not_of(' ') != mark || number == std::string_view::npos) {
      if (seen)
        return 0; // the first stack has ended
      continue;
    }
    seen = true;
    const auto at = std::strtoull(line.data() + number + 1, nullptr, 16);
    if (const auto offset = offset_in_object(at); offset != 0)
      return offset;
  }
  return 0;
}

// Names the argument that the address is beside.
void find_argument(wire::replay_finding& f, uint64_t address) {
  uint64_t nearest = uint64_t{1} << 20U;
  for (size_t i = 0; i < copies.size(); ++i) {
    const auto begin = reinterpret_cast<uint64_t>(copies[i].data);
    const auto end = begin + copies[i].bytes;
    if (begin == 0)
      continue;
    const bool behind = address >= end;
    if (!behind && address >= begin)
      continue;
    const auto distance = behind ? address - end : begin - address;
    if (distance >= nearest)
      continue;
    nearest = distance;
    f.argument = static_cast<uint16_t>(i + 1);
    f.behind = behind ? 1 : 0;
    f.distance = distance;
  }
}

void on_memory_report(const char* text) {
  wire::replay_finding f = {};
  f.memory = 1;
  const auto address = reinterpret_cast<uint64_t>(__asan_get_report_address());
  const auto* kind = __asan_get_report_description();
  const auto size = __asan_get_report_access_size();
  const bool writes = __asan_get_report_access_type() != 0;
  find_argument(f, address);
  f.code = offset_in_object(reinterpret_cast<uint64_t>(__asan_get_report_pc()));
  if (f.code == 0)
    f.code = innermost_code(text);
  if (size == 0) // a call such as free(), which accesses nothing itself
    std::snprintf(f.text, sizeof(f.text), "%s", kind);
  else
    std::snprintf(f.text, sizeof(f.text), "%s on %s of %zu bytes", kind, writes ? "write" : "read", size);
  std::snprintf(f.key, sizeof(f.key), "%.40s on %s %u", kind, writes ? "write" : "read", unsigned{f.argument});
  note(f);
}

// `changed` is empty if nothing was.
void note_state(const char* when, const char* changed, const char* of = "processor") {
  if (*changed == '\0')
    return;
  wire::replay_finding f = {};
  f.memory = wire::finding_of_state;
  std::snprintf(f.key, sizeof(f.key), "state of the %s", of);
  std::snprintf(f.text, sizeof(f.text), "%s %s changed", when, changed);
  note(f);
}

constexpr size_t red_zone_alignment = 16;

} // namespace

void begin(const wire::launch_request& request, std::byte* arena) {
  report = reinterpret_cast<wire::replay_report*>(arena + request.report_offset);
  std::memcpy(excused.data(), request.excused, wire::max_excused);
  __asan_set_error_report_callback(on_memory_report);
}

// The shadow memory takes terabytes of address space, so that the limit of that cannot bound a process. The limit of
// data counts what is mapped from now on.
bool limit_memory(const wire::launch_request& request) {
  const auto status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (status < 0)
    return false;
  std::array<char, 8192> text{};
  const auto got = read(status, text.data(), text.size() - 1);
  close(status);
  const auto* line = got > 0 ? std::strstr(text.data(), "VmData:") : nullptr;
  if (line == nullptr)
    return false;
  const auto mapped = std::strtoull(line + std::strlen("VmData:"), nullptr, 10) << 10U;
  const auto bytes = mapped + request.memory_bytes + 2 * request.arena_bytes;
  const rlimit memory{bytes, bytes};
  return setrlimit(RLIMIT_DATA, &memory) == 0;
}

void arrange(const wire::launch_request& request, std::byte* arena, const uint64_t* values, uint64_t* slots) {
  for (uint32_t i = 0; i < request.argument_count; ++i) {
    slots[i] = values[i];
    if (request.parameters[i] != wire::parameter::pointer)
      continue;
    auto& c = copies[i];
    c.home = arena + values[i];
    c.bytes = values[request.argument_count + i];
    const auto alignment = std::max<size_t>(request.alignments[i], red_zone_alignment);
    void* block = nullptr;
    if (posix_memalign(&block, alignment, c.bytes != 0 ? c.bytes : alignment) != 0)
      abort();
    c.block = static_cast<std::byte*>(block);
    c.data = c.bytes != 0 ? c.block : c.block + alignment;
    std::memcpy(c.data, c.home, c.bytes);
    slots[i] = reinterpret_cast<uint64_t>(c.data);
  }
  remember_processor_state();
}

void before_loading() {
  remember_processor_state();
  remember_process_state();
}

// A caller may load the object in one thread and call it in another.
void after_loading() {
  note_state("loading the object left", changed_processor_state());
  note_state("loading the object left", changed_process_state(true), "process");
  forget_this_thread(object_path);
}

// Runs its destructors, as the end of a caller's process does. Threads that the object started would run on in it.
void unload(const wire::launch_request& request, void* object) {
  if (request.allow_threads != 0)
    return;
  dlclose(object);
  note_state("unloading the object left", changed_processor_state());
  note_state("unloading the object left", changed_process_state(false), "process");
}

void conclude(const wire::launch_request& request) {
  note_state("the call returned with", changed_processor_state());
  note_state("the call returned with", changed_process_state(false), "process");
  for (uint32_t i = 0; i < request.argument_count; ++i) {
    auto& c = copies[i];
    if (c.block == nullptr)
      continue;
    std::memcpy(c.home, c.data, c.bytes);
    free(c.block);
    c = {};
  }
}

void note_death(const siginfo_t& info, void* context) {
  wire::replay_finding f = {};
  f.memory = 1;
  const auto* state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  f.code = offset_in_object(static_cast<uint64_t>(state->uc_mcontext.gregs[REG_RIP]));
#elif defined(__aarch64__)
  f.code = offset_in_object(state->uc_mcontext.pc);
#endif
  if (info.si_signo == SIGABRT)
    return;
  std::snprintf(f.key, sizeof(f.key), "wild access");
  std::snprintf(f.text, sizeof(f.text), "an access to memory that is not mapped");
  if (report->count < wire::max_findings)
    report->findings[report->count++] = f;
}

} // namespace kevolve::candidate_host

// The run time calls these.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() {
  // User poisoning is off, so that a candidate cannot lift the red zones. Signals are handled as in kevolve-zygote.
  return "halt_on_error=0:detect_leaks=0:symbolize=0:allow_user_poisoning=0:allocator_may_return_null=1:"
         "detect_stack_use_after_return=1:redzone=256:max_redzone=2048:quarantine_size_mb=16:max_malloc_fill_size="
         "67108864:malloc_fill_byte=255:fast_unwind_on_fatal=1:"
         "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:use_sigaltstack=0:"
         "print_legend=0:print_full_thread_history=0:check_malloc_usable_size=0";
}

extern "C" const char* __ubsan_default_options() {
  return "print_stacktrace=0";
}

extern "C" void __ubsan_on_report() {
  const char* kind = nullptr;
  const char* message = nullptr;
  const char* file = nullptr;
  unsigned line = 0;
  unsigned column = 0;
  char* address = nullptr;
  __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  kevolve::wire::replay_finding f = {};
  f.line = line;
  std::snprintf(f.key, sizeof(f.key), "%s", kind);
  std::snprintf(f.text, sizeof(f.text), "%s", message);
  std::snprintf(f.file, sizeof(f.file), "%s", file);
  kevolve::candidate_host::note(f);
}
// NOLINTEND(bugprone-reserved-identifier)
