// The memory that judge, candidate and baseline share: one sealed memfd, so that both processes meet the same
// physical pages. Faulted in once and kept for the judge's life; grows by being replaced.
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

  // Room for layouts of `bytes`, and two status pages behind them. Everything is wiped. Processes launched
  // before keep the old memory, so launch after.
  result<void> prepare(size_t bytes);

  int fd() const { return fd_; }
  std::byte* data() { return base_; }
  // Bytes a child maps: the layouts and the status pages.
  size_t mapped_bytes() const { return used_ + 2 * page; }
  // Where the child in slot 0 or 1 notes why it died.
  size_t status_offset(int slot) const { return used_ + static_cast<size_t>(slot) * page; }
  wire::child_status& status(int slot);
  // Both notes as a process that notes nothing leaves them: no two states of them are to tell a story.
  void clear_notes();

  // Everything mapped that a layout of `used` bytes leaves free is one more guard. Paints it, as far as larger
  // layouts have written there; says whether it still is as painted.
  void guard_rest(size_t used);
  bool rest_intact(size_t used) const;
  // The judge itself has used the memory for something else: all of it is to be painted again.
  void forget_guards() { guarded_from_ = used_; }

  // Copies of outputs, by argument, that the judge keeps beside the arena; nobody else maps them.
  std::vector<byte_buffer>& kept() { return kept_; }

private:
  static constexpr size_t page = 4096;

  result<void> replace(size_t capacity);
  bool status_pages_intact() const;

  int fd_ = -1;
  std::byte* base_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t backed_ = 0;       // that memory has been found for
  size_t guarded_from_ = 0; // from here to used_ lies the guard pattern
  std::vector<byte_buffer> kept_;
};

// One call's view of the arena: puts inputs and poison in, and finds what a candidate touched that it may not.
class call_memory {
public:
  call_memory(const contract& task, const call_data& data, const arena_layout& layout, shared_arena& arena);

  // Before a call: inputs, guard bands, and every written byte poisoned with the pattern. `inputs_there`: the last
  // call was on this data, and has been found to leave its inputs as they were.
  void set_up(uint64_t poison, bool inputs_there = false);
  // Before the arena's bytes come from elsewhere, laid out there with that poison: what to look for in them.
  void expect(uint64_t poison);
  // What the C call passes, argument by argument.
  void fill_values(uint64_t* values) const;

  // After a call. The name of the first argument that was mutated; whose guard or gap was written.
  std::optional<std::string> mutated_input() const;
  std::optional<std::string> broken_guard() const;
  // Whether everything past the first `elements` of an output still holds the poison.
  bool tail_untouched(size_t argument, int64_t elements) const;
  // The first element, by logical index, where NaN is expected and what lay there before the call still lies: poison is
  // NaN, too, and no NaN that arithmetic or a library makes.
  std::optional<int64_t> unwritten_nan(size_t argument, const expected_output& expected, int64_t elements) const;
  const std::byte* array(size_t argument) const;
  // Evicts the arrays from every cache of this core.
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

// Poison patterns: every 16-bit lane is a NaN of f16 and bf16, so every wider lane is one of its type, too. None is one
// that processors, devices or C give out (0x7fff, 0x7fc0, 0x7e00 …), or a comparison's mask (all ones).
uint64_t nan_poison(uint64_t random);
// Of each 16 bits of a poison: NaN has two signs, and what reads integers may see no more than that.
inline constexpr uint64_t poison_signs = 0x8000'8000'8000'8000ULL;
// Each guard's own: a NaN read beside one array stays what it is in arithmetic, and must show beside another. Another
// one with other poison: what reads integers past an array disagrees with itself.
uint64_t guard_of(size_t i, uint64_t poison);

} // namespace kevolve
