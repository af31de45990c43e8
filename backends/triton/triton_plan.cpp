#include "backends/triton/triton_plan.hpp"

#include "backends/launch_plan/plan_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace kevolve {

namespace {

using problem_list = std::vector<plan_problem>;

constexpr int64_t most_warps = 32;
constexpr int64_t most_stages = 16;
constexpr int64_t most_divisor = 4096;
constexpr std::string_view reserved = "kevolve_scratch_"; // prefix of our own names in the completed plan

// The parts of a plan that only the compiler needs. The rest is a plan of device code.
struct for_compiler {
  std::map<std::string, std::string> constants;
  std::vector<std::pair<uint32_t, uint32_t>> shapes; // warps and stages, by step
  std::vector<std::map<size_t, uint64_t>> divisible; // by step: argument index → a number that divides it
  std::map<std::string, dtype> scratch;              // element types of scratch buffers
};

std::string triton_type(dtype t) {
  switch (t) {
    case dtype::f16:
      return "fp16";
    case dtype::f32:
      return "fp32";
    case dtype::f64:
      return "fp64";
    case dtype::boolean:
      return "i1";
    default:
      return to_string(t);
  }
}

class taker {
public:
  taker(toml::table& root, problem_list& problems) : root_(root), problems_(problems) {}

  for_compiler take() {
    if (const auto* maps = root_.get("tensor_map"))
      complain(*maps, "tensor_map", "Triton makes them in the kernel: tl.make_tensor_descriptor");
    take_configurations();
    each_table("scratch", [&](toml::table& t, const std::string& path) { take_scratch(t, path); });
    each_table("kernel", [&](toml::table& t, const std::string& path) { take_kernel(t, path); });
    root_.erase("configuration");
    return std::move(out_);
  }

private:
  void complain(const toml::node& at, std::string path, std::string message) {
    problems_.push_back(problem_at(at, std::move(path), std::move(message)));
  }

  template <class Visit>
  void each_table(const char* key, const Visit& visit) {
    auto* list = root_.get_as<toml::array>(key);
    size_t i = 0;
    if (list != nullptr)
      for (auto& item : *list) {
        const auto path = std::string{key} + "[" + std::to_string(i++) + "]";
        if (auto* table = item.as_table())
          visit(*table, path);
      }
  }

  // Returns an integer from 1 to `most`; null if the key is absent or the value is invalid.
  std::optional<uint32_t> number(const toml::table& t, const char* key, int64_t most, bool power_of_two,
                                 const std::string& path) {
    const auto* node = t.get(key);
    if (node == nullptr)
      return std::nullopt;
    const auto* n = node->as_integer();
    const auto fits = n != nullptr && n->get() >= 1 && n->get() <= most;
    if (fits && (!power_of_two || (n->get() & (n->get() - 1)) == 0))
      return static_cast<uint32_t>(n->get());
    complain(*node, path + "." + key,
             std::string{"expected "} + (power_of_two ? "a power of two" : "an integer") + " from 1 to "
                 + std::to_string(most));
    return std::nullopt;
  }

