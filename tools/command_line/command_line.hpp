// Declares a program's verbs and options. CLI11 stands behind it in one file: in each that declares options it would
// take longer to compile than all else there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace kevolve {

// A condition on the text of an option.
struct option_check {
  std::function<void(CLI::Option&)> add_to;
};
// Accepts numbers from `low` to `high`, both included.
template <class T>
option_check in_range(T low, T high);
option_check one_of(const std::vector<std::string>& words);

// Refuses the value of an option, from within a function that takes it.
[[noreturn]] void refuse_value(const std::string& option, const std::string& why);

class declared_option {
public:
  explicit declared_option(CLI::Option& it) : it_(&it) {}

  declared_option* required();
  declared_option* expected(int values);
  declared_option* allow_extra_args(bool allowed); // more than one value behind one name
  declared_option* type_name(const std::string& name);
  declared_option* default_str(const std::string& text); // in the help
  declared_option* capture_default_str();                // the variable's value as it is now
  declared_option* check(const option_check& condition);
  // The function returns what is wrong with a text; empty: nothing.
  declared_option* check(const std::function<std::string(const std::string&)>& what_is_wrong);
  declared_option* needs(declared_option* other);
  declared_option* excludes(declared_option* other);

private:
  CLI::Option* it_;
};

class declared_verb {
public:
  explicit declared_verb(CLI::App& parser);
  ~declared_verb();
  declared_verb(const declared_verb&) = delete;
  declared_verb& operator=(const declared_verb&) = delete;

  // The variable must live until the command line has been parsed. Its type is one of those in command_line.cpp.
  template <class T>
  declared_option* add_option(const std::string& names, T& variable, const std::string& about = {});
  template <class T>
  declared_option* add_option_function(const std::string& names, const std::function<void(const T&)>& takes,
                                       const std::string& about);
  declared_option* add_flag(const std::string& names, bool& variable, const std::string& about);
  declared_verb* add_subcommand(const std::string& name, const std::string& about);
  declared_verb* alias(const std::string& name);
  declared_verb* callback(const std::function<void()>& act);
  declared_verb* footer(const std::string& text);
  declared_verb* require_subcommand(int number);

  declared_verb* takes_all_words(); // that follow, --help too

  bool parsed() const;
  std::vector<std::string> words() const; // of takes_all_words()
  CLI::App& parser() { return parser_; }

private:
  declared_option* declared(CLI::Option* it);

  CLI::App& parser_;
  std::vector<std::unique_ptr<declared_option>> options_;
  std::vector<std::unique_ptr<declared_verb>> verbs_;
};

struct parser_owner {
  explicit parser_owner(const std::string& about, const std::string& name);
  ~parser_owner();
  std::unique_ptr<CLI::App> owned;
};

// A program without verbs of its own kind: it is declared, then it parses.
class declared_program : parser_owner, public declared_verb {
public:
  explicit declared_program(const std::string& about, const std::string& name = {});
  void set_version_flag(const std::string& name, const std::string& version);
  // Returns the exit status if the program ends here: after --help, or on errors, which it prints.
  std::optional<int> ended_by(int argc, char** argv);
};

} // namespace kevolve
