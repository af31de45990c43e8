// What judge, zygote and candidate process say to each other: fixed-size messages over SOCK_SEQPACKET pairs
// on one machine, both ends of one build.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace kevolve::wire {

inline constexpr size_t max_arguments = 64;
inline constexpr size_t max_entry = 200;

// How a parameter is passed.
enum class parameter : uint8_t { pointer = 0, i64, i32, i8, u16, u8, f32, f64 };

// Judge → zygote, with three descriptors: the shared object, the arena, the child's end of its command socket.
struct launch_request {
  uint64_t arena_bytes;   // mapped from the start of the arena
  uint64_t status_offset; // of this child's child_status inside the arena
  uint64_t memory_bytes;  // address space beside the arena
  uint64_t cpu_seconds;
  uint8_t allow_threads;
  uint8_t slot; // 0 or 1: whose copies of the libraries
  uint32_t argument_count;
  parameter parameters[max_arguments];
  char entry[max_entry];
  cpu_set_t cores;
};

// Zygote → judge. The pid is a child of the judge.
struct launch_reply {
  int32_t pid;
  int32_t error; // errno of clone; 0
};

// Zygote → judge, once at the start: the level of the sandbox it gives, or why there is none, or which of the task's
// libraries does not load.
enum class zygote_state : uint8_t { no_sandbox = 0, no_library, ready };
struct zygote_hello {
  zygote_state state;
  char text[247];
};

// Child → judge. First, before anything hostile runs, `locked` or `lock_failed`: only here can a launch fail for
// reasons that are not the object's. Then `ready` or `load_failed`, which the object's constructors could say as
// well: the judge believes it only of a process that the kernel shows under the running profile.
enum class load_state : uint8_t { ready = 1, load_failed, lock_failed, locked };
struct load_report {
  load_state state;
  char text[500];
};

// Judge → child: one call. `values` are offsets into the arena for pointers, bits for the rest.
struct go {
  uint64_t go_token;
  uint64_t done_token;
  uint64_t values[max_arguments];
};
inline constexpr size_t go_header_bytes = 2 * sizeof(uint64_t);

// Judge → child, told from a call by its size: from now on the ranges of the arena, of whole pages, are out of reach,
// and no others. Answered like a call.
struct fences {
  uint64_t go_token;
  uint64_t done_token;
  uint64_t count;
  struct {
    uint64_t from;
    uint64_t to;
  } ranges[max_arguments + 1];
};
static_assert(sizeof(fences) > sizeof(go));

// Child → judge: the call has returned.
struct done {
  uint64_t token;
};

// What a dying child could still note, for people. It lies in memory the candidate can write: no verdict
// rests on it alone.
struct child_status {
  int64_t system_call; // refused; -1: none
  uint64_t fault_address;
  uint64_t fault_in_arena; // 1 + where in the arena it was; 0: it was elsewhere
  uint32_t memory_exhausted;
  uint32_t reserved; // 0: no byte of the note is unaccounted for
};

} // namespace kevolve::wire
