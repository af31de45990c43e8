// The memory shared by judge, candidate and baseline: one sealed memfd, so that both processes use the same physical
// pages. It is faulted in once and lives as long as the judge; a larger one replaces it.
#pragma once

#include "backends/judge/call_data.hpp"
#include "backends/judge/comparison.hpp"
#include "backends/judge/geometry.hpp"
#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

class shared_arena {
public:
  shared_arena() = default;
  shared_arena(const shared_arena&) = delete;
  shared_arena& operator=(const shared_arena&) = delete;
  ~shared_arena();

  // Makes room for layouts of `bytes` and two status pages behind them. Clears everything. Processes launched before
  // keep the old memory, so launch after this.
  result<void> prepare(size_t bytes);

  int fd() const { return fd_; }
  std::byte* data() { return base_; }
  // Returns the bytes that a child maps: the layouts and the status pages.
  size_t mapped_bytes() const { return used_ + 2 * page; }
  // Locate the note about its death that the child in slot 0 or 1 leaves.
  size_t status_offset(int slot) const { return used_ + static_cast<size_t>(slot) * page; }
  wire::child_status& status(int slot);
  // Resets both notes to the state of a process that notes nothing, so that they cannot pass information.
  void clear_notes();

  // Fills, or checks, the guard pattern in the mapped memory after a layout of `used` bytes. guard_rest() fills only
  // the part that larger layouts have overwritten.
  void guard_rest(size_t used);
  bool rest_intact(size_t used) const;
  // Must be called when the judge has used the memory otherwise; guard_rest() then fills all of it again.
  void forget_guards() { guarded_from_ = used_; }

  // Copies of outputs, by argument, kept by the judge outside the arena; no other process maps them.
  std::vector<byte_buffer>& kept() { return kept_; }

private:
  static constexpr size_t page = 4096;

  result<void> replace(size_t capacity);
  bool status_pages_intact() const;

  int fd_ = -1;
  std::byte* base_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t backed_ = 0;       // bytes for which the kernel has committed memory
  size_t guarded_from_ = 0; // the guard pattern fills the range from here to used_
  std::vector<byte_buffer> kept_;
};

// One call's view of the arena. Writes inputs and poison, and detects forbidden accesses of a candidate.
class call_memory {
public:
  call_memory(const contract& task, const call_data& data, const arena_layout& layout, shared_arena& arena);

  // Prepares a call: writes the inputs and guard bands and fills all output bytes with the poison. `inputs_there`: the
  // previous call had the same data and left its inputs intact.
  void set_up(uint64_t poison, bool inputs_there = false);
  // Records the poison to check for, if another process lays out the arena's bytes.
  void expect(uint64_t poison);
  // Writes the values that the C call passes, by argument.
  void fill_values(uint64_t* values) const;

  // After a call, return the first argument that was mutated, or whose guard or gap was overwritten; null if there is
  // none.
  std::optional<std::string> mutated_input() const;
  std::optional<std::string> broken_guard() const;
  // Returns whether everything after the first `elements` of an output still holds the poison.
  bool tail_untouched(size_t argument, int64_t elements) const;
  // Returns the first element, by logical index, where NaN is expected and the poison still lies; null if there is
  // none. Poison is NaN as well, but with bits that neither arithmetic nor a library produces.
  std::optional<int64_t> unwritten_nan(size_t argument, const expected_output& expected, int64_t elements) const;
  const std::byte* array(size_t argument) const;
  // Evicts the arrays from all caches of this core.
  void flush_caches() const;

private:
  bool gaps_intact(const arena_place& place) const;

  const contract& task_;
  const call_data& data_;
  const arena_layout& layout_;
  shared_arena& shared_;
  std::byte* arena_;
  uint64_t poison_ = 0;
};

// Returns a poison pattern. Every 16-bit lane is a NaN of f16 and bf16, so every wider lane is a NaN of its type. No
// lane equals a NaN that hardware or C produces (0x7fff, 0x7fc0, 0x7e00, …) or a comparison mask (all ones).
uint64_t nan_poison(uint64_t random);
// The sign bit of each 16 bits of a poison. NaN has two signs; integers can differ by nothing else.
inline constexpr uint64_t poison_signs = 0x8000'8000'8000'8000ULL;
// Returns the pattern of guard `i`. Patterns differ between guards, since a NaN read beside one array propagates
// unchanged and must differ beside another. They also differ by poison, so that integer reads past an array are not
// reproducible.
uint64_t guard_of(size_t i, uint64_t poison);

} // namespace kevolve
