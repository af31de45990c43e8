#include "backends/launch_plan/plan_resolution.hpp"

#include "runtime/base/expression.hpp"

#include <algorithm>
#include <limits>

namespace kevolve {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40U;
constexpr uint64_t most_u32 = std::numeric_limits<uint32_t>::max();

class resolution {
public:
  resolution(const launch_plan& plan, const contract& task, const call_data& data)
      : plan_(plan), task_(task), data_(data), sizes_(data.sizes) {}

  tl::expected<resolved_plan, std::vector<std::string>> run() {
    evaluate_sizes();
    for (size_t i = 0; i < task_.arguments.size() && i < data_.geometries.size(); ++i)
      if (is_array(task_.arguments[i]))
        buffers_[task_.arguments[i].name] = data_.geometries[i].bytes();
    for (size_t i = 0; i < plan_.scratch.size(); ++i)
      add_scratch(plan_.scratch[i], "scratch[" + std::to_string(i) + "]");
    for (size_t i = 0; i < plan_.tensor_maps.size(); ++i)
      add_map(plan_.tensor_maps[i], "tensor_map[" + std::to_string(i) + "]");
    for (size_t i = 0; i < plan_.kernels.size(); ++i)
      add_launch(plan_.kernels[i], "kernel[" + std::to_string(i) + "]");
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(out_);
  }

private:
  void complain(const std::string& key, const std::string& message) { errors_.push_back(key + ": " + message); }

  // Evaluates sizes in the order of their dependences. Sizes in a cycle get no value.
  void evaluate_sizes() {
    auto open = plan_.sizes;
    for (bool progress = true; progress;)
      progress = std::erase_if(open,
                               [&](const auto& entry) {
                                 auto e = expression::parse(entry.second);
                                 auto v = e ? e->evaluate(sizes_) : result<int64_t>{tl::unexpected(e.error())};
                                 if (v)
                                   sizes_[entry.first] = *v;
                                 return v.has_value();
                               })
                 > 0;
    for (const auto& [name, text] : open) {
      auto e = expression::parse(text);
      auto v = e ? e->evaluate(sizes_) : result<int64_t>{tl::unexpected(e.error())};
      complain("sizes." + name, "'" + text + "': " + (v ? "" : v.error().detail));
    }
  }

  // Returns the value of an expression, between `least` and `most`.
  uint64_t value(const std::string& text, const std::string& key, uint64_t least, uint64_t most) {
    auto e = expression::parse(text);
    auto v = e ? e->evaluate(sizes_) : result<int64_t>{tl::unexpected(e.error())};
    if (!v)
      complain(key, "'" + text + "': " + v.error().detail);
    else if (*v < 0 || static_cast<uint64_t>(*v) < least || static_cast<uint64_t>(*v) > most)
      complain(key, "'" + text + "' is " + std::to_string(*v) + ", expected " + std::to_string(least) + " to "
                        + std::to_string(most) + (*v == 0 ? none_there(*e) : ""));
    else
      return static_cast<uint64_t>(*v);
    return least;
  }

  // Returns a hint if a size in the expression is 0 in this call, since the plan may be valid for all other calls.
  std::string none_there(const expression& e) const {
    for (const auto& name : e.names())
      if (const auto it = sizes_.find(name); it != sizes_.end() && it->second == 0)
        return ": " + name + " is 0 in this call, so write max(1, …) and let the kernel find nothing to do";
    return {};
  }

  void add_scratch(const scratch_buffer& s, const std::string& key) {
    resolved_scratch out{s.name, value(s.bytes, key + ".bytes", 1, most_bytes), s.zeroed};
    buffers_[out.name] = out.bytes;
    out_.scratch.push_back(std::move(out));
  }

