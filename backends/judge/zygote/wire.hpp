// Messages between judge, zygote and candidate process: fixed-size structs over SOCK_SEQPACKET pairs on one machine,
// with both ends from one build.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace kevolve::wire {

inline constexpr size_t max_arguments = 64;
inline constexpr size_t max_entry = 200;
inline constexpr size_t max_excused = 512;

// The type in which a parameter is passed.
enum class parameter : uint8_t { pointer = 0, i64, i32, i8, u16, u8, f32, f64 };

// Judge → zygote, with three descriptors: the shared object, the arena, the child's end of its command socket.
struct launch_request {
  uint64_t arena_bytes;   // mapped from the start of the arena
  uint64_t status_offset; // offset of this child's child_status in the arena
  uint64_t memory_bytes;  // address space besides the arena
  uint64_t cpu_seconds;
  uint8_t allow_threads;
  uint8_t slot; // 0 or 1; selects the copies of the libraries
  uint32_t argument_count;
  parameter parameters[max_arguments];
  char entry[max_entry];
  cpu_set_t cores;
  // For kevolve-sanitised-replay alone.
  uint64_t report_offset;             // offset of its replay_report in the arena
  uint32_t alignments[max_arguments]; // bytes, as the task promises them
  char excused[max_excused]; // keys of findings that do not end the process, each with a ';' behind it; "*": all
};

// Zygote → judge. The pid is a child of the judge.
struct launch_reply {
  int32_t pid;
  int32_t error; // errno of clone; 0 if it succeeded
};

// Zygote → judge, once at the start. The text is the sandbox's level, the reason for having none, or the library of the
// task that does not load.
enum class zygote_state : uint8_t { no_sandbox = 0, no_library, ready };
struct zygote_hello {
  zygote_state state;
  char text[247];
};

// Child → judge. The first report, before anything hostile runs, is `locked` or `lock_failed`; only here can a launch
// fail for reasons other than the object. The second is `ready` or `load_failed`. The object's constructors could send
// it as well, so the judge trusts it only from a process that the kernel shows under the running profile.
enum class load_state : uint8_t { ready = 1, load_failed, lock_failed, locked };
struct load_report {
  load_state state;
  char text[500];
};

// Judge → child: one call. `values` are offsets into the arena for pointers, bits for other types. In a sanitised
// replay as many values follow: the bytes of each array.
struct go {
  uint64_t go_token;
  uint64_t done_token;
  uint64_t values[2 * max_arguments];
};
inline constexpr size_t go_header_bytes = 2 * sizeof(uint64_t);

// Judge → child, distinguished from a call by its size: makes exactly these ranges of whole pages of the arena
// inaccessible, and those behind them read-only. Answered like a call.
struct fences {
  uint64_t go_token;
  uint64_t done_token;
  uint64_t count;
  uint64_t read_only_count;
  struct {
    uint64_t from;
    uint64_t to;
  } ranges[2 * max_arguments + 1];
};
static_assert(sizeof(fences) > sizeof(go));

// Child → judge: the call has returned.
struct done {
  uint64_t token;
};

// A dying child's note, for people. It lies in memory that the candidate can write, so no verdict depends on it alone.
struct child_status {
  int64_t system_call; // number of the refused call; -1: none
  uint64_t fault_address;
  uint64_t fault_in_arena; // 1 + offset in the arena; 0: the fault was elsewhere
  uint32_t memory_exhausted;
  uint32_t reserved; // always 0, so that every byte of the note is checked
};

// A finding of the sanitizers, as a process of kevolve-sanitised-replay notes it. The candidate can write it, too: a
// finding ends the process unless it is excused, so that deleting the note saves nobody.
struct replay_finding {
  uint8_t memory;    // 1: AddressSanitizer or a signal; 0: undefined behaviour; or finding_of_state
  uint8_t behind;    // the address is behind the argument, not before it
  uint16_t argument; // 1 + index of the argument beside which the address is; 0: none
  uint32_t line;     // of `file`; 0: unknown
  uint64_t code;     // offset of the instruction in the object; 0: unknown
  uint64_t distance; // bytes between the argument and the address
  char key[64];      // "heap-buffer-overflow on read 2", "signed-integer-overflow"
  char text[200];    // for people
  char file[64];
};
inline constexpr uint8_t finding_of_state = 2; // a call changed what belongs to its caller
inline constexpr size_t max_findings = 8;
struct replay_report {
  uint32_t count; // of all findings, of which the first are kept
  uint32_t reserved;
  replay_finding findings[max_findings];
};
static_assert(sizeof(replay_report) <= 4096);
// The status with which a process ends at a finding that is not excused.
inline constexpr int finding_exit_status = 97;

} // namespace kevolve::wire
