#include "backends/judge/geometry.hpp"

#include "backends/judge/random_stream.hpp"
#include "runtime/base/array_limits.hpp"

#include <algorithm>

namespace kevolve {

namespace {

result<int64_t> value_of(const argument& a, const std::string& text, const size_map& sizes,
                         const sum_function& sum_of) {
  auto e = expression::parse(text);
  if (!e)
    return fail(e.error().code, "argument '" + a.name + "': '" + text + "': " + e.error().detail);
  auto v = e->evaluate(sizes, sum_of);
  if (!v)
    return fail(v.error().code, "argument '" + a.name + "': '" + text + "': " + v.error().detail);
  return *v;
}

constexpr size_t page = 4096;
constexpr size_t fence_bytes = 4 * page; // more than one row before or behind, if rows are short

size_t round_up(size_t x, size_t to) {
  return (x + to - 1) / to * to;
}

size_t alignment_of(const argument& a) {
  return std::max<size_t>(a.align, size_bytes(a.type));
}

} // namespace

bool is_array(const argument& a) {
  return a.role != argument_role::size && a.role != argument_role::scalar;
}

bool is_read(const argument& a) {
  return a.role == argument_role::input || a.role == argument_role::weight || a.role == argument_role::inout;
}

bool is_written(const argument& a) {
  return a.role == argument_role::output || a.role == argument_role::inout;
}

result<array_geometry> resolve_geometry(const argument& a, const size_map& sizes, const sum_function& sum_of) {
  array_geometry g;
  g.type = a.type;
  g.count = 1;
  for (const auto& text : a.shape) {
    auto v = value_of(a, text, sizes, sum_of);
    if (!v)
      return tl::unexpected<failure>(v.error());
    if (*v < 0)
      return fail(errc::bad_input, "argument '" + a.name + "': extent '" + text + "' is " + std::to_string(*v));
    if (*v > 0 && g.count > max_array_elements / *v)
      return fail(errc::bad_input, "argument '" + a.name + "': with extent '" + text + "' at " + std::to_string(*v)
                                       + " it has more than " + std::to_string(max_array_elements)
                                       + " elements: make the shape smaller");
    g.dims.push_back(*v);
    g.count *= *v;
  }
  g.strides.assign(g.dims.size(), 1);
  for (size_t i = g.dims.size(); i-- > 1;)
    g.strides[i - 1] = g.strides[i] * std::max<int64_t>(g.dims[i], 1);
  g.span = g.count;
  if (a.strides.empty())
    return g;

  if (a.strides.size() != g.dims.size())
    return fail(errc::bad_input, "argument '" + a.name + "': as many strides as dimensions are needed");
  for (size_t i = 0; i < g.dims.size(); ++i) {
    auto v = value_of(a, a.strides[i], sizes, sum_of);
    if (!v)
      return tl::unexpected<failure>(v.error());
    g.contiguous = g.contiguous && *v == g.strides[i];
    g.strides[i] = *v;
  }
  // Row-major order must hold, and elements must not share storage: each stride must cover the dimensions inside it.
  int64_t inner_span = 1;
  for (size_t i = g.dims.size(); i-- > 0;) {
    if (g.strides[i] < inner_span || (g.dims[i] > 0 && g.strides[i] > max_array_elements / g.dims[i]))
      return fail(errc::bad_input, "argument '" + a.name + "': stride '" + a.strides[i] + "' is "
                                       + std::to_string(g.strides[i]) + ", expected at least "
                                       + std::to_string(inner_span));
    inner_span = g.strides[i] * std::max<int64_t>(g.dims[i] - 1, 0) + inner_span;
  }
  g.span = g.count == 0 ? 0 : inner_span;
  return g;
}

void for_each_run(const array_geometry& g, int64_t elements,
                  const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  elements = std::min(elements, g.count);
  if (elements <= 0)
    return;
  if (g.contiguous) {
    visit(0, 0, elements);
    return;
  }
  const auto rank = g.dims.size();
  const auto inner = g.strides[rank - 1] == 1 ? g.dims[rank - 1] : 1;
  // Counts through the dimensions outside a run of unit stride.
  const auto outer_rank = inner == 1 && g.strides[rank - 1] != 1 ? rank : rank - 1;
  std::vector<int64_t> index(outer_rank, 0);
  for (int64_t logical = 0; logical < elements; logical += inner) {
    int64_t storage = 0;
    for (size_t i = 0; i < outer_rank; ++i)
      storage += index[i] * g.strides[i];
    visit(storage, logical, std::min(inner, elements - logical));
    for (size_t i = outer_rank; i-- > 0;) {
      if (++index[i] < g.dims[i])
        break;
      index[i] = 0;
    }
  }
}

arena_layout lay_out(const contract& task, const std::vector<array_geometry>& geometries, uint64_t placement) {
  constexpr size_t line = 64;
  arena_layout out;
  random_stream random{placement};
  size_t next = 0;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    if (!is_array(a))
      continue;
    const auto align = alignment_of(a);
    const auto from = round_up(next + guard_bytes, std::max(align, page));
    // Where the task promises less than a line, an array may begin within one.
    const auto step = std::min(align, line);
    const auto into_page = placement == 0 || align >= page ? 0 : round_up(step * random.below(page / step), align);
    out.places.push_back({i, from + into_page, geometries[i].bytes()});
    next = from + page + geometries[i].bytes();
  }
  out.total = round_up(next + guard_bytes, page);
  return out;
}

fenced_rooms fence_rooms(const contract& task, const std::vector<size_t>& bytes) {
  fenced_rooms out;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    if (!is_array(task.arguments[i]))
      continue;
    out.fences.emplace_back(out.total, out.total + fence_bytes);
    const auto from = out.fences.back().second;
    out.total = from + round_up(bytes[i], page);
    out.rooms.emplace_back(from, out.total);
    if (!is_written(task.arguments[i]))
      out.read_only.emplace_back(from, out.total);
  }
  out.fences.emplace_back(out.total, out.total + fence_bytes);
  out.total += fence_bytes;
  return out;
}

arena_layout lay_out_in(const fenced_rooms& rooms, const contract& task, const std::vector<array_geometry>& geometries,
                        room_side side) {
  arena_layout out;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    if (!is_array(a))
      continue;
    const auto& [from, to] = rooms.rooms[out.places.size()];
    const auto bytes = geometries[i].bytes();
    out.places.push_back({i, side == room_side::front ? from : to - round_up(bytes, alignment_of(a)), bytes});
  }
  out.total = rooms.total;
  return out;
}

byte_ranges guard_ranges(const arena_layout& layout) {
  byte_ranges out;
  size_t from = 0;
  for (const auto& p : layout.places) {
    out.emplace_back(from, p.offset);
    from = p.offset + p.bytes;
  }
  out.emplace_back(from, layout.total);
  return out;
}

} // namespace kevolve
