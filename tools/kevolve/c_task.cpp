#include "tools/kevolve/c_task.hpp"

#include "backends/generators/transform/analysis/signature.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/kinds.hpp"
#include "tools/kevolve/c_tolerance.hpp"
#include "tools/kevolve/client/reference_check.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;
using transform::parameter_use;
using transform::scalar_kind;

struct c_argument {
  transform::inferred_parameter from;
  std::string dtype;
};

// Returns the dtype of a task for an element's C type; empty if tasks have none.
std::string dtype_of(scalar_kind k) {
  switch (k) {
    case scalar_kind::boolean:
      return "bool";
    case scalar_kind::i8:
      return "i8";
    case scalar_kind::u8:
      return "u8";
    case scalar_kind::i32:
      return "i32";
    case scalar_kind::i64:
      return "i64";
    case scalar_kind::f16:
      return "f16";
    case scalar_kind::f32:
      return "f32";
    case scalar_kind::f64:
      return "f64";
    default:
      return {};
  }
}

// Returns the bytes of all arrays at these sizes; errc::bad_input if an extent overflows or is no number.
result<double> bytes_of(const std::vector<c_argument>& arguments, const std::map<std::string, int64_t>& sizes) {
  double out = 0.0;
  for (const auto& a : arguments) {
    if (a.from.shape.empty())
      continue;
    auto bytes = static_cast<double>(parse_dtype(a.dtype).transform(size_bytes).value_or(0));
    for (const auto& extent : a.from.shape) {
      const auto n = expression::parse(extent).and_then([&](const auto& e) { return e.evaluate(sizes); });
      if (!n)
        return fail(errc::bad_input, "'" + a.from.name + "': " + n.error().detail);
      bytes *= static_cast<double>(*n);
    }
    out += bytes;
  }
  return out;
}

bool is_float(const std::string& dtype) {
  return dtype.starts_with("f");
}

std::string role_of(parameter_use u) {
  switch (u) {
    case parameter_use::input:
      return "input";
    case parameter_use::output:
      return "output";
    case parameter_use::inout:
      return "inout";
    case parameter_use::size:
      return "size";
    default:
      return "scalar";
  }
}

// Asks in a terminal for the sizes that no flag gave.
void ask_for(const std::set<std::string>& missing, std::map<std::string, int64_t>& sizes) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0)
    return;
  for (const auto& name : missing) {
    print_err("size " + name + " = ");
    std::string line;
    int64_t value = 0;
    if (std::getline(std::cin, line)
        && std::from_chars(line.data(), line.data() + line.size(), value).ec == std::errc{})
      sizes[name] = value;
  }
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const auto& t : texts)
    out += (out.size() == 1 ? "" : ", ") + json(t).dump();
  return out + "]";
}

int line_of(const std::string& text, const std::string& entry) {
  for (const auto& [name, line] : functions_in(text))
    if (name == entry)
      return line;
  return 0;
}

