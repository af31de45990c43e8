#include "config/task_sections.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace kevolve {

namespace {

// A mistyped size should not become an allocation.
constexpr int64_t max_buffer_bytes = int64_t{1} << 40;

const std::set<std::string_view> c_keywords{
  "auto",     "break",   "case",     "char",   "const",   "continue", "default",  "do",     "double", "else",
  "enum",     "extern",  "float",    "for",    "goto",    "if",       "inline",   "int",    "long",   "register",
  "restrict", "return",  "short",    "signed", "sizeof",  "static",   "struct",   "switch", "typedef", "union",
  "unsigned", "void",    "volatile", "while",  "_Bool",   "_Complex", "_Float16", "main"};

// Keys of [[shape]] that are not sizes, and functions of expressions.
const std::set<std::string_view> reserved_sizes{"held_out", "weight", "min", "max", "ceildiv", "sum"};

std::string element(const std::string& list, size_t i) {
  return list + "[" + std::to_string(i) + "]";
}

bool is_input(const argument& a) {
  return a.role == argument_role::input || a.role == argument_role::inout || a.role == argument_role::weight;
}

bool is_buffer(const argument& a) {
  return a.role != argument_role::size && a.role != argument_role::scalar;
}

class task_checker {
public:
  task_checker(const task_draft& draft, error_list& errors) : draft_(draft), c_(draft.spec.task), errors_(errors) {}

  void run() {
    check_names();
    check_derived();
    check_shapes();
    for (size_t i = 0; i < c_.arguments.size(); ++i)
      check_argument(i);
    check_tolerances();
    expression_at("work.flops", c_.work_flops, c_.arguments.size());
    expression_at("work.bytes", c_.work_bytes, c_.arguments.size());
  }

private:
  void identifier(const std::string& path, const std::string& name) {
    auto letter = [](char x) { return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || x == '_'; };
    auto good = !name.empty() && letter(name.front())
                && std::all_of(name.begin(), name.end(), [&](char x) { return letter(x) || (x >= '0' && x <= '9'); });
    if (!name.empty() && !good)
      errors_.add(path, "'" + name + "' is not an identifier: letters, digits and _, not a digit first");
    else if (c_keywords.contains(name))
      errors_.add(path, "'" + name + "' is a reserved word of C");
  }

  void check_names() {
    identifier("task.name", c_.name);
    identifier("reference.entry", c_.entry);
    identifier("oracle.entry", draft_.spec.oracle_entry);
    std::set<std::string> seen;
    auto writes = false;
    for (size_t i = 0; i < c_.arguments.size(); ++i) {
      const auto& a = c_.arguments[i];
      auto path = element("argument", i) + ".name";
      identifier(path, a.name);
      if (a.name.empty())
        continue;
      if (!seen.insert(a.name).second)
        errors_.add(path, "there is an argument '" + a.name + "' already");
      if (a.name == c_.entry)
        errors_.add(path, "'" + a.name + "' is the entry's name");
      if (a.role == argument_role::size) {
        if (reserved_sizes.contains(a.name))
          errors_.add(path, "'" + a.name + "' cannot name a size: it has a meaning of its own");
        sizes_.push_back(a.name);
      }
      writes = writes || a.role == argument_role::output || a.role == argument_role::inout;
    }
    if (!c_.arguments.empty() && !writes)
      errors_.add("argument", "no argument is an output or inout");
  }

  // Derived symbols may stand for a size argument, whose value is then computed rather than given.
  void check_derived() {
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

  // Parses and checks the names. `before`: sums may use arguments before this one.
  std::optional<expression> expression_at(const std::string& path, const std::string& text, size_t before) {
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
        if (is_input(c_.arguments[i]) && !is_floating(c_.arguments[i].type))
          summable.push_back(c_.arguments[i].name);
      if (std::find(summable.begin(), summable.end(), name) == summable.end()) {
        errors_.add(path, "sum(" + name + ") needs an integer input declared before" + suggestion(name, summable),
                    static_cast<int>(find_word(text, name)) + 1);
        good = false;
      }
    }
    return good ? std::optional{*parsed} : std::nullopt;
  }

  static std::pair<int, std::string> split_column(const std::string& detail) {
    constexpr std::string_view prefix = "column ";
    auto colon = detail.find(": ");
    if (!detail.starts_with(prefix) || colon == std::string::npos)
      return {1, detail};
    return {std::stoi(detail.substr(prefix.size(), colon - prefix.size())), detail.substr(colon + 2)};
  }

  static size_t find_word(const std::string& text, const std::string& word) {
    auto inside = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_'; };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      if ((at == 0 || !inside(text[at - 1])) && (at + word.size() == text.size() || !inside(text[at + word.size()])))
        return at;
    return 0;
  }

