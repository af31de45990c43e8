#include "backends/judge/call_data.hpp"

#include "backends/judge/chosen_values.hpp"
#include "backends/judge/distributions.hpp"
#include "backends/judge/numbers.hpp"
#include "runtime/base/edge_names.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kevolve {

namespace {

constexpr std::array edge_names{
    "none",       edge_name::zeros, edge_name::large, edge_name::denormal, edge_name::cancellation, edge_name::special,
    "adversarial"};

// Gaps between rows of an input are filled with NaN, so that a kernel that reads them shows it.
constexpr int gap_byte = 0xff;

bool needs_source(const fill_rule& f) {
  return f.distribution == fill_name::offsets || f.distribution == fill_name::sample_of;
}

byte_buffer scatter(const array_geometry& g, byte_buffer compact) {
  if (g.contiguous)
    return compact;
  byte_buffer out(g.bytes());
  if (!out.empty()) // memset takes no null pointer, even for zero bytes
    std::memset(out.data(), gap_byte, out.size());
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  for_each_run(g, g.count, [&](int64_t storage, int64_t logical, int64_t length) {
    std::memcpy(out.data() + storage * width, compact.data() + logical * width, static_cast<size_t>(length * width));
  });
  return out;
}

byte_buffer gather(const array_geometry& g, const byte_buffer& storage) {
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  byte_buffer out(static_cast<size_t>(g.count * width));
  for_each_run(g, g.count, [&](int64_t from, int64_t logical, int64_t length) {
    std::memcpy(out.data() + logical * width, storage.data() + from * width, static_cast<size_t>(length * width));
  });
  return out;
}

// Resolves sizes and arrays in the order of their dependences.
class drawing {
public:
  // Without options, no data are drawn.
  drawing(const contract& task, const shape_case& shape, const draw_options* options)
      : task_(task), outline_(options == nullptr), options_(outline_ ? draw_options{} : *options),
        done_(task.arguments.size(), false) {
    out_.sizes = shape.sizes;
    out_.geometries.resize(task.arguments.size());
    out_.inputs.resize(task.arguments.size());
    out_.by_value.resize(task.arguments.size(), 0);
  }

  result<call_data> run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (const auto& [name, text] : task_.derived) {
        if (out_.sizes.count(name) != 0)
          continue;
        auto made = derive(name, text);
        if (!made)
          return tl::unexpected<failure>(made.error());
        progress = progress || *made;
      }
      for (size_t i = 0; i < task_.arguments.size(); ++i) {
        if (done_[i])
          continue;
        auto made = draw(i);
        if (!made)
          return tl::unexpected<failure>(made.error());
        done_[i] = *made;
        progress = progress || *made;
      }
    }
    for (size_t i = 0; i < done_.size(); ++i)
      if (!done_[i])
        return fail(errc::bad_input, "argument '" + task_.arguments[i].name
                                         + "': its size or its data depends on something that is never resolved");
    return std::move(out_);
  }

private:
  bool known(const std::string& text) const {
    auto e = expression::parse(text);
    if (!e)
      return true; // the evaluation will report it
    for (const auto& name : e->names())
      if (out_.sizes.count(name) == 0)
        return false;
    for (const auto& name : e->summed()) {
      const auto* a = find_argument(task_, name);
      if (a != nullptr && !done_[index_of(a)])
        return false;
    }
    return true;
  }

  size_t index_of(const argument* a) const { return static_cast<size_t>(a - task_.arguments.data()); }

  result<int64_t> sum_of(const std::string& name) const {
    const auto* a = find_argument(task_, name);
    if (a == nullptr || !is_array(*a) || !is_read(*a))
      return fail(errc::bad_input, "sum(" + name + "): no input of that name");
    if (outline_)
      return fail(errc::unsupported, "sum(" + name + ") is known once there are data");
    return sum_of_elements(out_.geometries[index_of(a)], out_.inputs[index_of(a)]);
  }

  result<bool> derive(const std::string& name, const std::string& text) {
    if (!known(text))
      return false;
    auto e = expression::parse(text);
    if (!e)
      return fail(errc::bad_input, "derived '" + name + "': " + e.error().detail);
    auto v = e->evaluate(out_.sizes, [this](const std::string& a) { return sum_of(a); });
    if (!v)
      return fail(v.error().code, "derived '" + name + "': " + v.error().detail);
    out_.sizes[name] = *v;
    return true;
  }

  result<bool> draw(size_t i) {
    const auto& a = task_.arguments[i];
    const auto seed = a.is_static ? options_.static_seed : options_.seed;
    random_stream random{options_.varied == static_cast<int>(i) ? mix_seed(seed, options_.variation | 1U) : seed, i};
    if (a.role == argument_role::size) {
      auto size = out_.sizes.find(a.name);
      if (size == out_.sizes.end())
        return false;
      out_.by_value[i] = static_cast<uint64_t>(size->second);
      return true;
    }
    if (a.role == argument_role::scalar) {
      auto x = a.has_value ? a.value : a.range_low + (a.range_high - a.range_low) * (outline_ ? 0.5 : random.uniform());
      if (const auto choice = choice_for(i); choice.pattern == value_pattern::all_equal)
        x = choice.value;
      out_.by_value[i] = by_value_bits(a.type, x);
      return true;
    }
    for (const auto& text : a.shape)
      if (!known(text))
        return false;
    for (const auto& text : a.strides)
      if (!known(text))
        return false;

    source_array source;
    byte_buffer source_values;
    if (!outline_ && is_read(a) && needs_source(a.fill)) {
      const auto* from = find_argument(task_, a.fill.of);
      if (from == nullptr || !is_read(*from) || !is_array(*from))
        return fail(errc::bad_input, "argument '" + a.name + "': no input named '" + a.fill.of + "' to draw from");
      if (!done_[index_of(from)])
        return false;
      const auto& g = out_.geometries[index_of(from)];
      // Varying the source array alone does not change the samples taken from it; new samples would lie at the same
      // positions.
      if (a.fill.distribution == fill_name::sample_of && options_.varied == static_cast<int>(index_of(from))
          && !needs_source(from->fill)) {
        random_stream unvaried{from->is_static ? options_.static_seed : options_.seed, index_of(from)};
        auto values = fill_array(*from, g.count, edge_for(*from, g), {}, unvaried);
        if (!values)
          return tl::unexpected<failure>(values.error());
        source_values = std::move(*values);
      } else
        source_values = gather(g, out_.inputs[index_of(from)]);
      source = {g.type, source_values.data(), g.count};
    }
    auto g = resolve_geometry(a, out_.sizes, [this](const std::string& name) { return sum_of(name); });
    if (!g)
      return tl::unexpected<failure>(g.error());
    if (!outline_ && is_read(a) && !(i < options_.elsewhere.size() && options_.elsewhere[i])) {
      const auto* own = values_of(options_.own, a);
      const auto choice = choice_for(i);
      auto values = own != nullptr ? copied_values(a, *own, g->count)
                    : choice.pattern == value_pattern::declared
                        ? fill_array(a, g->count, edge_for(a, *g), source, random)
                        : fill_chosen(a, choice, g->count, g->dims.empty() ? 1 : g->dims.back(), source, random);
      if (!values)
        return tl::unexpected<failure>(values.error());
      out_.inputs[i] = scatter(*g, std::move(*values));
    }
    out_.geometries[i] = std::move(*g);
    return true;
  }

  value_choice choice_for(size_t i) const {
    return i < options_.values.size() && !task_.arguments[i].is_static ? options_.values[i] : value_choice{};
  }

  edge_draw edge_for(const argument& a, const array_geometry& g) const {
    const auto& wanted = edge_names[static_cast<size_t>(options_.edge)];
    const bool listed = std::find(a.edge.begin(), a.edge.end(), wanted) != a.edge.end();
    const auto kind = listed && !a.is_static ? options_.edge : edge_kind::none;
    // A special value per row leaves other rows ordinary. An array without rows gets its values in groups.
    constexpr int64_t group = 64;
    const auto row = g.dims.empty() ? 1 : g.dims.back();
    return {kind, options_.variant, kind == edge_kind::special && g.dims.size() == 1 ? std::min(row, group) : row};
  }

  const contract& task_;
  bool outline_ = false;
  draw_options options_;
  std::vector<bool> done_;
  call_data out_;
};

