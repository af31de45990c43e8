#include "tools/kevolve/load.hpp"

#include "config/document.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/submission.hpp"
#include "tools/kevolve/client/reference_check.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <filesystem>

namespace kevolve {

namespace {

enum class file_kind : uint8_t { unknown, task, campaign, node };

// By the keys that one kind alone has.
file_kind kind_of(const std::string& path) {
  auto text = read_text_file(path);
  auto root = text ? parse_document(*text, path) : tl::unexpected(text.error());
  if (!root)
    return file_kind::unknown;
  if (root->find("argument") || root->find("reference"))
    return file_kind::task;
  const auto* task = root->find("task");
  if (root->find("generator") || (task && task->what == document_value::kind::text))
    return file_kind::campaign;
  return root->find("data_dir") ? file_kind::node : file_kind::unknown;
}

// A file of another kind has nothing but unknown keys: what it is says more.
std::vector<diagnostic> or_its_kind(std::vector<diagnostic> errors, const std::string& path, file_kind wanted) {
  const auto found = kind_of(path);
  if (found == wanted || found == file_kind::unknown)
    return errors;
  const auto says = found == file_kind::task       ? "this is a task file: kevolve task check "
                    : found == file_kind::campaign ? "this is a campaign file: kevolve run "
                                                   : "this is a node's file: kevolved ";
  return {{path, 0, 0, "", says + path}};
}

} // namespace

std::vector<std::string> with_fresh(std::vector<std::string> overrides, bool fresh) {
  if (fresh)
    overrides.emplace_back("judge.fresh=true");
  return overrides;
}

void tell(const std::vector<diagnostic>& errors, bool json_wanted) {
  if (!json_wanted) {
    print_err(to_string(errors));
    return;
  }
  auto list = json::array();
  for (const auto& e : errors)
    list.push_back({{"file", e.file},
                    {"line", e.line > 0 ? json(e.line) : json(nullptr)},
                    {"column", e.line > 0 ? json(e.column) : json(nullptr)},
                    {"key", or_null(e.key)},
                    {"message", e.message}});
  print_out(to_text(json{{"ok", false}, {"errors", std::move(list)}}) + "\n");
}

std::optional<campaign_spec> load_campaign_or_tell(const std::string& path, const std::vector<std::string>& overrides,
                                                   bool json_wanted) {
  auto spec = load_campaign(path, overrides, of_this_build());
  if (spec) {
    // A reference that does not compile would be rejected by admission later, after the campaign has begun.
    const auto wrong = check_reference(spec->task);
    if (!wrong || wrong->empty())
      return std::move(*spec);
    tell(*wrong, json_wanted);
    return std::nullopt;
  }
  tell(or_its_kind(spec.error(), path, file_kind::campaign), json_wanted);
  return std::nullopt;
}

std::optional<task_spec> load_task_or_tell(const std::string& path, bool json_wanted) {
  auto task = load_task(path);
  if (task)
    return std::move(*task);
  tell(or_its_kind(task.error(), path, file_kind::task), json_wanted);
  return std::nullopt;
}

campaign_submission submission_of(const campaign_spec& spec) {
  std::error_code ec;
  campaign_submission out;
  out.name = spec.task.task.name;
  out.directory = std::filesystem::absolute(spec.path, ec).parent_path().string();
  out.spec = encode(spec);
  out.seed = spec.seed;
  return out;
}

id128 id_of_content(const campaign_spec& spec) {
  auto submission = submission_of(spec);
  submission.spec = identity_bytes(spec);
  submission.directory.clear();
  return campaign_id(submission);
}

campaign_spec spec_around(task_spec task, const std::string& target) {
  campaign_spec out;
  out.task = std::move(task);
  out.target = target;
  return out;
}

} // namespace kevolve
