#include "backends/launch_plan/launch_plan.hpp"

#include "backends/launch_plan/plan_reader.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <map>

namespace kevolve {

namespace {

constexpr size_t most_kernels = 64;

const std::vector<std::string> map_types{"u8",  "u16", "u32",  "i32",     "u64",  "i64",     "f16",
                                         "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
const std::vector<std::string> interleaves{"none", "16b", "32b"};
const std::vector<std::string> swizzles{"none",         "32b", "64b", "128b", "128b_atom_32b", "128b_atom_32b_flip_8b",
                                        "128b_atom_64b"};
const std::vector<std::string> promotions{"none", "64b", "128b", "256b"};
const std::vector<std::string> fills{"none", "nan"};

uint32_t map_type_of(dtype t) {
  switch (t) {
    case dtype::f16:
      return 6;
    case dtype::bf16:
      return 9;
    case dtype::f32:
      return 7;
    case dtype::f64:
      return 8;
    case dtype::i32:
      return 3;
    case dtype::i64:
      return 5;
    default:
      return 0;
  }
}

class plan_parser {
public:
  plan_parser(const contract& task, std::vector<plan_problem>& problems) : task_(task), problems_(problems) {}

  launch_plan read(const toml::table& root) {
    {
      plan_table table{root, "", problems_};
      table.entries("sizes", [&](std::string name, std::string text) {
        plan_.sizes.emplace_back(std::move(name), std::move(text));
      });
      table.each("scratch", [&](plan_table& t) { read_scratch(t); });
      table.each("tensor_map", [&](plan_table& t) { read_map(t); });
      table.each("kernel", [&](plan_table& t) { read_kernel(t); });
      if (plan_.kernels.empty())
        table.complain("kernel", "a plan launches at least one [[kernel]]");
      check_names(root);
      check_symbols(root);
    }
    return std::move(plan_);
  }

private:
  void read_scratch(plan_table& t) {
    scratch_buffer s;
    s.name = t.text("name", true);
    s.bytes = t.quantity("bytes", "0", true);
    s.zeroed = t.flag("zeroed");
    plan_.scratch.push_back(std::move(s));
  }

  const argument* array_named(const std::string& name) const {
    const auto* a = find_argument(task_, name);
    return a != nullptr && a->role != argument_role::size && a->role != argument_role::scalar ? a : nullptr;
  }

  bool is_scratch(const std::string& name) const {
    return std::any_of(plan_.scratch.begin(), plan_.scratch.end(), [&](const auto& s) { return s.name == name; });
  }

  std::string buffers() const {
    std::string out;
    for (const auto& a : task_.arguments)
      if (array_named(a.name) != nullptr)
        out += (out.empty() ? "" : ", ") + a.name;
    for (const auto& s : plan_.scratch)
      out += ", " + s.name;
    return out;
  }

  void read_map(plan_table& t) {
    tensor_map_spec m;
    m.name = t.text("name", true);
    m.buffer = t.text("buffer", true);
    const auto* array = array_named(m.buffer);
    if (array == nullptr && !is_scratch(m.buffer) && t.has("buffer"))
      t.complain("buffer", "there is no buffer '" + m.buffer + "'; there are: " + buffers());
    m.offset = t.quantity("offset", "0");
    m.type = t.word("type", map_types, array == nullptr ? 0U : map_type_of(array->type));
    if (array == nullptr && !t.has("type"))
      t.complain("type", "the element type of a scratch buffer must be given");
    m.dims = t.quantities("dims", 1, 5, true);
    const auto rank = m.dims.size();
    m.strides = t.quantities("strides", rank == 0 ? 0 : rank - 1, rank == 0 ? 4 : rank - 1, rank > 1);
    m.box = t.quantities("box", rank, rank, true);
    m.element_strides = t.quantities("element_strides", rank, rank, false);
    if (m.element_strides.empty())
      m.element_strides.assign(rank, "1");
    m.interleave = t.word("interleave", interleaves, 0);
    m.swizzle = t.word("swizzle", swizzles, 0);
    m.l2_promotion = t.word("l2_promotion", promotions, 0);
    m.oob_fill = t.word("oob_fill", fills, 0);
    plan_.tensor_maps.push_back(std::move(m));
  }

  std::array<std::string, 3> extent(plan_table& t, const char* key, bool required) {
    auto given = t.quantities(key, 1, 3, required);
    std::array<std::string, 3> out{"1", "1", "1"};
    for (size_t i = 0; i < std::min(given.size(), out.size()); ++i)
      out[i] = std::move(given[i]);
    return out;
  }

  void read_kernel(plan_table& t) {
    kernel_step k;
    k.name = t.text("name", true);
    if (t.has("name") && (k.name.empty() || k.name.size() > 512))
      t.complain("name", "a kernel's symbol has 1 to 512 characters");
    k.grid = extent(t, "grid", true);
    k.block = extent(t, "block", true);
    k.cluster = extent(t, "cluster", false);
    k.shared = t.quantity("shared", "0");
    k.cooperative = t.flag("cooperative");
    t.items("arguments", true, [&](const toml::node& node, const std::string& path) {
      if (auto p = read_parameter(node, path))
        k.parameters.push_back(std::move(*p));
    });
    if (plan_.kernels.size() == most_kernels)
      return t.complain("name", "a plan launches at most " + std::to_string(most_kernels) + " kernels");
    plan_.kernels.push_back(std::move(k));
  }

  std::optional<kernel_parameter> named(const toml::node& node, const std::string& name, const std::string& path) {
    if (const auto* a = find_argument(task_, name))
      return kernel_parameter{array_named(name) != nullptr ? parameter_kind::buffer : parameter_kind::argument, name,
                              "0", a->role == argument_role::size ? dtype::i64 : a->type};
    if (is_scratch(name))
      return kernel_parameter{parameter_kind::buffer, name, "0", dtype::i64};
    for (const auto& m : plan_.tensor_maps)
      if (m.name == name)
        return kernel_parameter{parameter_kind::tensor_map, name, "0", dtype::i64};
    problems_.push_back(problem_at(node, path, "there is no argument, scratch buffer or tensor map '" + name + "'"));
    return std::nullopt;
  }

  // Accepts "x"
  // { buffer = "x", offset = "4*n" }
  // { type = "i32", value = "2*n" }
  // { null = true }.
  std::optional<kernel_parameter> read_parameter(const toml::node& node, const std::string& path) {
    if (const auto* text = node.as_string())
      return named(node, text->get(), path);
    const auto* table = node.as_table();
    if (table == nullptr) {
      problems_.push_back(problem_at(node, path, "expected a name or a table"));
      return std::nullopt;
    }
    plan_table t{*table, path, problems_};
    if (t.has("null")) {
      if (!t.flag("null"))
        t.complain("null", "can only be true");
      return kernel_parameter{parameter_kind::null_pointer, "", "0", dtype::i64};
    }
    if (t.has("buffer")) {
      auto out = named(node, t.text("buffer", true), path);
      auto offset = t.quantity("offset", "0");
      if (out && out->kind != parameter_kind::buffer) {
        t.complain("buffer", "'" + out->name + "' is no buffer");
        return std::nullopt;
      }
      if (out)
        out->value = std::move(offset);
      return out;
    }
    kernel_parameter p;
    p.kind = parameter_kind::number;
    const auto word = t.text("type", true);
    const auto type = parse_dtype(word);
    if (t.has("type") && (!type || is_floating(*type)))
      t.complain("type", "expected an integer type (i8, u8, i32, i64, bool), found '" + word + "'");
    p.type = type.value_or(dtype::i64);
    p.value = t.quantity("value", "0", true);
    return p;
  }

  void complain_at(const toml::table& root, std::string key, std::string message) {
    problems_.push_back(problem_at(root, std::move(key), std::move(message)));
  }

  void check_names(const toml::table& root) {
    std::map<std::string, int> seen;
    for (const auto& a : task_.arguments)
      ++seen[a.name];
    const auto claim = [&](const std::string& name, const std::string& key) {
      if (!is_plan_name(name))
        complain_at(root, key, "'" + name.substr(0, 64) + "' is no name: letters, digits and _, at most 64");
      else if (++seen[name] > 1)
        complain_at(root, key, "the name '" + name + "' is taken");
    };
    for (size_t i = 0; i < plan_.scratch.size(); ++i)
      claim(plan_.scratch[i].name, "scratch[" + std::to_string(i) + "].name");
    for (size_t i = 0; i < plan_.tensor_maps.size(); ++i)
      claim(plan_.tensor_maps[i].name, "tensor_map[" + std::to_string(i) + "].name");
    for (const auto& [name, text] : plan_.sizes)
      claim(name, "sizes." + name);
  }

  std::set<std::string> task_symbols() const {
    std::set<std::string> out;
    for (const auto& a : task_.arguments)
      if (a.role == argument_role::size)
        out.insert(a.name);
    for (const auto& [name, text] : task_.derived)
      out.insert(name);
    for (const auto& shape : task_.shapes)
      for (const auto& [name, value] : shape.sizes)
        out.insert(name);
    return out;
  }

  // Checks that the names in all expressions exist and that the plan's own sizes do not depend on themselves.
  void check_symbols(const toml::table& root) {
    const auto from_task = task_symbols();
    auto known = from_task;
    for (const auto& [name, text] : plan_.sizes)
      known.insert(name);
    const auto check = [&](const std::string& text, const std::string& key) {
      const auto parsed = expression::parse(text);
      if (!parsed)
        return;
      for (const auto& name : parsed->names())
        if (known.count(name) == 0) {
          std::string choices;
          for (const auto& k : known)
            choices += (choices.empty() ? "" : ", ") + k;
          complain_at(root, key, "'" + text + "': there is no size '" + name + "'; there are: " + choices);
        }
    };
    for (const auto& [name, text] : plan_.sizes)
      check(text, "sizes." + name);
    for (size_t i = 0; i < plan_.scratch.size(); ++i)
      check(plan_.scratch[i].bytes, "scratch[" + std::to_string(i) + "].bytes");
    for (size_t i = 0; i < plan_.tensor_maps.size(); ++i) {
      const auto& m = plan_.tensor_maps[i];
      const auto key = "tensor_map[" + std::to_string(i) + "].";
      check(m.offset, key + "offset");
      for (const auto* list : {&m.dims, &m.strides, &m.box, &m.element_strides})
        for (const auto& text : *list)
          check(text, key
                          + (list == &m.dims      ? "dims"
                             : list == &m.strides ? "strides"
                             : list == &m.box     ? "box"
                                                  : "element_strides"));
    }
    for (size_t i = 0; i < plan_.kernels.size(); ++i) {
      const auto& k = plan_.kernels[i];
      const auto key = "kernel[" + std::to_string(i) + "].";
      for (size_t d = 0; d < 3; ++d) {
        check(k.grid[d], key + "grid[" + std::to_string(d) + "]");
        check(k.block[d], key + "block[" + std::to_string(d) + "]");
        check(k.cluster[d], key + "cluster[" + std::to_string(d) + "]");
      }
      check(k.shared, key + "shared");
      for (size_t p = 0; p < k.parameters.size(); ++p)
        check(k.parameters[p].value, key + "arguments[" + std::to_string(p) + "]");
    }
    find_cycles(root, from_task);
  }

  void find_cycles(const toml::table& root, std::set<std::string> resolved) {
    auto open = plan_.sizes;
    for (bool progress = true; progress;) {
      progress = std::erase_if(open,
                               [&](const auto& entry) {
                                 const auto parsed = expression::parse(entry.second);
                                 const auto names = parsed ? parsed->names() : std::vector<std::string>{};
                                 // An unknown name is reported separately.
                                 const bool ready = std::all_of(names.begin(), names.end(), [&](const auto& n) {
                                   return std::none_of(open.begin(), open.end(), [&](const auto& o) {
                                     return o.first == n && resolved.count(n) == 0;
                                   });
                                 });
                                 if (ready)
                                   resolved.insert(entry.first);
                                 return ready;
                               })
                 > 0;
    }
    for (const auto& [name, text] : open)
      complain_at(root, "sizes." + name, "'" + text + "' depends on itself");
  }

  const contract& task_;
  std::vector<plan_problem>& problems_;
  launch_plan plan_;
};

} // namespace

std::string to_string(const std::vector<plan_problem>& problems) {
  std::string out;
  for (const auto& p : problems) {
    out += out.empty() ? "" : "\n";
    if (p.line > 0)
      out += std::to_string(p.line) + ":" + std::to_string(p.column) + ": ";
    out += (p.key.empty() ? "" : p.key + ": ") + p.message;
  }
  return out;
}

int tensor_map_type(std::string_view word) {
  const auto found = std::find(map_types.begin(), map_types.end(), word);
  return found == map_types.end() ? -1 : static_cast<int>(found - map_types.begin());
}

size_t tensor_map_element_bytes(uint32_t type) {
  constexpr std::array<size_t, 13> bytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return type < bytes.size() ? bytes.at(type) : 0;
}

launch_plan read_plan_table(const toml::table& root, const contract& task, std::vector<plan_problem>& problems) {
  return plan_parser{task, problems}.read(root);
}

tl::expected<launch_plan, std::vector<plan_problem>> parse_plan(std::string_view toml, const contract& task) {
  return read_plan_text(toml,
                        [&](const toml::table& root, auto& problems) { return read_plan_table(root, task, problems); });
}

} // namespace kevolve
