#include "tools/kevolve/suite/suite_reading.hpp"

#include "config/task.hpp"
#include "runtime/base/verdict.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

namespace kevolve {

namespace {

// Returns whether some candidate has compiled, where none was right.
bool has_compiled(connection& node, const std::string& id) {
  const auto tree = node.get("/v1/campaigns/" + id + "/tree?limit=1000&cursor=0");
  if (!tree || !tree->contains("items"))
    return false;
  return std::any_of((*tree)["items"].begin(), (*tree)["items"].end(), [](const json& n) {
    const auto verdict = text_at(n, "verdict");
    return !verdict.empty() && verdict != "reference" && verdict != to_string(kevolve::verdict::compile_error);
  });
}

// Returns what the task says of TF32; nothing if it does not, or cannot be read.
std::optional<bool> tf32_of(const std::string& task) {
  const auto loaded = load_task(task);
  if (!loaded || loaded->task.timing.tf32 == tf32_use::by_default)
    return std::nullopt;
  return loaded->task.timing.tf32 == tf32_use::on;
}

result<void> write_json(const std::filesystem::path& file, const json& x) {
  std::error_code ec;
  std::filesystem::create_directories(file.parent_path(), ec);
  std::ofstream out{file, std::ios::trunc};
  out << to_pretty_text(x) << "\n";
  out.close();
  return out ? result<void>{} : fail(errc::io, "'" + file.string() + "' cannot be written");
}

} // namespace

result<std::vector<suite_row>> read_rows(const node_address& where, const suite_state& s) {
  std::vector<suite_row> out;
  std::unique_ptr<connection> node;
  for (const auto& item : s.items) {
    json status;
    if (!item.campaign.empty()) {
      if (!node) {
        auto opened = connection::open(where, true);
        if (!opened)
          return tl::unexpected(opened.error());
        node = std::move(*opened);
      }
      if (auto answer = node->get("/v1/campaigns/" + item.campaign)) {
        status = std::move(*answer);
        if (number_at(status, "valid") <= 0.0 && number_at(status, "candidates") > 0.0)
          status["compiled"] = has_compiled(*node, item.campaign);
      } else if (answer.error().code != errc::not_found)
        return tl::unexpected(answer.error());
    }
    out.push_back(row_of(item, status));
    out.back().tf32 = tf32_of(item.task);
  }
  return out;
}

result<void> export_kernelbench(const std::string& folder, const std::vector<suite_row>& rows) {
  if (auto done = write_json(std::filesystem::path{folder} / "eval_results.json", eval_results(rows)); !done)
    return done;
  for (const auto& b : baselines_of(rows))
    if (const auto times = baseline_times(rows, b); !times.empty()) {
      auto name = b;
      std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '/' || c == '.'; }, '_');
      if (auto done = write_json(std::filesystem::path{folder} / "timing" / (name + ".json"), times); !done)
        return done;
    }
  return {};
}

} // namespace kevolve
