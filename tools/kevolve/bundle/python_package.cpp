// Fills the templates of bundle/python, and writes plan.json, by which they know the kernel.
#include "tools/kevolve/bundle/python_package.hpp"

#include "backends/judge/geometry.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/bundle/device_package.hpp"
#include "tools/kevolve/bundle/python_templates.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

constexpr std::string_view placeholder = "kevolve_package"; // stands in the templates for the package's name
constexpr uint32_t most_alignment = 64;                     // of the arrays that PyTorch allocates on a CPU
constexpr uint32_t most_device_alignment = 512;             // and on a GPU

std::string replaced(std::string_view text, std::string_view from, const std::string& to) {
  std::string out;
  for (;;) {
    const auto at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos)
      return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::string origin_of(const bundle_input& b, const argument& a) {
  const auto found = b.module->origins.find(a.name);
  return found == b.module->origins.end() ? "" : to_string(found->second);
}

json fill_json(const fill_rule& f) {
  return {{"distribution", f.distribution},
          {"mean", f.mean},
          {"std", f.std},
          {"low", f.low},
          {"high", f.high},
          {"of", f.of},
          {"hit", f.hit}};
}

json tolerance_json(const tolerance& t) {
  return {{"mode", to_string(t.mode)}, {"relative", t.relative}, {"absolute", t.absolute}, {"limit", t.limit}};
}

json arguments_json(const bundle_input& b) {
  auto out = json::array();
  for (const auto& a : b.task.arguments)
    out.push_back({{"name", a.name},
                   {"role", to_string(a.role)},
                   {"dtype", to_string(a.type)},
                   {"shape", a.shape},
                   {"origin", or_null(origin_of(b, a))},
                   {"align", std::max<uint32_t>(a.align, 1)},
                   {"value", a.has_value ? json(a.value) : json(nullptr)},
                   {"fill", fill_json(a.fill)},
                   {"tolerance", tolerance_json(tolerance_for(b.task, a))}});
  return out;
}

json cases_json(const bundle_input& b) {
  auto out = json::array();
  const auto choices = kernel_choices(b);
  for (size_t i = 0; i < b.task.shapes.size(); ++i) {
    const auto& s = b.task.shapes[i];
    auto& x = out.emplace_back(json{{"name", s.name}, {"sizes", s.sizes}, {"held_out", s.held_out}});
    if (!b.kernels.empty())
      x["kernel"] = choices[i] ? json(*choices[i]) : json(nullptr);
  }
  return out;
}

// Returns the names of programs to look for, the compiler of the measurement first.
std::vector<std::string> compiler_names(const build_recipe& r, bool cpp) {
  const auto slash = r.compiler.rfind('/');
  const auto own = slash == std::string::npos ? r.compiler : r.compiler.substr(slash + 1);
  return {own, r.by_clang ? (cpp ? "clang++" : "clang") : (cpp ? "g++" : "gcc")};
}

json kernel_json(const bundle_input& b, const python_object& object) {
  const auto& r = b.kernel_build;
  return {{"device", "cpu"},
          {"machine", object.machine},
          {"features", object.features},
          {"object", "kernels/cpu.so"},
          {"source", "source/" + source_file("kernel", b.language)},
          {"prelude", "source/" + prelude_file(b.language)},
          {"compilers", compiler_names(r, is_cpp(b.language))},
          {"clang", r.clang_words},
          {"gcc", r.gcc_words},
          {"libraries", r.libraries},
          {"by_clang", r.by_clang}};
}

json all_kernels_json(const bundle_input& b, const python_object& object) {
  auto out = json::array();
  for (size_t i = 0; i < b.kernels.size(); ++i)
    out.push_back(device_kernel_json(b.kernels[i], i));
  if (b.kernels.empty())
    out.push_back(kernel_json(b, object));
  return out;
}

// Returns the version, whose local part names the campaign and the candidate.
std::string version_of(const bundle_input& b) {
  return b.version + "+" + (b.campaign.empty() ? "files" : b.campaign.substr(0, 8)) + "." + std::to_string(b.node);
}

json plan_json(const bundle_input& b, const std::string& name, const python_object& object) {
  auto derived = json::array();
  for (const auto& [symbol, text] : b.task.derived)
    derived.push_back(json::array({symbol, text}));
  return {{"name", name},
          {"version", version_of(b)},
          {"entry", b.task.entry},
          {"module", {{"entry", b.module->entry}, {"kind", b.module->kind}, {"training", false}}},
          {"any_size", !b.dispatches.empty()},
          {"arguments", arguments_json(b)},
          {"derived", std::move(derived)},
          {"cases", cases_json(b)},
          {"kernels", all_kernels_json(b, object)},
          {"measured",
           {{"campaign", b.campaign},
            {"candidate", b.node},
            {"speedup", b.speedup},
            {"final", b.final_confirmed},
            {"generator", b.generator}}}};
}

// Returns the sizes that follow from an array's shape: those that stand alone as an extent.
std::set<std::string> sizes_in_shapes(const contract& task) {
  std::set<std::string> out;
  for (const auto& a : task.arguments)
    if (is_array(a) && a.role != argument_role::output)
      out.insert(a.shape.begin(), a.shape.end());
  return out;
}

std::string why_unsupported(const bundle_input& b, const argument& a, const std::set<std::string>& known) {
  const auto quoted = "'" + a.name + "'";
  if (a.role == argument_role::inout)
    return quoted + " is changed in place, and operators of PyTorch return new arrays";
  if (!a.strides.empty())
    return quoted + " has strides of its own";
  if (!a.extent.empty())
    return quoted + " has a valid length that only a call knows";
  const auto most = b.kernels.empty() ? most_alignment : most_device_alignment;
  if (is_array(a) && a.align > most)
    return quoted + " needs arrays aligned to " + std::to_string(a.align) + " bytes, and PyTorch aligns to "
           + std::to_string(most);
  if (a.role == argument_role::scalar && !a.has_value && !is_floating(a.type))
    return quoted + " is a whole number without a fixed value";
  if (a.role == argument_role::size && !known.contains(a.name)
      && std::none_of(b.task.derived.begin(), b.task.derived.end(), [&](const auto& d) { return d.first == a.name; }))
    return "the size " + quoted + " follows from no array's shape";
  return {};
}

} // namespace

