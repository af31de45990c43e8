#include "tools/command_line/command_line.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace kevolve {

template <class T>
option_check in_range(T low, T high) {
  return {[low, high](CLI::Option& o) { o.check(CLI::Range(low, high)); }};
}

option_check one_of(const std::vector<std::string>& words) {
  return {[words](CLI::Option& o) { o.check(CLI::IsMember(words)); }};
}

void refuse_value(const std::string& option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

declared_option* declared_option::required() {
  it_->required();
  return this;
}

declared_option* declared_option::expected(int values) {
  it_->expected(values);
  return this;
}

declared_option* declared_option::allow_extra_args(bool allowed) {
  it_->allow_extra_args(allowed);
  return this;
}

declared_option* declared_option::type_name(const std::string& name) {
  it_->type_name(name);
  return this;
}

declared_option* declared_option::default_str(const std::string& text) {
  it_->default_str(text);
  return this;
}

declared_option* declared_option::capture_default_str() {
  it_->capture_default_str();
  return this;
}

declared_option* declared_option::check(const option_check& condition) {
  condition.add_to(*it_);
  return this;
}

declared_option* declared_option::check(const std::function<std::string(const std::string&)>& what_is_wrong) {
  it_->check(what_is_wrong);
  return this;
}

declared_option* declared_option::needs(declared_option* other) {
  it_->needs(other->it_);
  return this;
}

declared_option* declared_option::excludes(declared_option* other) {
  it_->excludes(other->it_);
  return this;
}

declared_verb::declared_verb(CLI::App& parser) : parser_(parser) {}
declared_verb::~declared_verb() = default;

declared_option* declared_verb::declared(CLI::Option* it) {
  return options_.emplace_back(std::make_unique<declared_option>(*it)).get();
}

template <class T>
declared_option* declared_verb::add_option(const std::string& names, T& variable, const std::string& about) {
  return declared(parser_.add_option(names, variable, about));
}

template <class T>
declared_option* declared_verb::add_option_function(const std::string& names,
                                                    const std::function<void(const T&)>& takes,
                                                    const std::string& about) {
  return declared(parser_.add_option_function<T>(names, takes, about));
}

declared_option* declared_verb::add_flag(const std::string& names, bool& variable, const std::string& about) {
  return declared(parser_.add_flag(names, variable, about));
}

declared_verb* declared_verb::add_subcommand(const std::string& name, const std::string& about) {
  return verbs_.emplace_back(std::make_unique<declared_verb>(*parser_.add_subcommand(name, about))).get();
}

declared_verb* declared_verb::alias(const std::string& name) {
  parser_.alias(name);
  return this;
}

declared_verb* declared_verb::callback(const std::function<void()>& act) {
  parser_.callback(act);
  return this;
}

declared_verb* declared_verb::footer(const std::string& text) {
  parser_.footer(text);
  return this;
}

declared_verb* declared_verb::require_subcommand(int number) {
  parser_.require_subcommand(number);
  return this;
}

declared_verb* declared_verb::takes_all_words() {
  parser_.prefix_command();
  parser_.set_help_flag();
  return this;
}

bool declared_verb::parsed() const {
  return parser_.parsed();
}

std::vector<std::string> declared_verb::words() const {
  return parser_.remaining();
}

parser_owner::parser_owner(const std::string& about, const std::string& name)
    : owned(std::make_unique<CLI::App>(about, name)) {}
parser_owner::~parser_owner() = default;

declared_program::declared_program(const std::string& about, const std::string& name)
    : parser_owner(about, name), declared_verb(*owned) {}

void declared_program::set_version_flag(const std::string& name, const std::string& version) {
  owned->set_version_flag(name, version);
}

std::optional<int> declared_program::ended_by(int argc, char** argv) {
  try {
    owned->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    return owned->exit(e);
  }
}

using texts = std::vector<std::string>;

template option_check in_range(int, int);
template option_check in_range(unsigned, unsigned);
template option_check in_range(int64_t, int64_t);
template option_check in_range(uint64_t, uint64_t);
template option_check in_range(double, double);

template declared_option* declared_verb::add_option(const std::string&, std::string&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, texts&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, int&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, unsigned&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, int64_t&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, uint64_t&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, uint16_t&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, double&, const std::string&);
template declared_option* declared_verb::add_option(const std::string&, std::optional<uint64_t>&, const std::string&);

template declared_option* declared_verb::add_option_function(const std::string&,
                                                             const std::function<void(const std::string&)>&,
                                                             const std::string&);
template declared_option*
declared_verb::add_option_function(const std::string&, const std::function<void(const texts&)>&, const std::string&);

} // namespace kevolve
