#include "backends/nvidia/runner/examination.hpp"

#include "backends/judge/numbers.hpp"
#include "backends/judge/shared_arena.hpp"

#include <algorithm>
#include <bit>

namespace kevolve::cuda {

namespace {

constexpr uint64_t outside_pattern = 0xc3c3'c3c3'c3c3'c3c3ULL;
constexpr uint64_t part_alignment = 256;

piece range(piece_kind kind, uint64_t from, uint64_t to, uint64_t pattern) {
  piece out;
  out.kind = kind;
  out.at = from;
  out.count = to - from;
  out.pattern = pattern;
  return out;
}

// Returns everything of the arena that this call's layout leaves free.
std::vector<piece> around(piece_kind kind, uint64_t used, arena_view arena) {
  return {range(kind, 0, arena.rotation, outside_pattern),
          range(kind, arena.rotation + used, arena.bytes, outside_pattern)};
}

// Returns false for more dimensions than the kernel has room for.
bool describe(const array_geometry& g, piece& out) {
  out.type = element_of(g.type);
  out.other_type = out.type;
  out.span = static_cast<uint64_t>(g.span);
  out.contiguous = g.contiguous ? 1 : 0;
  if (g.contiguous)
    return true;
  out.rank = static_cast<uint32_t>(g.dims.size());
  if (out.rank > most_dimensions)
    return false;
  for (uint32_t d = 0; d < out.rank; ++d) {
    out.dims[d] = static_cast<uint64_t>(g.dims[d]);
    out.strides[d] = static_cast<uint64_t>(g.strides[d]);
  }
  return true;
}

class inquiry {
public:
  inquiry(const contract& task, const input_set& set, const input_sets& inputs, const resident_set& where,
          uint64_t poison, arena_view arena)
      : task_(task), set_(set), inputs_(inputs), where_(where), poison_(poison), arena_(arena) {}

  examination run(bool full, rerun again) {
    for (const auto& p : around(piece_kind::holds, set_.layout.total, arena_))
      ask(p, examination::about::around, 0);
    const auto guards = guard_ranges(set_.layout);
    for (size_t i = 0; i < guards.size(); ++i)
      ask(range(piece_kind::holds, arena_.rotation + guards[i].first, arena_.rotation + guards[i].second,
                guard_of(i, poison_)),
          examination::about::bytes, 0);
    for (const auto& place : set_.layout.places)
      if (is_written(task_.arguments[place.argument]))
        output(place, full, again);
      else
        ask(moved(piece_kind::same, arena_.rotation + place.offset, place.bytes, where_.inputs[place.argument].at),
            examination::about::bytes, place.argument);
    return std::move(out_);
  }

private:
  void ask(const piece& p, examination::about what, size_t argument) {
    if (p.count == 0 && p.span == 0)
      return;
    out_.pieces.push_back(p);
    out_.questions.push_back({what, argument});
  }

  void output(const arena_place& place, bool full, rerun again) {
    const auto i = place.argument;
    const auto& a = task_.arguments[i];
    const auto& g = set_.data.geometries[i];
    const auto& expected = set_.expected[i];
    const auto elements = std::min(counted_elements(task_, set_, i), g.count);
    piece base;
    base.at = arena_.rotation + place.offset;
    if (!describe(g, base)) {
      out_.complete = false;
      return;
    }
    if (!g.contiguous) {
      auto gaps = base;
      gaps.count = static_cast<uint64_t>(g.count);
      gaps.kind = is_read(a) ? piece_kind::gaps_same : piece_kind::gaps_hold;
      gaps.pattern = poison_;
      gaps.other = where_.inputs[i].at;
      ask(gaps, examination::about::bytes, i);
    }
    base.count = static_cast<uint64_t>(elements);
    if (a.tail_untouched) {
      auto tail = base;
      tail.kind = piece_kind::gaps_hold;
      tail.pattern = poison_;
      ask(tail, examination::about::bytes, i);
    }
    if (is_floating(g.type) || expected.type != g.type)
      values(base, i, full);
    else
      bits(base, where_.expected[i].at, examination::about::output, i);
    const auto& own = where_.reference[i];
    if (full && (own.size != 0 || !set_.by_oracle))
      bits(base, own.size != 0 ? own.at : where_.expected[i].at, examination::about::reference_bits, i);
    if (again == rerun::keep)
      ask(kept(moved(piece_kind::keep, base.at, place.bytes, place.offset)), examination::about::nothing, i);
    if (again == rerun::compare) {
      auto same = kept(base);
      same.kind = piece_kind::equal;
      same.other = place.offset;
      ask(same, examination::about::rerun, i);
    }
  }

  static piece kept(piece p) {
    p.block = 1;
    return p;
  }

  void bits(piece p, uint64_t other, examination::about what, size_t i) {
    p.kind = piece_kind::equal;
    p.other = other;
    p.compact = 1;
    ask(p, what, i);
  }

