#include "config/task_symbols.hpp"

#include "config/task_sections.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve {

namespace {

const std::set<std::string_view> c_keywords{
    "auto",     "break",  "case",     "char",   "const",  "continue", "default",  "do",     "double",  "else",
    "enum",     "extern", "float",    "for",    "goto",   "if",       "inline",   "int",    "long",    "register",
    "restrict", "return", "short",    "signed", "sizeof", "static",   "struct",   "switch", "typedef", "union",
    "unsigned", "void",   "volatile", "while",  "_Bool",  "_Complex", "_Float16", "main"};

// Names of the C library used in the code around a kernel.
const std::set<std::string_view> c_library{"EOF",    "FILE", "printf", "fprintf", "puts",   "stdin",
                                           "stdout", "exit", "stderr", "abort",   "memcmp", "strcmp"};

// Keys of [[shape]] that are not sizes, and functions of expressions.
const std::set<std::string_view> reserved_sizes{"held_out", "weight", "min", "max", "ceildiv", "sum"};

std::pair<int, std::string> split_column(const std::string& detail) {
  constexpr std::string_view prefix = "column ";
  auto colon = detail.find(": ");
  if (!detail.starts_with(prefix) || colon == std::string::npos)
    return {1, detail};
  return {std::stoi(detail.substr(prefix.size(), colon - prefix.size())), detail.substr(colon + 2)};
}

size_t find_word(const std::string& text, const std::string& word) {
  auto inside = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_'; };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(text[at - 1])) && (at + word.size() == text.size() || !inside(text[at + word.size()])))
      return at;
  return 0;
}

bool known(const expression& e, const size_map& values) {
  auto names = e.names();
  return e.summed().empty()
         && std::all_of(names.begin(), names.end(), [&](const std::string& n) { return values.contains(n); });
}

} // namespace

std::string indexed(const std::string& list, size_t i) {
  return list + "[" + std::to_string(i) + "]";
}

bool is_drawn(const argument& a) {
  return a.role == argument_role::input || a.role == argument_role::inout || a.role == argument_role::weight;
}

void task_symbols::resolve() {
  for (size_t i = 0; i < c_.arguments.size(); ++i) {
    const auto& a = c_.arguments[i];
    if (a.role != argument_role::size || a.name.empty())
      continue;
    sizes_.push_back(a.name);
    if (reserved_sizes.contains(a.name))
      errors_.add(indexed("argument", i) + ".name", "'" + a.name + "' cannot name a size: it has a meaning of its own");
  }
  check_derived();
  check_shapes();
}