  void add_map(const tensor_map_spec& m, const std::string& key) {
    const auto before = errors_.size();
    resolved_map out;
    out.name = m.name;
    out.buffer = m.buffer;
    out.offset = value(m.offset, key + ".offset", 0, most_bytes);
    out.type = m.type;
    const auto each = [&](const std::vector<std::string>& from, const std::string& what, uint64_t least, uint64_t most,
                          auto& to) {
      for (size_t i = 0; i < from.size(); ++i)
        to.push_back(static_cast<typename std::decay_t<decltype(to)>::value_type>(
            value(from[i], key + "." + what + "[" + std::to_string(i) + "]", least, most)));
    };
    each(m.dims, "dims", 1, uint64_t{1} << 32U, out.dims);
    each(m.strides, "strides", 16, (uint64_t{1} << 40U) - 1, out.strides);
    each(m.box, "box", 1, 256, out.box);
    each(m.element_strides, "element_strides", 1, 8, out.element_strides);
    out.interleave = m.interleave;
    out.swizzle = m.swizzle;
    out.l2_promotion = m.l2_promotion;
    out.oob_fill = m.oob_fill;
    if (errors_.size() == before)
      check_map(out, key);
    out_.maps.push_back(std::move(out));
  }

  // Checks the requirements of cuTensorMapEncodeTiled() in advance, and that the tensor lies inside its buffer.
  void check_map(const resolved_map& m, const std::string& key) {
    const auto element = tensor_map_element_bytes(m.type);
    const uint64_t align = m.interleave == 2 ? 32 : 16;
    if (m.offset % align != 0)
      complain(key + ".offset", std::to_string(m.offset) + " is no multiple of " + std::to_string(align));
    for (size_t i = 0; i < m.strides.size(); ++i)
      if (m.strides[i] % align != 0)
        complain(key + ".strides[" + std::to_string(i) + "]",
                 std::to_string(m.strides[i]) + " is no multiple of " + std::to_string(align));
    if (m.interleave != 0 && m.dims.size() < 3)
      complain(key + ".interleave", "needs at least 3 dims");
    const auto inner = m.box.front() * element;
    if (m.interleave == 0 && inner % 16 != 0)
      complain(key + ".box[0]", "spans " + std::to_string(inner) + " bytes, no multiple of 16");
    constexpr std::array<uint64_t, 7> spans{0, 32, 64, 128, 128, 128, 128};
    if (m.interleave == 0 && m.swizzle != 0 && inner > spans.at(m.swizzle))
      complain(key + ".box[0]",
               "spans " + std::to_string(inner) + " bytes; the swizzle allows " + std::to_string(spans.at(m.swizzle)));
    if (m.interleave == 2 && m.swizzle != 1)
      complain(key + ".swizzle", "interleave 32b needs swizzle 32b");
    if (m.oob_fill != 0 && m.type < 6)
      complain(key + ".oob_fill", "nan is for floating types");
    // Dimensions are at most 2^32, strides and buffers below 2^40, so the products fit in 128 bits.
    __extension__ using wide = unsigned __int128;
    auto last = static_cast<wide>(m.offset) + static_cast<wide>(m.dims[0]) * element;
    for (size_t i = 0; i < m.strides.size(); ++i)
      last += static_cast<wide>(m.dims[i + 1] - 1) * m.strides[i];
    const auto bytes = buffers_[m.buffer];
    if (last > bytes)
      complain(key + ".dims",
               "the tensor reaches past the end of '" + m.buffer + "', which has " + std::to_string(bytes) + " bytes");
  }

  void add_launch(const kernel_step& k, const std::string& key) {
    resolved_launch out;
    out.kernel = k.name;
    for (size_t d = 0; d < 3; ++d) {
      const auto at = "[" + std::to_string(d) + "]";
      out.grid[d] = static_cast<uint32_t>(value(k.grid[d], key + ".grid" + at, 1, most_u32));
      out.block[d] = static_cast<uint32_t>(value(k.block[d], key + ".block" + at, 1, most_u32));
      out.cluster[d] = static_cast<uint32_t>(value(k.cluster[d], key + ".cluster" + at, 1, most_u32));
    }
    out.shared = static_cast<uint32_t>(value(k.shared, key + ".shared", 0, most_u32));
    out.cooperative = k.cooperative;
    for (size_t i = 0; i < k.parameters.size(); ++i)
      out.parameters.push_back(parameter(k.parameters[i], key + ".arguments[" + std::to_string(i) + "]"));
    out_.launches.push_back(std::move(out));
  }

