#include "config/campaign_sections.hpp"
#include "config/settings.hpp"
#include "config/settings_reference.hpp"
#include "config/task_sections.hpp"
#include "runtime/base/kinds.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace kevolve {

namespace {

std::string print(double x) {
  std::array<char, 32> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  return {buffer.data(), end};
}

std::string escape(const std::string& text) {
  std::string out;
  for (auto c : text) {
    if (c == '|' || c == '<' || c == '>')
      out += '\\';
    out += c;
  }
  return out;
}

// Writes one Markdown row per setting. Every body runs once, whatever a file would contain.
class settings_writer : public section {
public:
  settings_writer(std::string path, std::string& out) : path_(std::move(path)), out_(out) {}

  bool value(std::string_view name, const setting_rule& rule, std::string& x) override {
    return row(name, "text", rule, x.empty() ? "" : "\"" + x + "\"");
  }
  bool value(std::string_view name, const setting_rule& rule, int64_t& x) override {
    return row(name, "integer", rule, std::to_string(x));
  }
  bool value(std::string_view name, const setting_rule& rule, double& x) override {
    return row(name, "number", rule, print(x));
  }
  bool value(std::string_view name, const setting_rule& rule, bool& x) override {
    return row(name, "true or false", rule, x ? "true" : "false");
  }
  bool value(std::string_view name, const setting_rule& rule, std::vector<std::string>&) override {
    return row(name, rule.expressions ? "array of expressions" : "array of texts", rule, "[]");
  }
  bool value(std::string_view name, const setting_rule& rule, std::vector<int64_t>&) override {
    return row(name, "array of integers", rule, "[]");
  }
  bool value(std::string_view name, const setting_rule& rule, std::vector<double>&) override {
    return row(name, "array of numbers", rule, "[]");
  }
  bool value(std::string_view name, const setting_rule& rule, std::map<std::string, double>&) override {
    return row(name, "table of weights", rule, "");
  }
  bool duration(std::string_view name, const setting_rule& rule, double& seconds) override {
    return row(name, "duration (`\"90s\"`, `\"1h30m\"`; a bare number is seconds)", rule, print(seconds) + "s");
  }
  bool table(std::string_view name, const setting_rule& rule, const body& declare) override {
    row(name, "table", rule, "");
    settings_writer inner{path_ + std::string{name} + ".", out_};
    declare(inner);
    return false;
  }
  bool tables(std::string_view name, const setting_rule& rule, const body& declare, bool) override {
    row(name, "tables", rule, "");
    settings_writer inner{path_ + std::string{name} + "[].", out_};
    declare(inner);
    return false;
  }
  void others(std::string_view placeholder, const setting_rule& rule, const visitor&) override {
    row(placeholder, "per name", rule, "");
  }
  bool has(std::string_view) const override { return false; }
  bool is_overridden(std::string_view) const override { return false; }
  void retired(std::string_view, const std::string&) override {}
  bool is_whole() const override { return false; }
  void error(std::string_view, std::string) override {}

private:
  // Writes a row. Always returns false, because no value was given.
  bool row(std::string_view name, const std::string& type, const setting_rule& rule, const std::string& current) {
    auto fallback = rule.required ? "required" : rule.fallback.empty() ? current : rule.fallback;
    std::string bounds;
    for (const auto& choice : rule.choices)
      bounds += (bounds.empty() ? "" : ", ") + choice;
    if (const auto later = rule.reserved ? reserved_at(*rule.reserved) : std::vector<std::string>{}; !later.empty())
      bounds += "; not there yet: " + comma_list(later);
    if (std::isfinite(rule.low))
      bounds += (rule.low_open ? "> " : ">= ") + print(rule.low);
    if (std::isfinite(rule.high))
      bounds += (bounds.empty() ? "<= " : ", <= ") + print(rule.high);
    out_ += "| `" + path_ + std::string{name} + "` | " + type + " | " + escape(fallback) + " | " + escape(bounds)
            + " | " + escape(rule.text) + " |\n";
    return false;
  }

  std::string path_;
  std::string& out_;
};

constexpr std::string_view head = "\n| setting | type | default | allowed | meaning |\n|---|---|---|---|---|\n";

} // namespace

std::string settings_reference() {
  std::string out = "# Settings\n\nGenerated from the declarations in `config/`; `tests/config` keeps it in step.\n"
                    "\nA duration is text such as `\"90s\"`, `\"250ms\"`, `\"1.5h\"` or `\"1h30m\"`. Its units are "
                    "ms, s, m, h and d, the\nlarger first. A bare number, such as `90`, is seconds.\n";
  out += "\n## Task (`*.task.toml`)\n" + std::string{head};
  settings_writer task_writer{"", out};
  task_draft task;
  declare_task(task_writer, task);
  out += "\n## Campaign (`*.toml`)\n" + std::string{head};
  settings_writer campaign_writer{"", out};
  campaign_draft campaign;
  declare_campaign(campaign_writer, {}, campaign);
  out += "\n## Node (`kevolved.toml`)\n" + std::string{head};
  settings_writer node_writer{"", out};
  node_spec node;
  declare_node(node_writer, {}, node);
  return out;
}

} // namespace kevolve