std::string task_text(const new_options& o, const std::string& entry, const std::string& language,
                      const std::string& file, const std::vector<c_argument>& arguments,
                      const std::map<std::string, int64_t>& sizes, const std::string& reference, new_outcome& out) {
  const auto source = fs::path{o.file}.filename().string();
  std::vector<std::string> rules{
      "roles: const pointers are inputs; written ones outputs, or inouts if they are read first; integers that bound a "
      "loop "
      "or stand in a subscript are sizes",
      "shapes: from the subscripts over the loops; inputs are drawn from a normal distribution, integers from 0 to 9",
      tolerance_rule()};
  std::string text = "# Made from " + source + " by kevolve new. Edit it as you like; `kevolve task check` reads it.\n";
  for (const auto& r : rules)
    text += "# " + r + "\n";
  text += fmt::format("\n[task]\nname = \"{}\"\nfamily = \"{}\"\nsummary = {}\n", o.name, o.name,
                      json(entry + "() of " + source).dump());
  auto shown = json::array();
  for (const auto& a : arguments) {
    const auto role = role_of(a.from.use);
    text += fmt::format("\n[[argument]]\nname = \"{}\"\nrole = \"{}\"\n", a.from.name, role);
    if (role != "size")
      text += "dtype = \"" + a.dtype + "\"\n";
    if (role == "scalar")
      text += is_float(a.dtype) ? "range = [0.5, 2.0] # the values it is drawn from: edit it\n"
                                : "range = [1, 8] # the values it is drawn from: edit it\n";
    else if (role != "size")
      text += "shape = " + quoted_list(a.from.shape) + "\n";
    if (is_float(a.dtype) && (role == "input" || role == "inout"))
      text += "edge = [\"zeros\"]\n";
    shown.push_back(
        {{"name", a.from.name},
         {"role", role},
         {"dtype", a.dtype},
         {"shape", a.from.shape},
         {"edge", is_float(a.dtype) && (role == "input" || role == "inout") ? json{"zeros"} : json::array()}});
  }
  std::string declared = "\n[[shape]]\n";
  std::string held_out = "\n# Judged, never shown to a generator.\n[[shape]]\nheld_out = true\n";
  for (const auto& [name, value] : sizes) {
    declared += name + " = " + std::to_string(value) + "\n";
    held_out += name + " = " + std::to_string(std::max<int64_t>(1, value / 2 + 1)) + "\n";
  }
  text += declared + (sizes.empty() ? "" : held_out);
  text += fmt::format("\n[reference]\nlanguage = \"{}\"\nfile = \"{}\"\nentry = \"{}\"\n", language, file, entry);
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const auto& a : arguments)
    if (is_float(a.dtype) && (a.from.use == parameter_use::output || a.from.use == parameter_use::inout))
      outputs.emplace_back(a.from.name, a.dtype);
  const auto there = o.force ? std::string{} : (fs::path{o.out} / (o.name + ".task.toml")).string();
  auto tolerances = tolerances_of({text, file, reference}, outputs, there);
  out.facts = {
      {"arguments", std::move(shown)}, {"sizes", sizes}, {"tolerances", std::move(tolerances.facts)}, {"rules", rules}};
  return text + tolerances.text;
}

// Gives arrays the extents of --extent x=rows*cols.
result<void> put_extents(const new_options& o, std::vector<c_argument>& arguments) {
  for (const auto& text : o.extents) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) {
      return a.from.name == name && a.from.use != parameter_use::size && a.from.use != parameter_use::scalar;
    });
    if (equals == std::string::npos || equals + 1 == text.size() || found == arguments.end())
      return fail(errc::bad_input, "--extent " + text + ": expected ARRAY=EXPRESSION, such as x=rows*cols");
    found->from.shape = {text.substr(equals + 1)};
  }
  return {};
}

} // namespace

