#include "config/task.hpp"

#include "config/task_sections.hpp"

#include <filesystem>

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
  read_beside(path, draft.oracle_file, "oracle.file", spec.oracle_path, spec.oracle_source, errors);
  if (const auto& name = draft.module_table.file; !name.empty() && !errors.concerns("module")) {
    std::string module_path;
    read_beside(path, name, "module.file", module_path, spec.files[name], errors);
  }
  if (!errors.empty())
    return tl::unexpected(errors.take());
  for (auto& shape : spec.task.shapes)
    shape.name = shape_name(spec.task, shape);
  return std::move(spec);
}

} // namespace kevolve
