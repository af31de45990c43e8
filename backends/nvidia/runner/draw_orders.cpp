#include "backends/nvidia/runner/draw_orders.hpp"

#include "backends/judge/assertion_check.hpp"
#include "backends/judge/distributions.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/runner/examination.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace kevolve::cuda {

namespace {

void add_summed(const std::string& text, std::set<std::string>& to) {
  if (const auto e = expression::parse(text))
    for (const auto& name : e->summed())
      to.insert(name);
}

// Returns the names of arrays whose values the host needs: sums of them are sizes or work, or others are drawn by them.
std::set<std::string> read_on_host(const contract& task) {
  std::set<std::string> out;
  for (const auto& [name, text] : task.derived)
    add_summed(text, out);
  add_summed(task.work_flops, out);
  add_summed(task.work_bytes, out);
  for (const auto& a : task.arguments) {
    for (const auto* texts : {&a.shape, &a.strides})
      for (const auto& text : *texts)
        add_summed(text, out);
    if (!a.fill.of.empty())
      out.insert(a.fill.of);
  }
  for (const auto& a : task.assertions)
    if (!a.argument.empty())
      out.insert(a.argument);
  return out;
}

bool is_real(const argument& a) {
  return is_floating(a.type) && (a.fill.distribution == fill_name::normal || a.fill.distribution == fill_name::uniform);
}

void be_uniform(draw_order& o, double low, double high) {
  o.kind = draw_kind::uniform;
  o.first = low;
  o.second = high;
}

void be_constant(draw_order& o, double value) {
  o.kind = draw_kind::constant;
  o.first = value;
}

// Orders the declared distribution.
void be_as_declared(draw_order& o, const argument& a) {
  if (a.type == dtype::boolean) {
    o.kind = draw_kind::boolean;
  } else if (a.fill.distribution == fill_name::normal) {
    o.kind = draw_kind::normal;
    o.first = a.fill.mean;
    o.second = a.fill.std;
  } else if (a.fill.distribution == fill_name::uniform) {
    be_uniform(o, a.fill.low, a.fill.high);
  } else {
    constexpr double most = 0x1.0p62;
    o.kind = draw_kind::integer;
    o.low = static_cast<int64_t>(std::clamp(std::ceil(a.fill.low), -most, most));
    const auto high = static_cast<int64_t>(std::clamp(std::floor(a.fill.high), -most, most));
    o.range = high < o.low ? 1 : static_cast<uint64_t>(high - o.low) + 1;
  }
}

// Orders values whose differences, or deviations from the mean, lose their leading digits: values_that_cancel of
// backends/judge/distributions.cpp.
void be_cancelling(draw_order& o, const argument& a, uint32_t variant, random_stream random) {
  const bool uniform = a.fill.distribution == fill_name::uniform;
  const double low = uniform ? a.fill.low : a.fill.mean - a.fill.std;
  const double high = uniform ? a.fill.high : a.fill.mean + a.fill.std;
  if (variant % 2 == 0 && low < 0.0 && high > 0.0) {
    o.kind = draw_kind::pairs;
    o.first = std::min(-low, high);
    return;
  }
  const double far = a.type == dtype::f16 || a.type == dtype::bf16 ? 16.0 : 1000.0;
  const double width = high - low;
  const double spread = uniform ? width / far : width / 2.0;
  const double centre = uniform ? low + spread + (width - 2.0 * spread) * random.uniform()
                                : a.fill.mean + (random.below(2) == 0 ? far : -far) * width / 2.0;
  be_uniform(o, centre - spread, centre + spread);
}

// Returns false if the edge leaves the distribution as it is.
bool be_edge(draw_order& o, const argument& a, const draw_options& options) {
  const bool counts = a.fill.distribution == fill_name::integer;
  switch (options.edge) {
    case edge_kind::zeros:
      be_constant(o, counts ? std::clamp(0.0, a.fill.low, std::max(a.fill.low, a.fill.high)) : 0.0);
      return counts || is_real(a);
    case edge_kind::large:
      if (counts) {
        be_constant(o, a.fill.high);
        return true;
      }
      o.kind = draw_kind::large;
      o.second = std::log2(large_scale(a.type));
      o.variant = options.variant;
      return is_real(a);
    case edge_kind::denormal: {
      const auto scale = std::ldexp(1.0, limits_of(a.type).min_exponent);
      be_uniform(o, -scale, scale);
      return is_real(a);
    }
    case edge_kind::cancellation:
      be_cancelling(o, a, options.variant, random_stream{options.seed, o.stream});
      return is_real(a);
    case edge_kind::special:
      be_as_declared(o, a);
      o.kind = o.kind == draw_kind::normal ? draw_kind::special_normal : draw_kind::special_uniform;
      return is_real(a);
    default:
      return false;
  }
}

} // namespace

