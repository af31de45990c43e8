// The innermost loops of a compiler's assembly text, with the source lines that they come from. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The instructions that matter for a bottleneck, counted in one round of a loop.
struct instruction_mix {
  int instructions = 0;
  int loads = 0;
  int stores = 0;
  int stack_accesses = 0; // spilled values
  int packed = 0;         // arithmetic on vectors
  int scalar = 0;         // arithmetic on one floating value
  int divisions = 0;      // and square roots
  int gathers = 0;
  int multiply_adds = 0;
  int calls = 0;
  int branches = 0;         // conditional ones
  int partial_writes = 0;   // conversions and roots that keep a part of their destination
  int vector_bytes = 0;     // of the widest register
  int access_bytes = 0;     // loaded and stored, the stack's aside
  int blocked_forwards = 0; // loads of bytes that narrower or shifted stores of the loop have just written
};

struct machine_loop {
  std::string function;
  std::vector<std::string> instructions;
  std::map<uint32_t, int> lines; // of the candidate's source: number of instructions
  instruction_mix mix;
  size_t code_bytes = 0; // a guess, by the number of instructions
};

// Returns the innermost loops of AT&T assembly for x86-64 with .file and .loc directives, in order.
std::vector<machine_loop> innermost_loops(std::string_view assembly);
instruction_mix mix_of(const std::vector<std::string>& instructions);
// Returns the instructions with each register cleared before an instruction that keeps a part of it.
std::vector<std::string> without_partial_writes(const std::vector<std::string>& instructions);

// Returns the loop that does most of the work of source lines first to last: of those with most instructions there, the
// one with the most vector arithmetic, then the longest. Null if no loop comes from there.
const machine_loop* loop_at(const std::vector<machine_loop>& loops, uint32_t first, uint32_t last);

} // namespace kevolve
