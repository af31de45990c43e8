// The arguments of a task file: their roles, types, shapes and values.
#include "config/section_checks.hpp"
#include "config/task_sections.hpp"
#include "runtime/base/edge_names.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kevolve {

namespace {

const std::vector<std::string> dtype_names{"f16", "bf16", "f32", "f64", "i8", "u8", "i32", "i64", "bool"};
const std::vector<std::string> role_names{"input", "output", "inout", "weight", "size", "scalar"};
const std::vector<std::string> distributions{fill_name::all.begin(), fill_name::all.end()};

fill_rule default_fill(dtype t) {
  fill_rule out;
  if (is_floating(t))
    return out;
  out.distribution = fill_name::integer;
  out.high = t == dtype::boolean ? 1.0 : 9.0;
  return out;
}

void declare_fill(section& s, fill_rule& x) {
  auto known = s.value("distribution", {.text = "how values are drawn", .required = true, .choices = distributions},
                       x.distribution);
  const auto& d = x.distribution;
  auto ranged = d == fill_name::uniform || d == fill_name::integer || d == fill_name::lengths;
  s.value("mean", {.text = "of normal"}, x.mean);
  s.value("std", {.text = "of normal: standard deviation", .low = 0.0}, x.std);
  auto low = s.value("low", {.text = "of uniform, integer, lengths (these two: inclusive)"}, x.low);
  auto high = s.value("high", {.text = "of uniform, integer, lengths (these two: inclusive)"}, x.high);
  s.value("of",
          {.text = "of offsets: the lengths argument whose exclusive prefix sum this is; the shape has one element "
                   "more, [\"rows + 1\"]",
           .fallback = "none"},
          x.of);
  std::string table;
  if (s.value("argument", {.text = "of sample_of: the earlier argument to draw from", .fallback = "none"}, table))
    x.of = table;
  s.value("hit", {.text = "of sample_of: share of values that are in the table", .low = 0.0, .high = 1.0}, x.hit);
  if (!known)
    return;
  only_for(s, "mean", d == fill_name::normal, "normal");
  only_for(s, "std", d == fill_name::normal, "normal");
  only_for(s, "low", ranged, "uniform, integer and lengths");
  only_for(s, "high", ranged, "uniform, integer and lengths");
  only_for(s, "of", d == fill_name::offsets, "offsets");
  only_for(s, "argument", d == fill_name::sample_of, "sample_of");
  only_for(s, "hit", d == fill_name::sample_of, "sample_of");
  if (d == fill_name::offsets && !s.has("of"))
    s.error("of", "missing: the lengths argument whose prefix sum this is");
  if (d == fill_name::sample_of && !s.has("argument"))
    s.error("argument", "missing: the argument to draw from");
  if (!ranged)
    return;
  if (x.low > x.high)
    s.error(low ? "low" : "high", "low is greater than high");
  if ((low || high) && d != fill_name::uniform && (x.low != std::floor(x.low) || x.high != std::floor(x.high)))
    s.error(low ? "low" : "high", d + " takes whole numbers");
  if (d == fill_name::lengths && x.low < 0.0)
    s.error("low", "a length is at least 0");
}

} // namespace