  static std::string as_json(const toml::node& node) {
    if (const auto* n = node.as_integer())
      return std::to_string(n->get());
    if (const auto* b = node.as_boolean())
      return b->get() ? "true" : "false";
    if (const auto* s = node.as_string(); s != nullptr && is_plan_name(s->get()))
      return "\"" + s->get() + "\"";
    const auto* f = node.as_floating_point();
    if (f == nullptr || !std::isfinite(f->get()))
      return {};
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), f->get());
    std::string out{text.data(), end.ptr};
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
  }

  // Uses the first configuration. All must name the same constants, so that any of them may come first.
  void take_configurations() {
    const auto* node = root_.get("configuration");
    if (node != nullptr && !node->is_array_of_tables())
      return complain(*node, "configuration", "expected [[configuration]] tables");
    size_t i = 0;
    each_table("configuration", [&](const toml::table& t, const std::string& path) {
      std::map<std::string, std::string> constants;
      for (const auto& [key, value] : t) {
        const std::string name{key.str()};
        if (name == "num_warps" || name == "num_stages")
          continue;
        constants[name] = as_json(value);
        if (!is_plan_name(name) || constants[name].empty())
          complain(value, path + "." + name, "a constant is an integer, a number, true, false or a word");
      }
      const auto warps = number(t, "num_warps", most_warps, true, path);
      const auto stages = number(t, "num_stages", most_stages, false, path);
      if (i++ == 0) {
        warps_ = warps.value_or(warps_);
        stages_ = stages.value_or(stages_);
        out_.constants = std::move(constants);
        name_sizes(t);
      } else if (!std::equal(constants.begin(), constants.end(), out_.constants.begin(), out_.constants.end(),
                             [](const auto& x, const auto& y) { return x.first == y.first; }))
        complain(t, path, "every configuration gives the same constants as the first");
    });
  }

  // Makes the constants available as sizes, since a grid is counted in blocks of their size.
  void name_sizes(const toml::table& first) {
    root_.insert("sizes", toml::table{});
    auto* sizes = root_.get_as<toml::table>("sizes");
    for (const auto& [key, value] : first)
      if (const auto* n = value.as_integer(); n != nullptr && n->get() >= 0 && sizes != nullptr
                                              && out_.constants.count(std::string{key.str()}) == 1
                                              && !sizes->insert(key.str(), n->get()).second)
        complain(value, "configuration[0]." + std::string{key.str()}, "the name is taken by one of the sizes");
  }

  void take_scratch(toml::table& t, const std::string& path) {
    const auto* name = t.get_as<std::string>("name");
    const auto* type = t.get("dtype");
    if (name != nullptr && name->get().starts_with(reserved))
      complain(*name, path + ".name", "names that begin with " + std::string{reserved} + " are the compiler's");
    if (type == nullptr)
      return;
    const auto parsed = parse_dtype(type->value_or(std::string{}));
    if (!parsed)
      complain(*type, path + ".dtype", "expected one of f16 bf16 f32 f64 i8 u8 i32 i64 bool");
    else if (name != nullptr)
      out_.scratch[name->get()] = *parsed;
    t.erase("dtype");
  }

  void take_kernel(toml::table& t, const std::string& path) {
    constexpr std::array known{"name", "grid", "arguments", "num_warps", "num_stages"};
    for (const auto& [key, value] : t)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        complain(value, path + "." + std::string{key.str()},
                 "no key of a kernel in Triton; there are: name, grid, arguments, num_warps, num_stages. Block, "
                 "shared memory and clusters are the compiler's to say");
    if (const auto* name = t.get_as<std::string>("name"); name != nullptr && !is_plan_name(name->get()))
      complain(*name, path + ".name", "expected the name of a function");
    out_.shapes.emplace_back(number(t, "num_warps", most_warps, true, path).value_or(warps_),
                             number(t, "num_stages", most_stages, false, path).value_or(stages_));
    for (const auto* key : {"num_warps", "num_stages", "block", "shared", "cluster", "cooperative"})
      t.erase(key);
    t.insert("block", toml::array{1});
    auto& hints = out_.divisible.emplace_back();
    auto* arguments = t.get_as<toml::array>("arguments");
    for (size_t i = 0; arguments != nullptr && i < arguments->size(); ++i)
      if (auto* a = arguments->get_as<toml::table>(i)) {
        if (const auto n = number(*a, "divisible", most_divisor, true, path + ".arguments[" + std::to_string(i) + "]"))
          hints[i] = *n;
        a->erase("divisible");
      }
  }

  toml::table& root_;
  problem_list& problems_;
  for_compiler out_;
  uint32_t warps_ = 4;
  uint32_t stages_ = 3;
};

// Arguments begin at multiples of 64 bytes, scratch buffers at multiples of 1024.
uint64_t multiple_of_start(const std::string& offset) {
  uint64_t n = 0;
  const auto* end = offset.data() + offset.size();
  const auto read = std::from_chars(offset.data(), end, n);
  return read.ec == std::errc{} && read.ptr == end && n % 16 == 0 ? 16 : 1;
}

class typist {
public:
  typist(const contract& task, const for_compiler& told, const toml::table& root, problem_list& problems)
      : task_(task), told_(told), root_(root), problems_(problems) {}