draw_key key_of(const std::string& secret, uint64_t seed, uint64_t variation) {
  const auto text = sha256_hex("kevolve draw/" + secret + "/" + std::to_string(seed) + "/" + std::to_string(variation));
  draw_key out{};
  for (size_t i = 0; i < out.size(); ++i)
    std::from_chars(text.data() + 8 * i, text.data() + 8 * (i + 1), out[i], 16);
  return out;
}

std::vector<bool> drawn_on_device(const contract& task) {
  const auto needed = read_on_host(task);
  std::vector<bool> out;
  for (const auto& a : task.arguments)
    out.push_back(is_array(a) && is_read(a) && a.shape.size() <= most_dimensions && !needed.contains(a.name)
                  && (a.type == dtype::boolean || is_real(a) || a.fill.distribution == fill_name::integer));
  return out;
}

attempt<call_data> draw_on_host(const judge_request& request, const shape_case& shape, draw_options& options) {
  const auto& task = request.task;
  options.elsewhere = drawn_on_device(task);
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (values_of(options.own, task.arguments[i]) != nullptr)
      options.elsewhere[i] = false;
  auto data = draw_call(task, shape, options);
  if (!data)
    return refusal({verdict::wrong_shape,
                    rule_name::inputs,
                    "shape '" + shape.name + "': " + data.error().detail,
                    {{"shape", shape.name}}});
  if (auto ok = hold_assertions(request, shape, *data); !ok)
    return tl::unexpected(ok.error());
  return std::move(*data);
}

draw_order order_for(const contract& task, size_t argument, const array_geometry& g, const draw_options& options,
                     const draw_secrets& secrets) {
  const auto& a = task.arguments[argument];
  draw_order out;
  const bool varied = options.varied == static_cast<int>(argument);
  const auto key = key_of(a.is_static ? secrets.of_static : secrets.of_set,
                          a.is_static ? options.static_seed : options.seed, varied ? options.variation | 1U : 0);
  std::copy(key.begin(), key.end(), out.key);
  out.stream = argument;
  out.type = element_of(g.type);
  out.count = static_cast<uint64_t>(g.count);
  out.span = static_cast<uint64_t>(g.span);
  out.contiguous = g.contiguous ? 1 : 0;
  out.rank = static_cast<uint32_t>(g.dims.size());
  for (size_t d = 0; d < g.dims.size(); ++d) {
    out.dims[d] = static_cast<uint64_t>(g.dims[d]);
    out.strides[d] = static_cast<uint64_t>(g.strides[d]);
  }
  // An array without rows gets its special values in groups.
  constexpr int64_t group = 64;
  const auto row = g.dims.empty() ? 1 : g.dims.back();
  out.row = static_cast<uint64_t>(
      std::max<int64_t>(options.edge == edge_kind::special && g.dims.size() == 1 ? std::min(row, group) : row, 1));
  const bool listed = std::find(a.edge.begin(), a.edge.end(), to_string(options.edge)) != a.edge.end();
  if (!listed || a.is_static || !be_edge(out, a, options))
    be_as_declared(out, a);
  return out;
}

} // namespace kevolve::cuda