bool declare_argument(section& s, argument& a, std::string& origin) {
  s.value("name", {.text = "the C parameter's name", .required = true}, a.name);
  std::string role;
  if (s.value("role", {.text = "what the operator does with it", .required = true, .choices = role_names}, role))
    a.role = chosen<argument_role>(role_names, role);
  auto is_size = a.role == argument_role::size;
  auto is_scalar = a.role == argument_role::scalar;
  auto is_buffer = !is_size && !is_scalar;
  auto is_written = a.role == argument_role::output || a.role == argument_role::inout;
  auto role_known = !role.empty();

  std::string type;
  if (s.value("dtype", {.text = "element type; a size is an int64_t", .choices = dtype_names, .fallback = "none"},
              type))
    a.type = chosen<dtype>(dtype_names, type);
  else if (is_size)
    a.type = dtype::i64;
  else if (role_known && !s.has("dtype"))
    s.error("dtype", "missing: element type of '" + a.name + "'");
  if (is_size && s.has("dtype") && a.type != dtype::i64)
    s.error("dtype", "a size is always i64");

  auto shaped =
      s.value("shape", {.text = "extents, row-major: expressions over the size symbols", .expressions = true}, a.shape);
  if (role_known && is_buffer && !s.has("shape"))
    s.error("shape", "missing: extents of '" + a.name + "'");
  else if (role_known && is_buffer && shaped && a.shape.empty())
    s.error("shape", "needs at least one extent; a single element is [\"1\"]");

  a.fill = default_fill(a.type);
  s.table("fill", {.text = "how test data is drawn", .fallback = "normal, for integers 0 to 9"},
          [&](section& f) { declare_fill(f, a.fill); });
  s.value("strides", {.text = "in elements, one per extent", .expressions = true, .fallback = "contiguous"}, a.strides);
  s.value("extent",
          {.text = "the i64 output that holds the valid prefix's length; shape is the capacity", .fallback = "whole"},
          a.extent);
  std::string tail = "unspecified";
  s.value("tail", {.text = "elements past the extent", .choices = {"untouched", "unspecified"}}, tail);
  a.tail_untouched = tail == "untouched";
  int64_t align = a.align;
  if (s.value("align", {.text = "of the buffer, in bytes: a power of two", .low = 1, .high = 4096}, align)) {
    a.align = static_cast<uint32_t>(align);
    if ((align & (align - 1)) != 0 || a.align < size_bytes(a.type))
      s.error("align", "must be a power of two and at least the element's size");
  }
  s.value("alias", {.text = "the buffer may overlap others; not there yet"}, a.alias);
  if (a.alias)
    s.error("alias", not_there_yet(reserved_place::argument_setting, "alias"));
  s.value("edge",
          {.text = "extra correctness cases",
           .choices = {edge_name::zeros, edge_name::large, edge_name::denormal, edge_name::cancellation,
                       edge_name::special}},
          a.edge);
  for (const auto* kind : {edge_name::denormal, edge_name::cancellation, edge_name::special})
    if (!is_floating(a.type) && std::find(a.edge.begin(), a.edge.end(), kind) != a.edge.end())
      s.error("edge", "'" + std::string{kind} + "' is for floating types");
  std::string nonfinite = "refuse";
  s.value("nonfinite", {.text = "inf and NaN in the expected output", .choices = {"refuse", "match"}}, nonfinite);
  a.nonfinite_match = nonfinite == "match";
  s.value("static",
          {.text = "weight: the same in every call that a candidate sees; what it makes of it once is not timed"},
          a.is_static);

  a.has_value = s.value("value", {.text = "scalar: a fixed value", .fallback = "none"}, a.value);
  std::vector<double> range;
  if (s.value("range", {.text = "scalar: [low, high] it is drawn from", .fallback = "none"}, range)) {
    if (range.size() != 2 || range[0] > range[1])
      s.error("range", "expected [low, high] with low at most high");
    else {
      a.range_low = range[0];
      a.range_high = range[1];
    }
  }
  s.value("origin",
          {.text = "the part of the [module] that it stands for: \"input N\", \"parameter NAME\", \"buffer NAME\", "
                   "\"constant N [NAME]\" (NAME: the attribute that holds it) or \"output N\"",
           .fallback = "none"},
          origin);
  size_rule sizes;
  const bool least = s.value(
      "minimum", {.text = "size: the least value that the operator is defined for", .low = 0, .high = 1'000'000'000},
      sizes.least);
  const bool step = s.value(
      "multiple", {.text = "size: every value is a multiple of it", .low = 1, .high = 1'000'000'000}, sizes.step);
  if (least || step)
    set_size_rule(a, sizes);
  if (!role_known)
    return false;
  for (const auto* key : {"minimum", "multiple"})
    only_for(s, key, is_size, "sizes");
  if (is_scalar && !s.has("value") && !s.has("range"))
    s.error("value", "missing: a scalar has a value or a range");
  if (s.has("value") && s.has("range"))
    s.error("range", "a scalar has a value or a range, not both");
  for (const auto* key : {"value", "range"})
    only_for(s, key, is_scalar, "scalars");
  for (const auto* key : {"shape", "strides", "align", "alias", "edge"})
    only_for(s, key, is_buffer, "buffers; a size or scalar is passed by value");
  only_for(s, "fill", is_buffer && a.role != argument_role::output,
           is_scalar ? "buffers that are read; a scalar has 'value' or 'range'" : "buffers that are read");
  only_for(s, "extent", a.role == argument_role::output, "outputs");
  only_for(s, "tail", !a.extent.empty(), "outputs with an extent");
  only_for(s, "nonfinite", is_written, "outputs and inouts");
  only_for(s, "static", a.role == argument_role::weight, "weights");
  return true;
}

} // namespace kevolve