  triton_kernel read(const kernel_step& step, size_t index) {
    triton_kernel out;
    out.name = step.name;
    out.constants = told_.constants;
    std::tie(out.warps, out.stages) = told_.shapes.at(index);
    for (size_t i = 0; i < step.parameters.size(); ++i) {
      const auto& p = step.parameters[i];
      out.types.push_back(type_of(p, "kernel[" + std::to_string(index) + "].arguments[" + std::to_string(i) + "]"));
      const auto& hints = told_.divisible.at(index);
      const auto hint = hints.find(i);
      out.divisible.push_back(hint != hints.end()                ? hint->second
                              : p.kind == parameter_kind::buffer ? multiple_of_start(p.value)
                                                                 : 1);
    }
    return out;
  }

private:
  std::string type_of(const kernel_parameter& p, const std::string& path) {
    if (p.kind == parameter_kind::argument || p.kind == parameter_kind::number)
      return triton_type(p.type);
    if (const auto* a = find_argument(task_, p.name); p.kind == parameter_kind::buffer && a != nullptr)
      return "*" + triton_type(a->type);
    if (const auto found = told_.scratch.find(p.name); p.kind == parameter_kind::buffer && found != told_.scratch.end())
      return "*" + triton_type(found->second);
    problems_.push_back(problem_at(root_, path,
                                   p.kind == parameter_kind::buffer
                                       ? "the scratch buffer '" + p.name + "' has no dtype"
                                       : "a null pointer has no type: leave the parameter to a constant"));
    return {};
  }

  const contract& task_;
  const for_compiler& told_;
  const toml::table& root_;
  problem_list& problems_;
};

void add_kernel(triton_plan& out, triton_kernel k) {
  for (size_t i = 0; i < out.kernels.size(); ++i) {
    k.symbol = out.kernels[i].symbol;
    if (k == out.kernels[i])
      return out.launched.push_back(i);
  }
  k.symbol = k.name;
  const auto taken = [&] {
    return std::any_of(out.kernels.begin(), out.kernels.end(), [&](const auto& o) { return o.symbol == k.symbol; });
  };
  for (int n = 2; taken(); ++n)
    k.symbol = k.name + "_" + std::to_string(n);
  out.launched.push_back(out.kernels.size());
  out.kernels.push_back(std::move(k));
}

} // namespace

tl::expected<triton_plan, std::vector<plan_problem>> parse_triton_plan(std::string_view toml, const contract& task) {
  triton_plan out;
  auto plan = read_plan_text(toml, [&](toml::table& root, problem_list& problems) {
    const auto told = taker{root, problems}.take();
    auto rest = read_plan_table(root, task, problems);
    typist types{task, told, root, problems};
    for (size_t i = 0; problems.empty() && i < rest.kernels.size(); ++i)
      add_kernel(out, types.read(rest.kernels[i], i));
    return rest;
  });
  if (!plan)
    return tl::unexpected(std::move(plan.error()));
  out.plan = std::move(*plan);
  return out;
}

std::string completed_plan(std::string_view toml, const triton_plan& plan, const std::vector<triton_built>& built,
                           uint32_t threads_a_warp) {
  std::ostringstream text;
  const auto finish = [&](toml::table& root, problem_list& problems) {
    taker{root, problems}.take();
    auto& kernels = *root.get_as<toml::array>("kernel");
    for (size_t i = 0; i < kernels.size(); ++i) {
      auto& t = *kernels.get_as<toml::table>(i);
      const auto& b = built.at(plan.launched.at(i));
      t.insert_or_assign("name", plan.kernels.at(plan.launched.at(i)).symbol);
      t.insert_or_assign("block", toml::array{static_cast<int64_t>(b.warps) * threads_a_warp});
      t.insert_or_assign("shared", static_cast<int64_t>(b.shared));
      auto& arguments = *t.get_as<toml::array>("arguments");
      for (uint32_t place = 0; place < b.trailing; ++place)
        if (place == 0 && b.scratch_bytes > 0) {
          const auto name = std::string{reserved} + std::to_string(i);
          const auto& grid = plan.plan.kernels.at(i).grid;
          root.insert("scratch", toml::array{});
          root.get_as<toml::array>("scratch")->push_back(toml::table{
              {"name", name},
              {"bytes", "(" + grid[0] + ")*(" + grid[1] + ")*(" + grid[2] + ")*" + std::to_string(b.scratch_bytes)}});
          arguments.push_back(name);
        } else
          arguments.push_back(toml::table{{"null", true}});
    }
    text << root;
    return launch_plan{};
  };
  return read_plan_text(toml, finish) ? text.str() : std::string{};
}

} // namespace kevolve
