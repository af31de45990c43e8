#include "backends/launch_plan/plan_reader.hpp"

#include "runtime/base/expression.hpp"

#include <algorithm>
#include <tuple>

namespace kevolve {

namespace {

constexpr size_t most_plan_bytes = 64U << 10U;
// A longer text is not accepted as an expression.
constexpr size_t most_text = 512;
constexpr size_t most_items = 64;

std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a real number";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

} // namespace

plan_problem problem_at(const toml::node& node, std::string path, std::string message) {
  const auto& at = node.source().begin;
  return {static_cast<int>(at.line), static_cast<int>(at.column), std::move(path), std::move(message)};
}

bool is_plan_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && text.size() <= 64 && letter(text.front())
         && std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::optional<std::string> read_quantity(const toml::node& node, const std::string& path,
                                         std::vector<plan_problem>& problems) {
  if (const auto* n = node.as_integer()) {
    if (n->get() >= 0)
      return std::to_string(n->get());
    problems.push_back(problem_at(node, path, "must not be negative, and is " + std::to_string(n->get())));
    return std::nullopt;
  }
  const auto* text = node.as_string();
  if (text == nullptr) {
    problems.push_back(problem_at(node, path, "expected an integer or an expression, found " + describe(node)));
    return std::nullopt;
  }
  if (text->get().size() > most_text) {
    problems.push_back(
        problem_at(node, path, "an expression has at most " + std::to_string(most_text) + " characters"));
    return std::nullopt;
  }
  auto parsed = expression::parse(text->get());
  if (!parsed) {
    problems.push_back(problem_at(node, path, "'" + text->get() + "': " + parsed.error().detail));
    return std::nullopt;
  }
  if (!parsed->summed().empty()) {
    problems.push_back(problem_at(node, path, "sum() reads data, which a plan cannot: use a derived size of the task"));
    return std::nullopt;
  }
  return text->get();
}

plan_table::~plan_table() {
  for (const auto& [key, value] : table_)
    if (taken_.count(key.str()) == 0) {
      std::string known;
      for (const auto& name : taken_)
        known += (known.empty() ? "" : ", ") + name;
      problems_.push_back(problem_at(value, below(key.str()), "unknown key; there are: " + known));
    }
}

std::string plan_table::below(std::string_view key) const {
  return (path_.empty() ? "" : path_ + ".") + std::string{key};
}

void plan_table::complain(std::string_view key, std::string message) {
  const auto* node = table_.get(key);
  problems_.push_back(node == nullptr ? problem_at(table_, path_, std::move(message))
                                      : problem_at(*node, below(key), std::move(message)));
}

const toml::node* plan_table::take(std::string_view key, bool required) {
  taken_.emplace(key);
  const auto* node = table_.get(key);
  if (node == nullptr && required)
    complain(key, "'" + std::string{key} + "' is missing");
  return node;
}

std::string plan_table::text(std::string_view key, bool required) {
  const auto* node = take(key, required);
  if (node == nullptr)
    return {};
  if (const auto* s = node->as_string())
    return s->get();
  complain(key, "expected text, found " + describe(*node));
  return {};
}

bool plan_table::flag(std::string_view key) {
  const auto* node = take(key, false);
  if (node == nullptr)
    return false;
  if (const auto* b = node->as_boolean())
    return b->get();
  complain(key, "expected true or false, found " + describe(*node));
  return false;
}

std::string plan_table::quantity(std::string_view key, std::string otherwise, bool required) {
  const auto* node = take(key, required);
  if (node == nullptr)
    return otherwise;
  return read_quantity(*node, below(key), problems_).value_or(std::move(otherwise));
}

void plan_table::items(std::string_view key, bool required,
                       const std::function<void(const toml::node&, const std::string&)>& visit) {
  const auto* node = take(key, required);
  if (node == nullptr)
    return;
  const auto* list = node->as_array();
  if (list == nullptr)
    return complain(key, "expected an array, found " + describe(*node));
  if (list->size() > most_items)
    return complain(key, "at most " + std::to_string(most_items) + " entries, found " + std::to_string(list->size()));
  size_t i = 0;
  for (const auto& item : *list)
    visit(item, below(key) + "[" + std::to_string(i++) + "]");
}

std::vector<std::string> plan_table::quantities(std::string_view key, size_t least, size_t most, bool required) {
  std::vector<std::string> out;
  size_t seen = 0;
  items(key, required, [&](const toml::node& node, const std::string& path) {
    ++seen;
    if (auto q = read_quantity(node, path, problems_))
      out.push_back(std::move(*q));
  });
  if ((seen != 0 || has(key)) && (seen < least || seen > most))
    complain(key, "expected " + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most))
                      + " entries, found " + std::to_string(seen));
  return out;
}

