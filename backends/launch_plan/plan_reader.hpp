// A plan's TOML as tables that know which of their keys were asked for, so that what nobody asked for is an error.
// The TOML library stays in the sources that include this.
#pragma once

#include "backends/launch_plan/launch_plan.hpp"
#include "backends/launch_plan/throwing_toml.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace kevolve {

class plan_table {
public:
  plan_table(const toml::table& table, std::string path, std::vector<plan_problem>& problems)
      : table_(table), path_(std::move(path)), problems_(problems) {}
  plan_table(const plan_table&) = delete;
  plan_table& operator=(const plan_table&) = delete;
  ~plan_table(); // reports unknown keys

  std::string text(std::string_view key, bool required);
  bool flag(std::string_view key);
  // An integer or an expression's text; checked to parse. `otherwise` if absent.
  std::string quantity(std::string_view key, std::string otherwise, bool required = false);
  // An array of quantities of `least` to `most` entries.
  std::vector<std::string> quantities(std::string_view key, size_t least, size_t most, bool required);
  // One of the words; its index.
  uint32_t word(std::string_view key, const std::vector<std::string>& words, uint32_t otherwise);
  // Each table of an array of tables.
  void each(std::string_view key, const std::function<void(plan_table&)>& visit);
  // Each entry of an array of mixed values.
  void items(std::string_view key, bool required,
             const std::function<void(const toml::node&, const std::string&)>& visit);
  // Each key of a table of quantities.
  void entries(std::string_view key, const std::function<void(std::string, std::string)>& visit);

  void complain(std::string_view key, std::string message);
  bool has(std::string_view key) const { return table_.contains(key); }
  std::vector<plan_problem>& problems() { return problems_; }

private:
  const toml::node* take(std::string_view key, bool required);
  std::string below(std::string_view key) const;

  const toml::table& table_;
  std::string path_;
  std::vector<plan_problem>& problems_;
  std::set<std::string, std::less<>> taken_;
};

// The text of an integer or of an expression that parses; nothing, and a rejection, else.
std::optional<std::string> read_quantity(const toml::node& node, const std::string& path,
                                         std::vector<plan_problem>& problems);
plan_problem problem_at(const toml::node& node, std::string path, std::string message);

// The plan that `read` makes of a text's tables, or every problem that it or the TOML has, in order.
tl::expected<launch_plan, std::vector<plan_problem>>
read_plan_text(std::string_view toml, const std::function<launch_plan(toml::table&, std::vector<plan_problem>&)>& read);
launch_plan read_plan_table(const toml::table& root, const contract& task, std::vector<plan_problem>& problems);

// A name may be a C identifier of at most 64 characters.
bool is_plan_name(std::string_view text);

} // namespace kevolve