std::string lacks_python_package(const bundle_input& b) {
  if (!b.module)
    return "the task names no [module] that it was made from";
  if (b.module->training)
    return "it was judged in training mode, and the operator would not keep the statistics of the batches";
  const auto known = sizes_in_shapes(b.task);
  for (const auto& a : b.task.arguments)
    if (auto why = why_unsupported(b, a, known); !why.empty())
      return why;
  return {};
}

std::vector<std::string> features_for_compilers(const std::vector<std::string>& features) {
  static const std::set<std::string> others{"abm",    "adx",    "aes",   "bmi1",      "bmi2",   "f16c",      "fma",
                                            "gfni",   "lzcnt",  "movbe", "pclmulqdq", "popcnt", "pni",       "sha_ni",
                                            "sse4_1", "sse4_2", "ssse3", "vaes",      "xop",    "vpclmulqdq"};
  std::set<std::string> out;
  for (const auto& f : features)
    if (f.starts_with("avx") || f.starts_with("amx") || f.starts_with("asimd") || f.starts_with("sve")
        || f.starts_with("sme") || f == "fphp" || f == "i8mm" || f == "bf16" || f == "atomics" || others.contains(f))
      out.insert(f);
  return {out.begin(), out.end()};
}

std::vector<bundle_file> python_package(const bundle_input& b, const std::string& name, const python_object& object) {
  std::vector<bundle_file> out;
  for (const auto& t : python_templates()) {
    std::string path{t.name};
    if (b.kernels.empty() && path == "tests/test_device.py")
      continue;
    if (path.starts_with("package/"))
      path.replace(0, std::string_view{"package"}.size(), name);
    auto text = replaced(t.text, placeholder, name);
    if (path == "pyproject.toml")
      text = replaced(text, "0.0.0", version_of(b));
    out.push_back({std::move(path), std::move(text)});
  }
  out.push_back({name + "/plan.json", to_pretty_text(plan_json(b, name, object)) + "\n"});
  out.push_back({name + "/reference.py", b.module_source});
  for (auto& f : device_kernel_files(b, name))
    out.push_back(std::move(f));
  if (!b.kernels.empty())
    return out;
  out.push_back({name + "/source/" + source_file("kernel", b.language), b.kernel_source});
  out.push_back({name + "/source/" + prelude_file(b.language), b.kernel_build.prelude});
  out.push_back({name + "/kernels/cpu.so", object.bytes});
  return out;
}

} // namespace kevolve
