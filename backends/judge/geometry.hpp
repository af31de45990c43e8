// The memory layout of one call's arguments: resolved sizes, strides, and places in the shared arena with guard bands
// between them. Candidate, baseline and reference use the same layout and so the same addresses.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kevolve {

using sum_function = std::function<result<int64_t>(const std::string&)>;

// An array argument with resolved sizes.
struct array_geometry {
  dtype type = dtype::f32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; // in elements
  int64_t count = 0;            // number of elements
  int64_t span = 0;             // number of elements from the first to the last, including gaps
  bool contiguous = true;

  size_t bytes() const { return static_cast<size_t>(span) * size_bytes(type); }
  // Returns the elements of one row along the first dimension, the unit of an extent.
  int64_t row_count() const { return dims.empty() || dims[0] == 0 ? 1 : count / dims[0]; }
};

bool is_array(const argument& a);
bool is_read(const argument& a);    // input, weight or inout
bool is_written(const argument& a); // output or inout

// Resolves an array's geometry. errc::bad_input: a shape is negative or too large, or strides overlap.
result<array_geometry> resolve_geometry(const argument& a, const size_map& sizes, const sum_function& sum_of);

// Visits the storage ranges of the first `elements` logical elements in row-major order: visit(storage_offset,
// logical_offset, length), all in elements. Each range has unit stride.
void for_each_run(const array_geometry& g, int64_t elements,
                  const std::function<void(int64_t, int64_t, int64_t)>& visit);

struct arena_place {
  size_t argument = 0; // index into contract::arguments
  size_t offset = 0;   // bytes from the start of the arena
  size_t bytes = 0;
};

struct arena_layout {
  std::vector<arena_place> places; // arrays only, in the order of the arguments
  size_t total = 0;
};

// Minimum number of guard bytes on each side of every array.
inline constexpr size_t guard_bytes = 4096;

// Places all arrays in the arena. `geometries` is indexed by argument; entries of other arguments are ignored. A
// kernel's speed can depend on the arrays' offsets within their pages. With `placement` 0, all offsets are equal, as an
// allocator places large arrays. Otherwise `placement` seeds random offsets that respect alignment. The total is the
// same for all placements.
arena_layout lay_out(const contract& task, const std::vector<array_geometry>& geometries, uint64_t placement = 0);

// Returns the byte ranges between and around the places, in order.
using byte_ranges = std::vector<std::pair<size_t, size_t>>;
byte_ranges guard_ranges(const arena_layout& layout);

// Rooms of whole pages, one for each array, with fences around them. A process can lose access to the fence pages,
// since reads beside an array leave no trace in an output. One set of fences serves every input set that fits.
struct fenced_rooms {
  byte_ranges rooms;     // one for each array, in the order of the arguments
  byte_ranges fences;    // one before each room, and one after the last
  byte_ranges read_only; // the rooms of inputs
  size_t total = 0;
};

// The side of the room that an array touches, as closely as its alignment allows.
enum class room_side { front, back };

// Makes rooms for arrays of at most `bytes`, indexed by argument. lay_out_in() aligns each array within its room as
// lay_out() does.
fenced_rooms fence_rooms(const contract& task, const std::vector<size_t>& bytes);
arena_layout lay_out_in(const fenced_rooms& rooms, const contract& task, const std::vector<array_geometry>& geometries,
                        room_side side);

} // namespace kevolve