uint32_t plan_table::word(std::string_view key, const std::vector<std::string>& words, uint32_t otherwise) {
  if (!has(key)) {
    taken_.emplace(key);
    return otherwise;
  }
  const auto given = text(key, false);
  const auto found = std::find(words.begin(), words.end(), given);
  if (found != words.end())
    return static_cast<uint32_t>(found - words.begin());
  std::string choices;
  for (const auto& w : words)
    choices += (choices.empty() ? "" : ", ") + w;
  complain(key, "'" + given + "' is none of: " + choices);
  return otherwise;
}

void plan_table::each(std::string_view key, const std::function<void(plan_table&)>& visit) {
  items(key, false, [&](const toml::node& node, const std::string& path) {
    if (const auto* table = node.as_table()) {
      plan_table inner{*table, path, problems_};
      visit(inner);
    } else
      problems_.push_back(problem_at(node, path, "expected a table, found " + describe(node)));
  });
}

void plan_table::entries(std::string_view key, const std::function<void(std::string, std::string)>& visit) {
  const auto* node = take(key, false);
  if (node == nullptr)
    return;
  const auto* table = node->as_table();
  if (table == nullptr)
    return complain(key, "expected a table, found " + describe(*node));
  if (table->size() > most_items)
    return complain(key, "at most " + std::to_string(most_items) + " entries, found " + std::to_string(table->size()));
  for (const auto& [name, value] : *table)
    if (auto q = read_quantity(value, below(key) + "." + std::string{name.str()}, problems_))
      visit(std::string{name.str()}, std::move(*q));
}

namespace {

// Finds the line of the key, or of the table that would contain it.
void find_line(plan_problem& p, const toml::table& root) {
  auto path = p.about.empty() ? p.key : p.about;
  while (p.line == 0 && !path.empty()) {
    if (const auto* node = toml::at_path(root, path).node()) {
      p.line = static_cast<int>(node->source().begin.line);
      p.column = static_cast<int>(node->source().begin.column);
    }
    const auto end = path.find_last_of(".[");
    path.resize(end == std::string::npos ? 0 : end);
  }
}

} // namespace

std::vector<plan_problem> in_their_lines(std::vector<plan_problem> problems, std::string_view toml) {
  try {
    const auto root = toml::parse(toml);
    for (auto& p : problems)
      find_line(p, root);
  } catch (const std::exception&) {
    return problems; // without valid TOML, the problems have no lines
  }
  return problems;
}

tl::expected<launch_plan, std::vector<plan_problem>>
read_plan_text(std::string_view toml,
               const std::function<launch_plan(toml::table&, std::vector<plan_problem>&)>& read) {
  std::vector<plan_problem> problems;
  const auto whole = [&](std::string message) {
    problems.push_back({0, 0, "", std::move(message)});
    return tl::unexpected(std::move(problems));
  };
  if (toml.size() > most_plan_bytes)
    return whole("a plan has at most " + std::to_string(most_plan_bytes) + " bytes");
  // toml++ 3.3 treats a stray non-ASCII character as unreachable code. Plans need none, so they are rejected first.
  int line = 1;
  for (const auto c : toml) {
    line += c == '\n' ? 1 : 0;
    if (static_cast<unsigned char>(c) >= 0x80U || c == '\0') {
      problems.push_back({line, 0, "", "a plan is plain ASCII"});
      return tl::unexpected(std::move(problems));
    }
  }
  try {
    auto root = toml::parse(toml);
    auto plan = read(root, problems);
    if (problems.empty())
      return plan;
    for (auto& p : problems)
      find_line(p, root);
  } catch (const toml::parse_error& e) {
    const auto& at = e.source().begin;
    problems.push_back(
        {static_cast<int>(at.line), static_cast<int>(at.column), "", "not TOML: " + std::string{e.description()}});
  } catch (const std::logic_error&) {
    return whole("not TOML: an unexpected character");
  }
  std::sort(problems.begin(), problems.end(), [](const auto& x, const auto& y) {
    return std::tie(x.line, x.column, x.key, x.message) < std::tie(y.line, y.column, y.key, y.message);
  });
  return tl::unexpected(std::move(problems));
}

} // namespace kevolve
