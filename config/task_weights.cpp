#include "config/task_weights.hpp"

#include "config/task_symbols.hpp"
#include "config/tensor_file.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/ids.hpp"

#include <optional>
#include <vector>

namespace kevolve {

namespace {

constexpr const char* key = "module.weights";

// Returns the name of the tensor that has an argument's values; empty if the origin has no name.
std::string tensor_name(const argument_origin& from) {
  return from.kind == origin_kind::input || from.kind == origin_kind::output ? std::string{} : from.name;
}

std::string text_of(const std::vector<int64_t>& shape) {
  std::string out;
  for (const auto n : shape)
    out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "[" + out + "]";
}

// Returns the names of the first few tensors.
std::string names_in(const std::map<std::string, stored_tensor>& tensors) {
  constexpr size_t most = 5;
  std::string out;
  size_t told = 0;
  for (auto t = tensors.begin(); t != tensors.end() && told < most; ++t, ++told)
    out += (out.empty() ? "" : ", ") + t->first;
  return tensors.empty() ? "none" : out + (tensors.size() > most ? ", …" : "");
}

// Returns the extents if they are the same for all sizes, else nothing.
std::optional<std::vector<int64_t>> fixed_shape(const argument& a) {
  std::vector<int64_t> out;
  for (const auto& text : a.shape) {
    const auto e = expression::parse(text);
    const auto n = e && e->names().empty() && e->summed().empty() ? e->evaluate({}) : result<int64_t>{0};
    if (!e || !e->names().empty() || !e->summed().empty() || !n)
      return std::nullopt;
    out.push_back(*n);
  }
  return out;
}

// Returns why a tensor cannot be the values of the argument; empty if it can.
std::string why_not(const argument& a, const stored_tensor& t) {
  const auto& d = a.fill.distribution;
  if (d != fill_name::normal && d != fill_name::uniform && d != fill_name::integer)
    return "'" + a.name + "' is drawn by '" + d + "': own values are for normal, uniform and integer";
  if (t.type != to_string(a.type))
    return "has elements of type " + t.type + ", and '" + a.name + "' of " + to_string(a.type);
  const auto shape = fixed_shape(a);
  if (!shape)
    return "has a fixed shape, and that of '" + a.name + "' depends on sizes";
  // A number is an array of one element.
  if (*shape != t.shape && !(t.shape.empty() && *shape == std::vector<int64_t>{1}))
    return "has shape " + text_of(t.shape) + ", and '" + a.name + "' " + text_of(*shape);
  return {};
}

} // namespace

bool is_weights_file(std::string_view name) {
  return name.ends_with(".safetensors");
}

void attach_weights(task_draft& draft, error_list& errors) {
  const auto& file = draft.module_table.weights;
  const auto tensors = read_tensors(draft.spec.files[file]);
  if (!tensors) {
    errors.add(key, "'" + file + "' " + tensors.error().detail);
    return;
  }
  size_t found = 0;
  auto& arguments = draft.spec.task.arguments;
  for (size_t i = 0; i < arguments.size() && i < draft.origins.size(); ++i) {
    const auto from = parse_origin(draft.origins[i]);
    const auto tensor = from ? tensors->find(tensor_name(*from)) : tensors->end();
    if (tensor == tensors->end() || !is_drawn(arguments[i]))
      continue;
    if (const auto wrong = why_not(arguments[i], tensor->second); !wrong.empty())
      errors.add(key, "'" + file + "': tensor '" + tensor->first + "' " + wrong);
    arguments[i].fill.of = "sha256:" + sha256_hex(tensor->second.bytes);
    ++found;
  }
  if (found == 0)
    errors.add(key, "'" + file + "' has no tensor of an argument's origin; it has: " + names_in(*tensors));
}

std::map<std::string, std::string> own_weights(const task_spec& spec) {
  std::map<std::string, std::string> out;
  const auto module = module_origins(spec.text);
  const auto file = module && !module->weights.empty() ? spec.files.find(module->weights) : spec.files.end();
  const auto tensors =
      file == spec.files.end() ? result<std::map<std::string, stored_tensor>>{} : read_tensors(file->second);
  if (!tensors)
    return out;
  for (const auto& [name, from] : module->origins)
    if (const auto tensor = tensors->find(tensor_name(from)); tensor != tensors->end())
      out.emplace(name, tensor->second.bytes);
  return out;
}

} // namespace kevolve