  void check_shapes() {
    std::set<std::map<std::string, int64_t>> seen;
    auto total = 0.0;
    auto declared = false;
    for (size_t i = 0; i < c_.shapes.size(); ++i) {
      const auto& shape = c_.shapes[i];
      auto path = element("shape", i);
      auto complete = true;
      for (const auto& name : sizes_)
        if (!shape.sizes.contains(name) && !computed_.contains(name)) {
          errors_.add(path, "size '" + name + "' is missing");
          complete = false;
        }
      for (const auto& [name, value] : shape.sizes)
        if (computed_.contains(name))
          errors_.add(path + "." + name, "'" + name + "' is computed in [derived]");
        else if (std::find(sizes_.begin(), sizes_.end(), name) == sizes_.end())
          errors_.add(path + "." + name, "no size argument '" + name + "'" + suggestion(name, sizes_));
        else if (value < 0)
          complete = false;
      if (complete && !seen.insert(shape.sizes).second)
        errors_.add(path, "the same sizes stand above already");
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

  // What can be known without data: symbols that depend on a sum are left out.
  size_map with_derived(size_t i) {
    auto values = c_.shapes[i].sizes;
    for (const auto& [name, e] : derived_) {
      if (!known(e, values))
        continue;
      if (auto value = e.evaluate(values))
        values[name] = *value;
      else
        errors_.add("derived." + name, value.error().detail + " at " + element("shape", i));
    }
    return values;
  }

  static bool known(const expression& e, const size_map& values) {
    auto names = e.names();
    return e.summed().empty()
           && std::all_of(names.begin(), names.end(), [&](const std::string& n) { return values.contains(n); });
  }

  // The values of expressions at one shape, or nothing if one of them waits for data.
  std::optional<std::vector<int64_t>> evaluate(const std::vector<expression>& es, size_t shape,
                                               const std::string& path) {
    std::vector<int64_t> out;
    for (size_t d = 0; d < es.size(); ++d) {
      if (!values_[shape] || !known(es[d], *values_[shape]))
        return std::nullopt;
      auto value = es[d].evaluate(*values_[shape]);
      if (!value || *value < 1) {
        errors_.add(element(path, d), (value ? "is " + std::to_string(*value) : value.error().detail) + " at "
                                        + element("shape", shape) + "; must be at least 1");
        return std::nullopt;
      }
      out.push_back(*value);
    }
    return out;
  }

  std::vector<expression> expressions(const std::string& path, const std::vector<std::string>& texts, size_t before) {
    std::vector<expression> out;
    for (size_t d = 0; d < texts.size(); ++d) {
      if (texts[d].empty())
        errors_.add(element(path, d), "is empty");
      else if (auto e = expression_at(element(path, d), texts[d], before))
        out.push_back(*e);
    }
    return out;
  }

  void check_argument(size_t i) {
    const auto& a = c_.arguments[i];
    auto path = element("argument", i);
    if (!is_buffer(a))
      return;
    // A capacity may sum any input; an input only those that are drawn before it.
    auto before = a.role == argument_role::output ? c_.arguments.size() : i;
    auto shape = expressions(path + ".shape", a.shape, before);
    auto strides = expressions(path + ".strides", a.strides, before);
    if (!a.strides.empty() && a.strides.size() != a.shape.size())
      errors_.add(path + ".strides", "has " + std::to_string(a.strides.size()) + " entries, shape has "
                                       + std::to_string(a.shape.size()));
    else if (shape.size() == a.shape.size() && strides.size() == a.strides.size())
      for (size_t s = 0; s < values_.size(); ++s)
        check_extents(a, path, shape, strides, s);
    check_extent(a, path);
    if (is_input(a))
      check_fill(a, i, path);
  }

  void check_extents(const argument& a, const std::string& path, const std::vector<expression>& shape,
                     const std::vector<expression>& strides, size_t s) {
    auto extents = evaluate(shape, s, path + ".shape");
    if (!extents)
      return;
    auto bytes = static_cast<int64_t>(size_bytes(a.type));
    for (auto extent : *extents)
      if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > max_buffer_bytes) {
        errors_.add(path + ".shape", "takes more than 1 TiB at " + element("shape", s));
        return;
      }
    if (strides.empty())
      return;
    auto steps = evaluate(strides, s, path + ".strides");
    if (!steps)
      return;
    for (size_t d = 0; d + 1 < steps->size(); ++d) {
      int64_t inner = 0;
      if (__builtin_mul_overflow((*steps)[d + 1], (*extents)[d + 1], &inner) || (*steps)[d] < inner)
        errors_.add(element(path + ".strides", d), "rows overlap at " + element("shape", s) + ": "
                                                     + std::to_string((*steps)[d]) + " is less than "
                                                     + std::to_string(inner));
    }
  }

  void check_extent(const argument& a, const std::string& path) {
    if (a.extent.empty() || a.role != argument_role::output)
      return;
    std::vector<std::string> counts;
    for (const auto& other : c_.arguments)
      if (other.role == argument_role::output && other.type == dtype::i64 && other.shape == std::vector<std::string>{"1"}
          && other.name != a.name)
        counts.push_back(other.name);
    if (std::find(counts.begin(), counts.end(), a.extent) == counts.end())
      errors_.add(path + ".extent", "'" + a.extent + "' is not an i64 output of shape [\"1\"]"
                                      + suggestion(a.extent, counts));
    if (a.shape.size() > 1)
      errors_.add(path + ".extent", "needs a one-dimensional output");
  }

  void check_fill(const argument& a, size_t i, const std::string& path) {
    const auto& d = a.fill.distribution;
    auto where = path + ".fill.distribution";
    if ((d == "normal" || d == "uniform") && !is_floating(a.type))
      errors_.add(where, d + " is for floating types, '" + a.name + "' is " + to_string(a.type));
    if ((d == "lengths" || d == "offsets") && a.type != dtype::i32 && a.type != dtype::i64)
      errors_.add(where, d + " is for i32 and i64, '" + a.name + "' is " + to_string(a.type));
    if (d == "sample_of" && is_floating(a.type))
      errors_.add(where, "sample_of is for integers, '" + a.name + "' is " + to_string(a.type));
    if (d == "sorted_unique" && a.shape.size() > 1)
      errors_.add(where, "sorted_unique is for one dimension");
    if (a.fill.of.empty())
      return;
    if (d == "offsets")
      check_offsets(a, path);
    std::vector<std::string> earlier;
    for (size_t j = 0; j < i; ++j) {
      const auto& b = c_.arguments[j];
      if (is_input(b) && (d == "offsets" ? b.fill.distribution == "lengths" : b.type == a.type))
        earlier.push_back(b.name);
    }
    if (std::find(earlier.begin(), earlier.end(), a.fill.of) == earlier.end())
      errors_.add(path + (d == "offsets" ? ".fill.of" : ".fill.argument"),
                  "'" + a.fill.of + "' is not an earlier input "
                    + (d == "offsets" ? "filled with lengths" : "of type " + to_string(a.type))
                    + suggestion(a.fill.of, earlier));
  }

  // The exclusive prefix sum of n lengths has n + 1 entries.
  void check_offsets(const argument& a, const std::string& path) {
    const auto* lengths = find_argument(c_, a.fill.of);
    if (!lengths || lengths->shape.size() != 1 || a.shape.size() != 1)
      return;
    auto own = expression::parse(a.shape[0]);
    auto of = expression::parse(lengths->shape[0]);
    for (size_t s = 0; own && of && s < values_.size(); ++s) {
      if (!values_[s] || !known(*own, *values_[s]) || !known(*of, *values_[s]))
        continue;
      auto have = own->evaluate(*values_[s]);
      auto lengths_count = of->evaluate(*values_[s]);
      if (have && lengths_count && *have - 1 != *lengths_count)
        errors_.add(path + ".shape", "offsets of " + std::to_string(*lengths_count) + " lengths are one more, not "
                                       + std::to_string(*have) + ", at " + element("shape", s));
    }
  }

  void check_tolerances() {
    std::vector<std::string> outputs;
    for (const auto& a : c_.arguments)
      if (a.role == argument_role::output || a.role == argument_role::inout)
        outputs.push_back(a.name);
    std::set<std::string> seen;
    for (size_t i = 0; i < c_.tolerances.size(); ++i) {
      const auto& t = c_.tolerances[i];
      // [tolerance] and [[tolerance]] look alike once read; the path of the first finds both.
      auto path = element("tolerance", i);
      const auto* a = find_argument(c_, t.argument);
      if (!t.argument.empty() && std::find(outputs.begin(), outputs.end(), t.argument) == outputs.end())
        errors_.add(path + ".argument", "'" + t.argument + "' is not an output" + suggestion(t.argument, outputs));
      else if (a && !is_floating(a->type) && (t.mode == tolerance_mode::ulp || t.mode == tolerance_mode::reference_error))
        errors_.add(path + ".mode", to_string(t.mode) + " is for floating outputs, '" + t.argument + "' is "
                                      + to_string(a->type));
      if (!seen.insert(t.argument).second)
        errors_.add(path, t.argument.empty() ? "there is a tolerance for all outputs already"
                                             : "there is a tolerance for '" + t.argument + "' already");
    }
  }

  const task_draft& draft_;
  const contract& c_;
  error_list& errors_;
  std::vector<std::string> sizes_;   // size arguments
  std::vector<std::string> symbols_; // what an expression may name
  std::set<std::string> computed_;   // size arguments that [derived] defines
  std::vector<std::pair<std::string, expression>> derived_;
  std::vector<std::optional<size_map>> values_; // per shape
};

} // namespace

void check_task(const task_draft& draft, error_list& errors) {
  task_checker{draft, errors}.run();
}

} // namespace kevolve
