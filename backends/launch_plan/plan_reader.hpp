// Reads a plan's TOML tables and records the keys that were read, so that unknown keys become errors. Only the sources
// that include this see the TOML library.
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
  // Returns an integer or an expression's text, checked to parse; `otherwise` if the key is absent.
  std::string quantity(std::string_view key, std::string otherwise, bool required = false);
  // Returns an array of `least` to `most` quantities.
  std::vector<std::string> quantities(std::string_view key, size_t least, size_t most, bool required);
  // Returns the index of the key's word in `words`.
  uint32_t word(std::string_view key, const std::vector<std::string>& words, uint32_t otherwise);
  // Visits each table of an array of tables.
  void each(std::string_view key, const std::function<void(plan_table&)>& visit);
  // Visits each entry of an array of mixed values.
  void items(std::string_view key, bool required,
             const std::function<void(const toml::node&, const std::string&)>& visit);
  // Visits each key of a table of quantities.
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

// Returns the text of an integer or of an expression that parses. Otherwise it returns nothing and adds a problem.
std::optional<std::string> read_quantity(const toml::node& node, const std::string& path,
                                         std::vector<plan_problem>& problems);
plan_problem problem_at(const toml::node& node, std::string path, std::string message);

// Returns the plan that `read` builds from the text's tables, or all problems of the plan or its TOML, in order.
tl::expected<launch_plan, std::vector<plan_problem>>
read_plan_text(std::string_view toml, const std::function<launch_plan(toml::table&, std::vector<plan_problem>&)>& read);
launch_plan read_plan_table(const toml::table& root, const contract& task, std::vector<plan_problem>& problems);

// Returns whether the text is a C identifier of at most 64 characters.
bool is_plan_name(std::string_view text);

} // namespace kevolve
