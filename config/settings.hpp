// One declaration per setting: a function names each setting of a section, its rule and its variable. With a
// table_reader it parses and checks; with a settings_writer it writes the reference (settings_reference.hpp).
#pragma once

#include "config/document.hpp"
#include "runtime/base/reserved.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The rule of a setting, and its line in the reference.
struct setting_rule {
  std::string text{};
  bool required = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;                    // greater than low, not equal
  bool expressions = false;                 // texts that may also be whole numbers
  std::vector<std::string> choices{};       // of a text, or the names of weights
  std::optional<reserved_place> reserved{}; // where names that are not there yet would stand among the choices
  std::string fallback{};                   // printed as the default where the variable's value does not say it
};

class section {
public:
  virtual ~section() = default;

  // Each function sets `x` and returns true if the file gives a valid value. Otherwise `x` keeps its default.
  virtual bool value(std::string_view name, const setting_rule& rule, std::string& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, int64_t& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, double& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, bool& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, std::vector<std::string>& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, std::vector<int64_t>& x) = 0;
  virtual bool value(std::string_view name, const setting_rule& rule, std::vector<double>& x) = 0;
  // Reads a table of names with weights: none negative, at least one positive.
  virtual bool value(std::string_view name, const setting_rule& rule, std::map<std::string, double>& x) = 0;
  // Reads "90s", "2m", "1h30m", "250ms", or seconds as a number.
  virtual bool duration(std::string_view name, const setting_rule& rule, double& seconds) = 0;

  using body = std::function<void(section&)>;
  virtual bool table(std::string_view name, const setting_rule& rule, const body& declare) = 0;
  // Reads [[name]]: `declare` runs once per table, also for a single [name] if `single_too`.
  virtual bool tables(std::string_view name, const setting_rule& rule, const body& declare,
                      bool single_too = false) = 0;
  // Visits keys that the file itself chooses. Declare them after all others. `placeholder` represents them in the
  // reference.
  using visitor = std::function<void(const document_member&)>;
  virtual void others(std::string_view placeholder, const setting_rule& rule, const visitor& visit) = 0;

  // Returns true if the file sets this name.
  virtual bool has(std::string_view name) const = 0;
  // Returns true if an override sets this name, or a part of it.
  virtual bool is_overridden(std::string_view name) const = 0;
  // Refuses a name that was a setting before; `advice` says what replaces it. The reference does not list it.
  virtual void retired(std::string_view name, const std::string& advice) = 0;
  // Returns true if the file, or an override of the whole table, says which keys it has. A table that is there because
  // of overrides of single keys leaves the others at their defaults.
  virtual bool is_whole() const = 0;
  virtual void error(std::string_view name, std::string message) = 0;
};

// Reads one table of a document. Its destructor reports undeclared keys.
class table_reader : public section {
public:
  table_reader(const document_value& table, std::string path, error_list& errors)
      : table_(table), path_(std::move(path)), errors_(errors) {}
  ~table_reader() override;
  table_reader(const table_reader&) = delete;
  table_reader& operator=(const table_reader&) = delete;

  bool value(std::string_view name, const setting_rule& rule, std::string& x) override;
  bool value(std::string_view name, const setting_rule& rule, int64_t& x) override;
  bool value(std::string_view name, const setting_rule& rule, double& x) override;
  bool value(std::string_view name, const setting_rule& rule, bool& x) override;
  bool value(std::string_view name, const setting_rule& rule, std::vector<std::string>& x) override;
  bool value(std::string_view name, const setting_rule& rule, std::vector<int64_t>& x) override;
  bool value(std::string_view name, const setting_rule& rule, std::vector<double>& x) override;
  bool value(std::string_view name, const setting_rule& rule, std::map<std::string, double>& x) override;
  bool duration(std::string_view name, const setting_rule& rule, double& seconds) override;
  bool table(std::string_view name, const setting_rule& rule, const body& declare) override;
  bool tables(std::string_view name, const setting_rule& rule, const body& declare, bool single_too) override;
  void others(std::string_view placeholder, const setting_rule& rule, const visitor& visit) override;
  bool has(std::string_view name) const override { return table_.find(name) != nullptr; }
  bool is_overridden(std::string_view name) const override;
  void retired(std::string_view name, const std::string& advice) override;
  bool is_whole() const override { return table_.origin.empty() || table_.origin == "--set " + path_; }
  void error(std::string_view name, std::string message) override;

private:
  std::string path(std::string_view name) const;
  // Returns what is wrong with a name that is none of the choices.
  static std::string refusal(const std::string& what, const std::string& name, const setting_rule& rule);
  const document_value* take(std::string_view name, const setting_rule& rule);
  bool refuse(const std::string& where, const std::string& expected, const document_value& found);
  bool number(const document_value& v, const std::string& where, const setting_rule& rule, double& x);
  bool seconds_of(const document_value& v, const std::string& where, const setting_rule& rule, double& seconds);
  bool integer(const document_value& v, const std::string& where, const setting_rule& rule, int64_t& x);
  template <class T, class Read>
  bool list(std::string_view name, const setting_rule& rule, const std::string& what, std::vector<T>& xs, Read read);

  const document_value& table_;
  std::string path_;
  error_list& errors_;
  std::vector<std::string> declared_;
  std::vector<std::string> retired_;
};
// Returns seconds, or a negative number if the text is no duration.
double parse_duration(std::string_view text);

} // namespace kevolve
