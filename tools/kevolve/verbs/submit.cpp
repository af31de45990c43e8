// kevolve submit: a campaign's files to a node that stays.
#include "config/document.hpp"
#include "config/task_weights.hpp"
#include "runtime/base/base64.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

struct submit_options {
  common_options common;
  node_address where;
  std::string file;
  std::vector<std::string> overrides;
  uint32_t priority = 0;
  bool watch = false;
  bool fresh = false;
};

// Returns the folder that holds all of them.
fs::path common_folder(const std::vector<fs::path>& files) {
  auto folder = files.front().parent_path();
  for (const auto& f : files)
    while (f.lexically_relative(folder).begin()->string() == "..")
      folder = folder.parent_path();
  return folder;
}

// Returns the overrides as the node reads them. Here a task is named from the working directory, there as one of the
// files that were sent.
std::vector<std::string> overrides_of(const submit_options& o, const std::string& task, const fs::path& folder) {
  auto out = with_fresh(o.overrides, o.fresh);
  for (auto& text : out) {
    document_value alone;
    std::vector<diagnostic> ignored; // keys that the file has and an empty one has not
    apply_overrides(alone, {text}, ignored);
    if (alone.find("task") != nullptr)
      text = "task=" + json(fs::absolute(task).lexically_normal().lexically_relative(folder).generic_string()).dump();
  }
  return out;
}

json body_of(const submit_options& o, const campaign_spec& spec) {
  std::vector<fs::path> files;
  for (const auto& path : {spec.path, spec.task.path, spec.task.reference_path, spec.task.oracle_path})
    if (!path.empty())
      files.push_back(fs::absolute(path).lexically_normal());
  for (const auto& [name, text] : spec.task.files)
    files.push_back((fs::absolute(spec.task.path).parent_path() / name).lexically_normal());
  const auto folder = common_folder(files);
  json body{{"file", files.front().lexically_relative(folder).generic_string()},
            {"files", json::object()},
            {"directory", files.front().parent_path().string()},
            {"by", caller_name()}};
  for (const auto& f : files) {
    std::ifstream in{f, std::ios::binary};
    std::stringstream text;
    text << in.rdbuf();
    const auto name = f.lexically_relative(folder).generic_string();
    if (is_weights_file(name))
      body["binary_files"][name] = to_base64(text.str());
    else
      body["files"][name] = text.str();
  }
  if (const auto overrides = overrides_of(o, spec.task.path, folder); !overrides.empty())
    body["overrides"] = overrides;
  if (o.priority != 0)
    body["priority"] = o.priority;
  return body;
}

int submit(const submit_options& o) {
  // The errors name the files as they stand here; the node checks them again.
  auto spec = load_campaign_or_tell(o.file, with_fresh(o.overrides, o.fresh), o.common.json);
  if (!spec)
    return exit_code::usage;
  auto node = connection::open(o.where, false);
  if (!node)
    return report(node.error(), o.common.json);
  auto answer = (*node)->post("/v1/campaigns", body_of(o, *spec));
  if (!answer)
    return report(answer.error(), o.common.json);
  const auto note = known_note(*answer, o.priority);
  if (!note.empty() && !o.common.json)
    print_err("kevolve: note: " + note + "\n");
  if (o.watch)
    return watch_campaign(o.where, o.common, text_at(*answer, "id"));
  if (o.common.json) {
    if (!note.empty())
      (*answer)["note"] = note;
    print_out(to_text(*answer) + "\n");
  } else if (o.common.quiet)
    print_out(text_at(*answer, "id") + "\n");
  else
    print_out(status_text(*answer));
  return exit_code::ok;
}

} // namespace

std::string caller_name() {
  const auto* user = std::getenv("USER");
  return user == nullptr || *user == '\0' ? "operator" : std::string{user}.substr(0, 64);
}

void add_submit(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<submit_options>();
  auto* verb = app.add_subcommand("submit", "Hand a campaign to a running node; the same files are the same campaign");
  verb->footer("Example: kevolve submit config/examples/gemm.toml --priority 200 --set budget.wall=1h\n"
               "With --quiet only the campaign's id is printed.");
  verb->add_option("FILE", o->file, "the campaign file")->required()->type_name("FILE");
  verb->add_option("--set", o->overrides, "key=value, over the file's")->allow_extra_args(false);
  verb->add_flag("--fresh", o->fresh, fresh_help);
  verb->add_option("--priority", o->priority, "share of a busy node, 1 to 1000 (default: 100)")
      ->check(in_range(1U, 1000U));
  verb->add_flag("-w,--watch", o->watch, "watch it until it ends");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return submit(*o); }; });
}

} // namespace kevolve
