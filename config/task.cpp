#include "config/task.hpp"

#include "config/task_sections.hpp"
#include "config/task_weights.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

// Reads a file that the task names; an error in it is reported at the task's key.
void read_beside(const std::string& task_path, const std::string& file, const std::string& key, std::string& path,
                 std::string& text, error_list& errors) {
  if (file.empty())
    return;
  path = (std::filesystem::path{task_path}.parent_path() / file).string();
  auto bytes = read_text_file(path);
  if (!bytes) {
    errors.add(key, "'" + path + "' " + bytes.error().front().message);
    return;
  }
  text = *bytes;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    errors.add(key, "'" + path + "' is empty");
}

// Returns "rows=4096 cols=1024", in the order of the parameters.
std::string shape_name(const contract& c, const shape_case& shape) {
  std::string out;
  for (const auto& a : c.arguments)
    if (auto size = shape.sizes.find(a.name); a.role == argument_role::size && size != shape.sizes.end())
      out += (out.empty() ? "" : " ") + a.name + "=" + std::to_string(size->second);
  return out.empty() ? "fixed" : out;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Returns the places of the word in the text.
std::vector<size_t> places_of(const std::string& text, const std::string& word) {
  std::vector<size_t> out;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_word(text[at - 1])) && (at + word.size() >= text.size() || !is_word(text[at + word.size()])))
      out.push_back(at);
  return out;
}

// Returns the heads of the for-loops: "int i = 0; i < n; ++i", by line.
std::vector<std::pair<uint32_t, std::string>> loop_heads(const std::string& source) {
  std::vector<std::pair<uint32_t, std::string>> out;
  for (const auto at : places_of(source, "for")) {
    const auto open = source.find('(', at);
    const auto end = open == std::string::npos ? open : source.find(';', open);
    if (end != std::string::npos)
      out.emplace_back(1 + std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(at), '\n'),
                       source.substr(open + 1, end - open - 1));
  }
  return out;
}

// An assertion about a loop names one that the reference has.
void check_asserted_loops(const task_spec& spec, error_list& errors) {
  const auto heads = loop_heads(spec.reference_source);
  std::string listed;
  for (const auto& [line, text] : heads)
    listed += (listed.empty() ? "" : ", ") + std::to_string(line);
  for (size_t i = 0; i < spec.task.assertions.size(); ++i) {
    const auto& a = spec.task.assertions[i];
    if (a.kind != assertion_kind::independent || (a.loop.empty() && a.line == 0))
      continue;
    const auto named = std::any_of(heads.begin(), heads.end(), [&](const auto& h) {
      return a.loop.empty() ? h.first == a.line : !places_of(h.second, a.loop).empty();
    });
    if (!named)
      errors.add("assert[" + std::to_string(i) + "]." + (a.loop.empty() ? "line" : "loop"),
                 (a.loop.empty() ? "no for-loop of the reference begins in line " + std::to_string(a.line)
                                 : "no for-loop of the reference has the variable '" + a.loop + "'")
                     + (listed.empty() ? "; it has none" : "; there are loops in lines " + listed));
  }
}

} // namespace

result_or_errors<task_spec> load_task(const std::string& path) {
  auto text = read_text_file(path);
  if (!text)
    return tl::unexpected(text.error());
  auto root = parse_document(*text, path);
  if (!root)
    return tl::unexpected(root.error());

  error_list errors{path, *root};
  task_draft draft;
  {
    table_reader reader{*root, "", errors};
    declare_task(reader, draft);
  }
  auto& spec = draft.spec;
  spec.path = path;
  spec.text = *text;
  check_task(draft, errors);
  read_beside(path, draft.reference_file, "reference.file", spec.reference_path, spec.reference_source, errors);
  check_asserted_loops(spec, errors);
  read_beside(path, draft.oracle_file, "oracle.file", spec.oracle_path, spec.oracle_source, errors);
  if (const auto& name = draft.module_table.file; !name.empty() && !errors.concerns("module")) {
    std::string module_path;
    read_beside(path, name, "module.file", module_path, spec.files[name], errors);
  }
  if (const auto& name = draft.module_table.weights; !name.empty() && !errors.concerns("module")) {
    const auto file = (std::filesystem::path{path}.parent_path() / name).string();
    auto bytes = read_text_file(file, max_weights_bytes);
    if (bytes) {
      spec.files[name] = std::move(*bytes);
      attach_weights(draft, errors);
    } else
      errors.add("module.weights", "'" + file + "' " + bytes.error().front().message);
  }
  if (!errors.empty())
    return tl::unexpected(errors.take());
  for (auto& shape : spec.task.shapes)
    shape.name = shape_name(spec.task, shape);
  return std::move(spec);
}

} // namespace kevolve