void task_symbols::identifier(const std::string& path, const std::string& name) {
  auto letter = [](char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_'; };
  auto good = !name.empty() && letter(name.front())
              && std::all_of(name.begin(), name.end(), [&](char x) { return letter(x) || (x >= '0' && x <= '9'); });
  if (!name.empty() && !good)
    errors_.add(path, "'" + name + "' is not an identifier: letters, digits and _, not a digit first");
  else if (c_keywords.contains(name))
    errors_.add(path, "'" + name + "' is a reserved word of C");
  else if (c_library.contains(name) || name.starts_with('_'))
    errors_.add(path, "'" + name + "' is a name of the C library or the compiler");
  else if (name.starts_with("kt_") || name.starts_with("KT_") || name.starts_with("kevolve_"))
    errors_.add(path, "'" + name + "' begins as what kevolve writes around a kernel does: choose another name");
}

// Checks [derived]. A derived symbol may define a size argument, whose value is then computed instead of given.
void task_symbols::check_derived() {
  symbols_ = sizes_;
  for (const auto& [name, text] : c_.derived) {
    auto given = std::find(sizes_.begin(), sizes_.end(), name);
    if (given != sizes_.end()) {
      symbols_.erase(std::find(symbols_.begin(), symbols_.end(), name));
      computed_.insert(name);
    }
  }
  for (const auto& [name, text] : c_.derived) {
    auto path = "derived." + name;
    identifier(path, name);
    const auto* a = find_argument(c_, name);
    if (a && a->role != argument_role::size)
      errors_.add(path, "'" + name + "' is an argument already");
    if (reserved_sizes.contains(name))
      errors_.add(path, "'" + name + "' cannot name a size: it has a meaning of its own");
    if (auto e = expression_at(path, text, c_.arguments.size()))
      derived_.emplace_back(name, *e);
    symbols_.push_back(name);
  }
}

std::optional<expression> task_symbols::expression_at(const std::string& path, const std::string& text, size_t before) {
  if (text.empty())
    return std::nullopt;
  auto parsed = expression::parse(text);
  if (!parsed) {
    auto [column, message] = split_column(parsed.error().detail);
    errors_.add(path, "in \"" + text + "\", column " + std::to_string(column) + ": " + message, column);
    return std::nullopt;
  }
  auto good = true;
  for (const auto& name : parsed->names())
    if (std::find(symbols_.begin(), symbols_.end(), name) == symbols_.end()) {
      errors_.add(path, "unknown size symbol '" + name + "'" + suggestion(name, symbols_),
                  static_cast<int>(find_word(text, name)) + 1);
      good = false;
    }
  for (const auto& name : parsed->summed()) {
    std::vector<std::string> summable;
    for (size_t i = 0; i < before; ++i)
      if (is_drawn(c_.arguments[i]) && !is_floating(c_.arguments[i].type))
        summable.push_back(c_.arguments[i].name);
    if (std::find(summable.begin(), summable.end(), name) == summable.end()) {
      errors_.add(path, "sum(" + name + ") needs an integer input declared before" + suggestion(name, summable),
                  static_cast<int>(find_word(text, name)) + 1);
      good = false;
    }
  }
  return good ? std::optional{*parsed} : std::nullopt;
}

void task_symbols::check_shapes() {
  std::set<std::map<std::string, int64_t>> seen;
  auto total = 0.0;
  auto declared = false;
  for (size_t i = 0; i < c_.shapes.size(); ++i) {
    const auto& shape = c_.shapes[i];
    auto complete = check_sizes(i);
    if (complete && !seen.insert(shape.sizes).second)
      errors_.add(indexed("shape", i), "the same sizes stand above already");
    if (!shape.held_out) {
      declared = true;
      total += shape.weight;
    }
    values_.push_back(complete ? std::optional{with_derived(i)} : std::nullopt);
  }
  if (!c_.shapes.empty() && !declared)
    errors_.add("shape", "every shape is held out: at least one must be declared");
  else if (declared && total <= 0.0)
    errors_.add("shape", "the weights of the declared shapes are all 0");
}

namespace {
std::string below(const std::string& path, const std::string& key) {
  return path + "." + key;
}
} // namespace

// Reports missing, unknown and computed sizes. Returns true if every size argument has a value that is not negative.
bool task_symbols::check_sizes(size_t i) {
  const auto& shape = c_.shapes[i];
  auto path = indexed("shape", i);
  auto complete = true;
  auto keys = sizes_;
  keys.insert(keys.end(), {"held_out", "weight"});
  for (const auto& name : sizes_)
    if (!shape.sizes.contains(name) && !computed_.contains(name)) {
      errors_.add(path, "size '" + name + "' is missing");
      complete = false;
    }
  for (const auto& [name, value] : shape.sizes)
    if (computed_.contains(name))
      errors_.add(below(path, name), "'" + name + "' is computed in [derived]");
    else if (std::find(sizes_.begin(), sizes_.end(), name) == sizes_.end())
      errors_.add(below(path, name), "no size argument '" + name + "'" + suggestion(name, keys));
    else if (value < 0)
      complete = false;
  return complete;
}

// Returns the values known without data: symbols that depend on a sum are left out.
size_map task_symbols::with_derived(size_t i) {
  auto values = c_.shapes[i].sizes;
  for (const auto& [name, e] : derived_) {
    if (!known(e, values))
      continue;
    if (auto value = e.evaluate(values))
      values[name] = *value;
    else
      errors_.add("derived." + name, value.error().detail + " at " + indexed("shape", i));
  }
  return values;
}

std::optional<result<int64_t>> task_symbols::value(const expression& e, size_t shape) const {
  if (!values_[shape] || !known(e, *values_[shape]))
    return std::nullopt;
  return e.evaluate(*values_[shape]);
}

} // namespace kevolve
