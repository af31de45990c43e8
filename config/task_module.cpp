#include "config/task_module.hpp"

#include "config/task_sections.hpp"
#include "config/task_symbols.hpp"
#include "config/task_weights.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>

namespace kevolve {

namespace {

constexpr std::array<std::string_view, 5> kind_names{"input", "parameter", "buffer", "constant", "output"};

bool is_named(origin_kind k) {
  return k == origin_kind::parameter || k == origin_kind::buffer;
}

// Returns the roles that an argument of this origin may have, as a list for a person; empty if its role is one of them.
std::string other_roles(const argument_origin& from, argument_role role) {
  using enum argument_role;
  switch (from.kind) {
    case origin_kind::input:
      return role == input || role == weight || role == inout || role == scalar ? "" : "input, weight, inout or scalar";
    case origin_kind::parameter:
    case origin_kind::buffer:
      return role == weight || role == input ? "" : "weight or input";
    case origin_kind::constant:
      return role == scalar || role == weight || role == input ? "" : "scalar, weight or input";
    case origin_kind::output:
      return role == output ? "" : "output";
  }
  return {};
}

void check_origin(const argument& a, const std::string& text, const std::string& path, std::set<std::string>& seen,
                  error_list& errors) {
  const auto from = parse_origin(text);
  if (!from) {
    errors.add(
        path,
        "expected \"input N\", \"parameter NAME\", \"buffer NAME\", \"constant N [NAME]\" or \"output N\", found \""
            + text + "\"");
    return;
  }
  if (const auto roles = other_roles(*from, a.role); !roles.empty())
    errors.add(path, "\"" + text + "\" is for the role " + roles + ", and '" + a.name + "' is " + to_string(a.role));
  if (!seen.insert(to_string(*from)).second)
    errors.add(path, "another argument has the origin \"" + text + "\" already");
}

} // namespace

bool operator==(const argument_origin& a, const argument_origin& b) {
  return a.kind == b.kind && a.index == b.index && a.name == b.name;
}

std::string to_string(const argument_origin& x) {
  const std::string kind{kind_names[static_cast<size_t>(x.kind)]};
  if (is_named(x.kind))
    return kind + " " + x.name;
  return kind + " " + std::to_string(x.index) + (x.name.empty() ? "" : " " + x.name);
}

std::optional<argument_origin> parse_origin(const std::string& text) {
  const auto space = text.find(' ');
  const auto* kind = std::find(kind_names.begin(), kind_names.end(), text.substr(0, space));
  if (space == std::string::npos || kind == kind_names.end())
    return std::nullopt;
  argument_origin out;
  out.kind = static_cast<origin_kind>(kind - kind_names.begin());
  auto rest = text.substr(space + 1);
  if (const auto name = rest.find(' '); out.kind == origin_kind::constant && name != std::string::npos) {
    out.name = rest.substr(name + 1);
    rest.erase(name);
    if (out.name.empty())
      return std::nullopt;
  }
  if (rest.empty() || (rest + out.name).find_first_of(" \t\r\n") != std::string::npos)
    return std::nullopt;
  if (is_named(out.kind)) {
    out.name = rest;
    return out;
  }
  const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), out.index);
  if (wrong != std::errc{} || end != rest.data() + rest.size() || out.index < 0 || to_string(out) != text)
    return std::nullopt;
  return out;
}

void check_module(const task_draft& draft, error_list& errors) {
  const auto& arguments = draft.spec.task.arguments;
  std::set<std::string> seen;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& text = draft.origins[i];
    const auto path = indexed("argument", i) + ".origin";
    const auto is_size = arguments[i].role == argument_role::size;
    if (!text.empty() && !draft.has_module)
      errors.add(path, "only for tasks with a [module], the source that it refers to");
    else if (!text.empty() && is_size)
      errors.add(path, "a size has no origin: its value follows from the arrays' shapes");
    else if (!text.empty())
      check_origin(arguments[i], text, path, seen, errors);
    else if (draft.has_module && !is_size)
      errors.add(path, "missing: the part of the [module] that '" + arguments[i].name + "' stands for");
  }
  const auto& entry = draft.module_table.entry;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (draft.has_module && !entry.empty()
      && (std::isdigit(static_cast<unsigned char>(entry.front())) != 0
          || !std::all_of(entry.begin(), entry.end(), is_letter)))
    errors.add("module.entry", "'" + entry + "' is no name of a class or a function");
  const auto& file = draft.module_table.file;
  const auto& weights = draft.module_table.weights;
  for (const auto& [key, name] : {std::pair{"module.file", &file}, std::pair{"module.weights", &weights}})
    if (name->find('/') != std::string::npos || *name == "." || *name == "..")
      errors.add(key, "'" + *name + "' is no plain file name: the file stands beside the task file");
  if (!weights.empty() && !is_weights_file(weights))
    errors.add("module.weights", "'" + weights + "' does not end in .safetensors, the only format that is read");
}

std::optional<task_module> module_origins(const std::string& task_text) {
  const auto root = parse_document(task_text, "task");
  if (!root || root->find("module") == nullptr)
    return std::nullopt;
  error_list ignored{"task", *root};
  task_draft draft;
  {
    table_reader reader{*root, "", ignored};
    declare_task(reader, draft);
  }
  auto out = std::move(draft.module_table);
  for (size_t i = 0; i < draft.origins.size(); ++i)
    if (auto from = parse_origin(draft.origins[i]))
      out.origins.emplace(draft.spec.task.arguments[i].name, std::move(*from));
  return out;
}

} // namespace kevolve