result<void> make_c_task(const new_options& o, std::map<std::string, std::string>& files, new_outcome& out) {
  if (!o.inputs.empty() || !o.dynamic.empty() || o.train)
    return fail(errc::bad_input,
                "--input, --dynamic and --train are for Python files; sizes of a C function are given by --size");
  std::ifstream in{o.file, std::ios::binary};
  std::stringstream read;
  read << in.rdbuf();
  const auto text = read.str();
  auto given = sizes_of(o.sizes);
  if (!given)
    return tl::unexpected(given.error());
  auto sizes = std::move(*given);
  const auto refuse = [&](int line, std::string kind, std::string what, std::string remedy) {
    out.refusals.push_back({o.file, line, std::move(kind), std::move(what), std::move(remedy), {}});
    return result<void>{};
  };
  const auto defined = functions_in(text);
  auto entry = o.entry;
  if (entry.empty() && defined.size() == 1)
    entry = defined.front().first;
  if (entry.empty()) {
    std::string names;
    for (const auto& [name, line] : defined)
      names += (names.empty() ? "" : ", ") + name;
    return defined.empty()
               ? refuse(1, "entry", "defines no function that others may call", "define one that is not static")
               : refuse(defined[1].second, "entry", "defines several functions: " + names,
                        "choose one with --entry, and make the others static");
  }
  const bool in_cpp_file = fs::path{o.file}.extension() != ".c";
  const std::string language = in_cpp_file && text.find("extern \"C\"") != std::string::npos ? "cpp" : "c";
  const auto line = line_of(text, entry);
  const auto tree = syntax_tree_of(o.file, text, language, entry);
  if (!tree && tree.error().code != errc::bad_input)
    return tl::unexpected(tree.error());
  if (!tree) {
    const auto as_c = in_cpp_file && !is_cpp(language);
    const auto said = compiler_error(tree.error().detail);
    return refuse(said.first > 0 ? said.first : line, "compile", (as_c ? "does not compile as C: " : "") + said.second,
                  as_c ? "declare the function extern \"C\", or keep to what C has" : "correct the file");
  }
  const auto program = transform::read_function(text, *tree, entry);
  if (!program)
    return refuse(line, "function", program.error().detail, "give a function with counted loops over arrays");
  std::vector<c_argument> arguments;
  std::set<std::string> missing;
  for (auto& p : transform::infer_parameters(*program)) {
    auto dtype = dtype_of(p.element);
    if (p.use == parameter_use::size)
      missing.insert(p.name);
    if (dtype.empty() && p.use != parameter_use::size)
      return refuse(line, "dtype", "parameter '" + p.name + "' has a type that tasks do not have",
                    "use float, double, _Float16, int8_t, uint8_t, int32_t, int64_t or bool, and one level of pointer");
    arguments.push_back({std::move(p), std::move(dtype)});
  }
  if (auto put = put_extents(o, arguments); !put)
    return put;
  for (const auto& a : arguments)
    if (a.from.use != parameter_use::size && a.from.use != parameter_use::scalar && a.from.shape.empty())
      refuse(line, "shape", "the extents of '" + a.from.name + "' cannot be inferred: " + a.from.why_no_shape,
             "give them: --extent " + a.from.name + "=rows*cols");
  if (std::none_of(arguments.begin(), arguments.end(), [](const auto& a) {
        return a.from.use == parameter_use::output || a.from.use == parameter_use::inout;
      }))
    refuse(line, "output", "'" + entry + "' writes no array",
           "give a function that writes its result through a pointer");
  for (const auto& [name, value] : sizes)
    if (!missing.contains(name))
      return fail(errc::bad_input, "--size " + name + ": '" + entry + "' has no such size");
  for (const auto& [name, value] : sizes)
    missing.erase(name);
  if (out.refusals.empty() && !missing.empty()) {
    ask_for(missing, sizes);
    std::string flags;
    for (const auto& name : missing)
      if (!sizes.contains(name))
        flags += (flags.empty() ? "--size " : ",") + name + "=N";
    if (!flags.empty())
      refuse(line, "size", "the values of its sizes are not known", "give them: " + flags);
  }
  if (!out.refusals.empty())
    return {};
  const auto bytes = bytes_of(arguments, sizes);
  if (!bytes)
    return refuse(line, "size", "an extent has no value at these sizes: " + bytes.error().detail,
                  "give other values with --size");
  if (constexpr double gib = 1024.0 * 1024.0 * 1024.0; *bytes > o.memory_gib * gib)
    return refuse(line, "memory", fmt::format("its arrays take {:.4g} GiB at these sizes", *bytes / gib),
                  "give smaller values with --size, or allow more with --memory");
  const auto file = o.name + (is_cpp(language) ? ".cpp" : ".c");
  files[file] = text;
  files[o.name + ".task.toml"] = task_text(o, entry, language, file, arguments, sizes, text, out);
  return {};
}

} // namespace kevolve