  void values(piece p, size_t i, bool full) {
    const auto type = set_.data.geometries[i].type;
    const auto b = acceptance_bounds(type, rule_for_output(task_, inputs_, set_, i));
    const auto limits = limits_of(type);
    // An edge's tolerance may be as wide as the type: whether anything expected lies beyond that, the figures alone
    // tell.
    p.kind = full || inputs_.edge != edge_kind::none ? piece_kind::within_figures : piece_kind::within;
    p.other = where_.expected[i].at;
    p.other_type = element_of(set_.expected[i].type);
    p.compact = 1;
    p.absolute = b.absolute;
    p.relative = b.relative;
    p.mantissa_bits = limits.mantissa_bits;
    p.min_exponent = limits.min_exponent;
    ask(p, examination::about::output, i);
  }

  const contract& task_;
  const input_set& set_;
  const input_sets& inputs_;
  const resident_set& where_;
  uint64_t poison_;
  arena_view arena_;
  examination out_;
};

} // namespace

element element_of(dtype t) {
  switch (t) {
    case dtype::f16:
      return element::f16;
    case dtype::bf16:
      return element::bf16;
    case dtype::f32:
      return element::f32;
    case dtype::f64:
      return element::f64;
    default:
      break;
  }
  switch (size_bytes(t)) {
    case 1:
      return element::bytes1;
    case 2:
      return element::bytes2;
    case 4:
      return element::bytes4;
    default:
      return element::bytes8;
  }
}

piece moved(piece_kind kind, uint64_t at, uint64_t bytes, uint64_t other) {
  auto out = range(kind, at, at + bytes, 0);
  out.other = other;
  return out;
}

resident_set place_set(const input_set& set) {
  resident_set out;
  const auto add = [&](uint64_t size, const byte_buffer* here) -> resident_set::part {
    if (size == 0)
      return {};
    const auto at = out.bytes;
    out.bytes = (at + size + part_alignment - 1) / part_alignment * part_alignment;
    return {at, size, here == nullptr || here->empty() ? nullptr : here};
  };
  const auto arguments = set.data.geometries.size();
  for (size_t i = 0; i < arguments; ++i)
    out.inputs.push_back(add(set.input_bytes(i), &set.data.inputs[i]));
  for (size_t i = 0; i < arguments; ++i)
    out.expected.push_back(add(set.expected_bytes(i), i < set.expected.size() ? &set.expected[i].values : nullptr));
  for (size_t i = 0; i < arguments; ++i)
    out.reference.push_back(
        add(set.reference_bytes(i), i < set.reference_output.size() ? &set.reference_output[i] : nullptr));
  return out;
}

std::vector<piece> pieces_to_lay_out(const contract& task, const input_set& set, const resident_set& where,
                                     uint64_t poison, arena_view arena) {
  auto out = around(piece_kind::fill, set.layout.total, arena);
  const auto guards = guard_ranges(set.layout);
  for (size_t i = 0; i < guards.size(); ++i)
    out.push_back(range(piece_kind::fill, arena.rotation + guards[i].first, arena.rotation + guards[i].second,
                        guard_of(i, poison)));
  for (const auto& place : set.layout.places) {
    const auto at = arena.rotation + place.offset;
    if (is_read(task.arguments[place.argument]))
      out.push_back(moved(piece_kind::bring, at, place.bytes, where.inputs[place.argument].at));
    else
      out.push_back(range(piece_kind::fill, at, at + place.bytes, poison));
  }
  std::erase_if(out, [](const auto& p) { return p.count == 0; });
  return out;
}

examination pieces_to_check(const contract& task, const input_set& set, const input_sets& inputs,
                            const resident_set& where, uint64_t poison, arena_view arena, bool full, rerun again) {
  return inquiry{task, set, inputs, where, poison, arena}.run(full && inputs.edge == edge_kind::none, again);
}

examined read_findings(const examination& asked, const std::vector<finding>& found, const input_set& set) {
  examined out;
  out.complete = asked.complete;
  out.well = asked.complete && found.size() == asked.questions.size();
  for (size_t i = 0; i < found.size() && i < asked.questions.size(); ++i) {
    const auto& q = asked.questions[i];
    const auto& f = found[i];
    switch (q.what) {
      case examination::about::around:
        out.strayed = out.strayed || f.bad != 0;
        break;
      case examination::about::bytes:
        out.bytes_differ = out.bytes_differ || f.bad != 0;
        out.well = out.well && f.bad == 0;
        break;
      case examination::about::output:
        out.well = out.well && f.bad == 0;
        if (asked.pieces[i].kind == piece_kind::within_figures) {
          // Beyond the type's range an expected value stands for infinity: compare() knows how.
          out.well =
              out.well && std::bit_cast<double>(f.largest) <= limits_of(set.data.geometries[q.argument].type).largest;
          out.max_abs = std::max(out.max_abs, std::bit_cast<double>(f.max_abs));
          out.max_rel = std::max(out.max_rel, std::bit_cast<double>(f.max_rel));
          out.max_ulp = std::max(out.max_ulp, std::bit_cast<double>(f.max_ulp));
        }
        break;
      case examination::about::reference_bits:
        out.bit_equal = out.bit_equal && f.bad == 0;
        break;
      case examination::about::rerun:
        if (f.bad != 0 && !out.differs)
          out.differs = q.argument;
        break;
      case examination::about::nothing:
        break;
    }
  }
  return out;
}

} // namespace kevolve::cuda