bool is_promoted(dtype t) {
  return t == dtype::f16 || t == dtype::f32;
}

} // namespace

std::string to_string(edge_kind k) {
  return edge_names.at(static_cast<size_t>(k));
}

std::vector<edge_kind> edges_of(const contract& task) {
  std::vector<edge_kind> out;
  for (auto k : {edge_kind::zeros, edge_kind::large, edge_kind::denormal, edge_kind::cancellation, edge_kind::special})
    for (const auto& a : task.arguments)
      if (std::find(a.edge.begin(), a.edge.end(), to_string(k)) != a.edge.end()) {
        out.push_back(k);
        break;
      }
  return out;
}

size_t call_data::bytes() const {
  size_t out = 0;
  for (const auto& b : inputs)
    out += b.size();
  return out;
}

result<call_data> draw_call(const contract& task, const shape_case& shape, const draw_options& options) {
  return drawing{task, shape, &options}.run();
}

result<call_data> outline_call(const contract& task, const shape_case& shape) {
  return drawing{task, shape, nullptr}.run();
}

int64_t sum_of_elements(const array_geometry& g, const byte_buffer& storage) {
  int64_t sum = 0;
  for_each_run(g, g.count, [&](int64_t from, int64_t, int64_t length) {
    for (int64_t i = from; i < from + length; ++i)
      sum += load_integer(g.type, storage.data(), i);
  });
  return sum;
}

contract promoted(const contract& task) {
  auto out = task;
  for (auto& a : out.arguments)
    if (is_promoted(a.type))
      a.type = dtype::f64;
  return out;
}

call_data promoted(const contract& task, const call_data& data) {
  call_data out;
  out.sizes = data.sizes;
  out.geometries = data.geometries;
  out.by_value = data.by_value;
  out.inputs.resize(data.inputs.size());
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    const auto& a = task.arguments[i];
    if (a.role == argument_role::scalar && is_promoted(a.type)) {
      // The oracle must see the same value as the others, rounded to their type.
      const auto bits = data.by_value[i];
      out.by_value[i] = by_value_bits(dtype::f64, load_number(a.type, &bits, 0));
    }
    auto& g = out.geometries[i];
    if (is_array(a) && is_promoted(a.type))
      g.type = dtype::f64;
    if (data.inputs[i].empty())
      continue;
    out.inputs[i] = byte_buffer(g.bytes());
    if (g.type == a.type)
      std::memcpy(out.inputs[i].data(), data.inputs[i].data(), out.inputs[i].size());
    else
      for (int64_t k = 0; k < g.span; ++k)
        out.inputs[i].as<double>()[k] = load_number(a.type, data.inputs[i].data(), k);
  }
  return out;
}

uint64_t by_value_bits(dtype t, double x) {
  uint64_t out = 0;
  store_number(t, &out, 0, x);
  if (t == dtype::i8 || t == dtype::i32)
    out = static_cast<uint64_t>(load_integer(t, &out, 0)); // sign-extended as in a register
  return out;
}

} // namespace kevolve