  resolved_parameter parameter(const kernel_parameter& p, const std::string& key) {
    resolved_parameter out{p.kind, p.name, 0, 8};
    if (p.kind == parameter_kind::buffer) {
      const auto bytes = buffers_[p.name];
      out.value = value(p.value, key, 0, most_bytes);
      if (out.value > bytes)
        complain(key, "offset " + std::to_string(out.value) + " is past the end of '" + p.name + "'");
    } else if (p.kind == parameter_kind::argument) {
      for (size_t i = 0; i < task_.arguments.size() && i < data_.by_value.size(); ++i)
        if (task_.arguments[i].name == p.name)
          out.value = data_.by_value[i];
      out.bytes = static_cast<uint32_t>(size_bytes(p.type));
    } else if (p.kind == parameter_kind::number) {
      out.bytes = static_cast<uint32_t>(size_bytes(p.type));
      out.value = number(p, key, out.bytes);
    } else if (p.kind == parameter_kind::tensor_map)
      out.bytes = 128;
    return out;
  }

  uint64_t number(const kernel_parameter& p, const std::string& key, uint32_t bytes) {
    auto e = expression::parse(p.value);
    auto v = e ? e->evaluate(sizes_) : result<int64_t>{tl::unexpected(e.error())};
    if (!v) {
      complain(key, "'" + p.value + "': " + v.error().detail);
      return 0;
    }
    const bool is_signed = p.type == dtype::i8 || p.type == dtype::i32 || p.type == dtype::i64;
    const auto bits = 8 * bytes - (is_signed ? 1U : 0U);
    const auto most = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
    const auto least = is_signed ? -most - 1 : 0;
    if (*v < least || *v > most)
      complain(key, "'" + p.value + "' is " + std::to_string(*v) + ", which a " + to_string(p.type) + " cannot hold");
    return static_cast<uint64_t>(*v);
  }

  const launch_plan& plan_;
  const contract& task_;
  const call_data& data_;
  size_map sizes_;
  std::map<std::string, uint64_t> buffers_;
  std::vector<std::string> errors_;
  resolved_plan out_;
};

} // namespace

tl::expected<resolved_plan, std::vector<std::string>> resolve_plan(const launch_plan& plan, const contract& task,
                                                                   const call_data& data) {
  return resolution{plan, task, data}.run();
}

std::vector<std::string> check_parameters(const resolved_plan& plan, const std::map<std::string, kernel_facts>& facts) {
  std::vector<std::string> out;
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const auto& l = plan.launches[i];
    const auto found = facts.find(l.kernel);
    if (found == facts.end() || !found->second.parameters_known)
      continue;
    const auto& wanted = found->second.parameters;
    const auto key = "kernel[" + std::to_string(i) + "].arguments";
    if (wanted.size() != l.parameters.size())
      out.push_back(key + ": '" + l.kernel + "' takes " + std::to_string(wanted.size()) + " parameters, the plan has "
                    + std::to_string(l.parameters.size()));
    for (size_t p = 0; p < std::min(wanted.size(), l.parameters.size()); ++p)
      if (wanted[p] != l.parameters[p].bytes)
        out.push_back(key + "[" + std::to_string(p) + "]: '" + l.kernel + "' takes " + std::to_string(wanted[p])
                      + " bytes there, the plan passes " + std::to_string(l.parameters[p].bytes));
  }
  return out;
}

} // namespace kevolve
