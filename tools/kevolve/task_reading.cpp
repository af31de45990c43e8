#include "tools/kevolve/task_reading.hpp"

#include "config/task_sections.hpp"
#include "config/task_weights.hpp"
#include "runtime/base/base64.hpp"

namespace kevolve {

namespace {

// Returns a text as it is; empty if there is none.
std::string exact_text(const json& x, const char* key) {
  const auto i = x.find(key);
  return i != x.end() && i->is_string() ? i->get<std::string>() : std::string{};
}

// Texts stand as they are, other files as an object with their bytes in base64.
std::map<std::string, std::string> others_told(const json& others) {
  std::map<std::string, std::string> out;
  for (const auto& [file, content] : others.items()) {
    if (content.is_string())
      out[file] = content.get<std::string>();
    else if (auto bytes = from_base64(exact_text(content, "base64")))
      out[file] = std::move(*bytes);
  }
  return out;
}

} // namespace

result<task_spec> task_told(const json& task) {
  const auto files = task.find("files");
  if (files == task.end() || !files->is_object())
    return fail(errc::unsupported, "the node is older than this kevolve and does not tell the task's files: update it");
  const auto text = exact_text(*files, "task");
  const std::string name = "the campaign's task";
  auto root = parse_document(text, name);
  if (!root)
    return fail(errc::unsupported, to_string(root.error().front()));
  error_list errors{name, *root};
  task_draft draft;
  {
    table_reader reader{*root, "", errors};
    declare_task(reader, draft);
  }
  check_task(draft, errors);
  if (const auto others = files->find("others"); others != files->end() && others->is_object())
    draft.spec.files = others_told(*others);
  if (const auto& weights = draft.module_table.weights; !weights.empty())
    attach_weights(draft, errors);
  if (!errors.empty())
    return fail(errc::unsupported,
                to_string(errors.take().front()) + "; the task was made for another version: use that one");
  auto out = std::move(draft.spec);
  out.text = text;
  out.reference_source = exact_text(*files, "reference");
  out.oracle_source = exact_text(*files, "oracle");
  const auto& shapes = task["shapes"];
  if (shapes.size() != out.task.shapes.size())
    return fail(errc::protocol, "the node tells other shapes than the task's file declares");
  for (size_t i = 0; i < shapes.size(); ++i)
    out.task.shapes[i].name = exact_text(shapes[i], "shape");
  return out;
}

} // namespace kevolve
