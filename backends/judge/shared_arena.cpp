#include "backends/judge/shared_arena.hpp"

#include "backends/judge/numbers.hpp"
#include "backends/judge/pattern.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/judge/zygote/arena_mapping.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace kevolve {

namespace {

// NaN as f16, bf16, f32 and f64: a read past an array shows even if it is multiplied by zero.
constexpr uint64_t guard_pattern = 0xfff5'7ff9'fffb'7ffdULL;

// Commits the memory, so that missing memory is an error now and not a SIGBUS later. Uses huge pages if possible: a
// child maps them in microseconds, and timings do not depend on page placement. Returns 0 or errno.
int back(int fd, std::byte* base, size_t from, size_t to) {
  int error = 0;
#if defined(MADV_POPULATE_WRITE)
  if (madvise(base + from, to - from, MADV_POPULATE_WRITE) != 0)
#endif
    error = posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(to - from));
  constexpr int collapse = 25; // MADV_COLLAPSE, since Linux 6.1; the C library's headers are older
  if (error == 0)
    madvise(base + from, to - from, collapse);
  return error;
}

size_t up_to_huge_page(size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

// Visits the bytes of an array's storage that belong to none of its first `elements`: visit(from, to).
template <class Visit>
void for_each_gap(const array_geometry& g, int64_t elements, Visit visit) {
  const auto width = size_bytes(g.type);
  size_t next = 0;
  for_each_run(g, elements, [&](int64_t storage, int64_t, int64_t length) {
    const auto from = static_cast<size_t>(storage) * width;
    if (from > next)
      visit(next, from);
    next = from + static_cast<size_t>(length) * width;
  });
  if (next < g.bytes())
    visit(next, g.bytes());
}

} // namespace

uint64_t nan_poison(uint64_t random) {
  uint64_t out = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    const auto r = random >> (16 * lane);
    const auto value = (r & 0x8000U) | 0x7ff1U | (r & 0xcU);
    out |= (value & 0xffffU) << (16 * lane);
  }
  return out;
}

uint64_t guard_of(size_t i, uint64_t poison) {
  const auto pattern = mix_seed(poison, i + 1);
  const bool nan = (poison & 0x7ff0'7ff0'7ff0'7ff0ULL) == 0x7ff0'7ff0'7ff0'7ff0ULL;
  if (nan)
    return (nan_poison(pattern) & ~poison_signs) | (poison & poison_signs);
  // For accesses that NaN would hide from a comparison: larger than all data, as a float of any size and as an integer.
  const auto most = 0x7878'7878'7878'7878ULL | (pattern & 0x0303'0303'0303'0303ULL);
  return poison == 0 ? most | poison_signs : most;
}

shared_arena::~shared_arena() {
  if (base_ != nullptr)
    munmap(base_, capacity_);
  if (fd_ >= 0)
    close(fd_);
}

wire::child_status& shared_arena::status(int slot) {
  return *reinterpret_cast<wire::child_status*>(base_ + status_offset(slot));
}

result<void> shared_arena::replace(size_t capacity) {
  auto fd = memfd_create("kevolve-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return tl::unexpected<failure>(from_errno(errno, "the arena"));
  if (ftruncate(fd, static_cast<off_t>(capacity)) != 0
      || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    auto error = errno;
    close(fd);
    return tl::unexpected<failure>(from_errno(error, "sizing the arena"));
  }
  auto* base = map_arena_file(fd, capacity);
  if (base == MAP_FAILED) {
    auto error = errno;
    close(fd);
    return tl::unexpected<failure>(from_errno(error, "mapping the arena"));
  }
  if (base_ != nullptr)
    munmap(base_, capacity_);
  if (fd_ >= 0)
    close(fd_);
  fd_ = fd;
  base_ = static_cast<std::byte*>(base);
  capacity_ = capacity;
  backed_ = 0;
  return {};
}

result<void> shared_arena::prepare(size_t bytes) {
  const auto used = (bytes + page - 1) / page * page;
  const auto needed = used + 2 * page;
  const auto whole = up_to_huge_page(needed);
  // Leaves room to grow, so that tasks of similar size share the pages already faulted in.
  if (needed > capacity_)
    if (auto ok = replace(up_to_huge_page(needed + needed / 4)); !ok)
      return ok;
  if (whole > backed_) {
    if (auto error = back(fd_, base_, backed_, whole); error != 0)
      return tl::unexpected<failure>(from_errno(error, "memory for the arena"));
    backed_ = whole;
  } else if (backed_ / 2 > whole)
    backed_ = whole; // a task that needs much less returns the rest to the kernel
  used_ = used;
  guarded_from_ = used;
  // Clears all traces of earlier candidates, baselines and layouts, in the mapped part and in the room to grow.
  // Otherwise a process that reaches this memory could read its predecessors' results.
  std::memset(base_, 0, backed_);
  if (backed_ < capacity_
      && fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(backed_),
                   static_cast<off_t>(capacity_ - backed_))
             != 0)
    return tl::unexpected<failure>(from_errno(errno, "wiping the arena"));
  return {};
}

void shared_arena::clear_notes() {
  for (int slot = 0; slot < 2; ++slot)
    status(slot) = {-1, 0, 0, 0, 0};
}

void shared_arena::guard_rest(size_t used) {
  if (used < guarded_from_)
    paint(base_, used, guarded_from_, guard_pattern);
  guarded_from_ = used;
}

bool shared_arena::rest_intact(size_t used) const {
  return holds(base_, used, used_, guard_pattern) && status_pages_intact();
}

