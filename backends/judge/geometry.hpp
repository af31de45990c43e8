// Where every argument of one call lies: resolved sizes, strides, and places in the shared arena with guard
// bands between them. One layout serves candidate, baseline and reference, so all meet the same addresses.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace kevolve {

using sum_function = std::function<result<int64_t>(const std::string&)>;

// An array argument with its sizes resolved.
struct array_geometry {
  dtype type = dtype::f32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides; // in elements
  int64_t count = 0;            // elements
  int64_t span = 0;             // elements from the first to the last, gaps included
  bool contiguous = true;

  size_t bytes() const { return static_cast<size_t>(span) * size_bytes(type); }
  // Elements of one row along the first dimension; what an extent counts.
  int64_t row_count() const { return dims.empty() || dims[0] == 0 ? 1 : count / dims[0]; }
};

bool is_array(const argument& a);
bool is_read(const argument& a);    // input, weight, inout
bool is_written(const argument& a); // output, inout

// errc::bad_input if a shape is negative, too large, or its strides overlap.
result<array_geometry> resolve_geometry(const argument& a, const size_map& sizes, const sum_function& sum_of);

// Visits the storage ranges of the first `elements` logical elements in row-major order:
// visit(storage_offset, logical_offset, length), all in elements, each range of unit stride.
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

// Bytes of guard on each side of every array, at least.
inline constexpr size_t guard_bytes = 4096;

// `geometries` by argument index; entries of arguments that are no arrays are ignored. What a kernel gains can hang on
// how its arrays lie to each other in their pages. `placement` 0: all begin alike, as an allocator places large ones;
// else each begins where that draws it, as their alignment allows. The total is the same for all.
arena_layout lay_out(const contract& task, const std::vector<array_geometry>& geometries, uint64_t placement = 0);

// The byte ranges between and around the places, in order.
using byte_ranges = std::vector<std::pair<size_t, size_t>>;
byte_ranges guard_ranges(const arena_layout& layout);

// Rooms of whole pages, one for each array, with fences around them: pages that a process may lose the right to touch,
// for what is read beside an array shows in no output. A process fenced once can be called on every set that fits.
struct fenced_rooms {
  byte_ranges rooms;  // of the arrays, in the order of the arguments
  byte_ranges fences; // one before each room, and one behind the last
  size_t total = 0;
};

// An array fills its room from the first byte, or to the last, as near as its alignment allows.
enum class room_side { front, back };

// `bytes` by argument index: the most that one holds. Each is aligned within its room as lay_out() does.
fenced_rooms fence_rooms(const contract& task, const std::vector<size_t>& bytes);
arena_layout lay_out_in(const fenced_rooms& rooms, const contract& task, const std::vector<array_geometry>& geometries,
                        room_side side);

} // namespace kevolve
