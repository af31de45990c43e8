#include "runtime/node/admin/submission.hpp"

#include "backends/target.hpp"
#include "config/document.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 16;
constexpr size_t longest_name = 200;
constexpr size_t most_overrides = 256; // more than there are keys; each is compared with all before it

using errors = std::vector<problem_error>;

// A temporary folder that is removed with its contents.
struct scratch {
  scratch() {
    auto pattern = (fs::temp_directory_path() / "kevolve-submit-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr)
      path = pattern;
  }
  ~scratch() {
    std::error_code ec;
    if (!path.empty())
      fs::remove_all(path, ec);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  std::string path;
};

bool is_plain(const std::string& name) {
  if (name.empty() || name.size() > longest_name || name.front() == '/' || name.find('\0') != std::string::npos)
    return false;
  const fs::path path{name};
  return path.lexically_normal().generic_string() == name && *path.begin() != "..";
}

// Returns the text at a key such as reference.file; empty if there is none.
std::string text_at(const document_value& root, std::initializer_list<std::string_view> keys) {
  const auto* at = &root;
  for (auto key : keys) {
    at = at->find(key);
    if (at == nullptr)
      return {};
  }
  return at->what == document_value::kind::text ? at->text : std::string{};
}

// Returns a name in the bundle: names in a file are relative to that file, names in an override to the bundle's root.
std::string whole_name(const std::string& file, const std::string& named) {
  return (fs::path{file}.parent_path() / named).lexically_normal().generic_string();
}

// Checks that a file named by the bundle is in the bundle.
void check_named(const submitted_files& from, const std::string& file, const std::string& key, const std::string& named,
                 errors& out) {
  if (named.empty())
    return;
  auto whole = whole_name(file, named);
  if (fs::path{named}.is_absolute())
    out.push_back({"files", file + ": " + key + " is the absolute path '" + named + "', and files are sent under one "
                                + "folder: give it relative to " + file});
  else if (!is_plain(whole) || !from.files.contains(whole))
    out.push_back({"files", file + ": " + key + " names '" + named + "', which is not among the files that were sent"});
}

void append(errors& out, const std::vector<diagnostic>& from, const std::string& folder) {
  for (auto d : from) {
    if (d.file.starts_with(folder + "/"))
      d.file = d.file.substr(folder.size() + 1);
    auto text = to_string(d);
    for (auto at = text.find(folder + "/"); at != std::string::npos; at = text.find(folder + "/"))
      text.erase(at, folder.size() + 1);
    out.push_back({"files", std::move(text)});
  }
}

// Returns the task's name in the bundle, if the campaign names one.
std::string task_of(const submitted_files& from, const document_value& campaign, errors& out) {
  auto named = text_at(campaign, {"task"});
  const auto* value = campaign.find("task");
  if (named.empty() || value->origin.empty()) {
    check_named(from, from.file, "task", named, out);
    return named.empty() ? named : whole_name(from.file, named);
  }
  if (!is_plain(named) || !from.files.contains(named))
    out.push_back({"overrides", value->origin + " names '" + named + "', which is not among the names of the files "
                                    + "that were sent"});
  return named;
}

errors check_bundle(const submitted_files& from) {
  errors out;
  if (from.files.size() > most_files)
    out.push_back({"files", "must be at most " + std::to_string(most_files)});
  if (from.overrides.size() > most_overrides)
    out.push_back({"overrides", "must be at most " + std::to_string(most_overrides)});
  for (const auto& [name, text] : from.files)
    if (!is_plain(name))
      out.push_back({"files", "'" + name + "' is no plain relative path"});
  if (!from.files.contains(from.file))
    out.push_back({"file", "'" + from.file + "' is not among the files that were sent"});
  if (!out.empty())
    return out;
  auto campaign = parse_document(from.files.at(from.file), from.file);
  if (!campaign)
    return out;                    // loading reports it
  std::vector<diagnostic> ignored; // loading reports these, too
  apply_overrides(*campaign, from.overrides, ignored);
  const auto task_file = task_of(from, *campaign, out);
  if (!out.empty() || task_file.empty())
    return out;
  if (auto document = parse_document(from.files.at(task_file), task_file)) {
    for (const auto* part : {"reference", "oracle", "module"})
      check_named(from, task_file, std::string{part} + ".file", text_at(*document, {part, "file"}), out);
    check_named(from, task_file, "module.weights", text_at(*document, {"module", "weights"}), out);
  }
  return out;
}

} // namespace

known_names of_this_build() {
  known_names known;
  known.targets = target_names();
  for (const auto& name : known.targets)
    if (auto hardware = make_target(name, {}))
      known.languages[name] = (*hardware)->reference_languages();
  return known;
}

tl::expected<campaign_spec, errors> load_submitted(const submitted_files& from) {
  auto wrong = check_bundle(from);
  if (!wrong.empty())
    return tl::unexpected(std::move(wrong));
  scratch folder;
  if (folder.path.empty())
    return tl::unexpected(errors{{"files", "no temporary folder can be made on this node"}});
  for (const auto& [name, text] : from.files) {
    const auto path = fs::path{folder.path} / name;
    std::error_code ec;
    fs::create_directories(path.parent_path(), ec);
    std::ofstream out{path, std::ios::binary};
    out << text;
    out.close();
    if (!out)
      return tl::unexpected(errors{{"files", "'" + name + "' cannot be kept on this node while it is checked"}});
  }
  auto spec = load_campaign(folder.path + "/" + from.file, from.overrides, of_this_build(), folder.path);
  if (!spec) {
    append(wrong, spec.error(), folder.path);
    return tl::unexpected(std::move(wrong));
  }
  // The temporary folder is removed from the paths.
  for (auto* path : {&spec->path, &spec->task.path, &spec->task.reference_path, &spec->task.oracle_path})
    if (path->starts_with(folder.path + "/"))
      *path = path->substr(folder.path.size() + 1);
  return std::move(*spec);
}

} // namespace kevolve