// Only the end of a process writes its note, so the note of a living process must be empty.
bool shared_arena::status_pages_intact() const {
  for (int slot = 0; slot < 2; ++slot) {
    const auto from = status_offset(slot);
    wire::child_status note = {};
    std::memcpy(&note, base_ + from, sizeof(note));
    if (note.system_call != -1 || note.reserved != 0)
      return false;
    if (note.fault_address != 0 || note.fault_in_arena != 0 || note.memory_exhausted != 0)
      return false;
    if (!holds(base_, from + sizeof(note), from + page, 0))
      return false;
  }
  return true;
}

call_memory::call_memory(const contract& task, const call_data& data, const arena_layout& layout, shared_arena& arena)
    : task_(task), data_(data), layout_(layout), shared_(arena), arena_(arena.data()) {}

void call_memory::expect(uint64_t poison) {
  poison_ = poison;
  shared_.clear_notes();
  shared_.guard_rest(layout_.total);
}

void call_memory::set_up(uint64_t poison, bool inputs_there) {
  expect(poison); // comes first, so that the caches saw the arguments last
  const auto guards = guard_ranges(layout_);
  for (size_t i = 0; i < guards.size(); ++i)
    paint(arena_, guards[i].first, guards[i].second, guard_of(i, poison_));
  for (const auto& place : layout_.places) {
    const auto& a = task_.arguments[place.argument];
    const auto& input = data_.inputs[place.argument];
    if (inputs_there && !is_written(a))
      continue;
    if (is_read(a))
      std::copy_n(input.data(), place.bytes, arena_ + place.offset); // copies nothing for a size of 0
    else
      paint(arena_, place.offset, place.offset + place.bytes, poison);
  }
}

void call_memory::fill_values(uint64_t* values) const {
  std::copy(data_.by_value.begin(), data_.by_value.end(), values);
  for (const auto& place : layout_.places)
    values[place.argument] = place.offset;
}

std::optional<std::string> call_memory::mutated_input() const {
  for (const auto& place : layout_.places) {
    const auto& a = task_.arguments[place.argument];
    if (is_written(a))
      continue;
    if (!same_bytes(arena_ + place.offset, data_.inputs[place.argument].data(), place.bytes))
      return a.name;
  }
  return std::nullopt;
}

bool call_memory::gaps_intact(const arena_place& place) const {
  const auto& a = task_.arguments[place.argument];
  const auto& g = data_.geometries[place.argument];
  if (g.contiguous)
    return true;
  bool ok = true;
  for_each_gap(g, g.count, [&](size_t from, size_t to) {
    if (is_read(a))
      ok = ok && std::memcmp(arena_ + place.offset + from, data_.inputs[place.argument].data() + from, to - from) == 0;
    else
      ok = ok && holds(arena_, place.offset + from, place.offset + to, poison_);
  });
  return ok;
}

std::optional<std::string> call_memory::broken_guard() const {
  const auto guards = guard_ranges(layout_);
  for (size_t i = 0; i < guards.size(); ++i)
    if (!holds(arena_, guards[i].first, guards[i].second, guard_of(i, poison_))) {
      const auto before = i < layout_.places.size() ? task_.arguments[layout_.places[i].argument].name : std::string{};
      const auto after = i > 0 ? task_.arguments[layout_.places[i - 1].argument].name : std::string{};
      if (after.empty())
        return "before '" + before + "'";
      return "after '" + after + "'" + (before.empty() ? "" : " or before '" + before + "'");
    }
  if (!shared_.rest_intact(layout_.total))
    return std::string{"far behind the last argument"};
  for (const auto& place : layout_.places)
    if (is_written(task_.arguments[place.argument]) && !gaps_intact(place))
      return "between the rows of '" + task_.arguments[place.argument].name + "'";
  return std::nullopt;
}

bool call_memory::tail_untouched(size_t argument, int64_t elements) const {
  for (const auto& place : layout_.places) {
    if (place.argument != argument)
      continue;
    bool ok = true;
    for_each_gap(data_.geometries[argument], elements, [&](size_t from, size_t to) {
      ok = ok && holds(arena_, place.offset + from, place.offset + to, poison_);
    });
    return ok;
  }
  return true;
}

std::optional<int64_t> call_memory::unwritten_nan(size_t argument, const expected_output& expected,
                                                  int64_t elements) const {
  const auto& g = data_.geometries[argument];
  if (!is_floating(g.type) || is_read(task_.arguments[argument]))
    return std::nullopt;
  const auto width = size_bytes(g.type);
  const auto base = static_cast<size_t>(array(argument) - arena_);
  std::optional<int64_t> first;
  for_each_run(g, elements, [&](int64_t storage, int64_t logical, int64_t n) {
    for (int64_t i = 0; i < n && !first; ++i) {
      const auto at = base + static_cast<size_t>(storage + i) * width;
      if (std::isnan(load_number(expected.type, expected.values.data(), logical + i))
          && holds(arena_, at, at + width, poison_))
        first = logical + i;
    }
  });
  return first;
}

const std::byte* call_memory::array(size_t argument) const {
  for (const auto& place : layout_.places)
    if (place.argument == argument)
      return arena_ + place.offset;
  return nullptr;
}

void call_memory::flush_caches() const {
#if defined(__x86_64__)
  constexpr size_t line = 64;
  for (size_t i = 0; i < layout_.total; i += line)
    _mm_clflush(arena_ + i);
  _mm_mfence();
#else
  // Reads a buffer four times as large as a large last-level cache.
  static byte_buffer sweep(size_t{256} << 20U);
  for (size_t i = 0; i < sweep.size(); i += 64)
    *reinterpret_cast<volatile std::byte*>(sweep.data() + i) = std::byte{1};
#endif
}

} // namespace kevolve
