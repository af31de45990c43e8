#include "tools/kevolve/c_tolerance.hpp"

#include "runtime/base/kinds.hpp"
#include "tools/kevolve/scratch_directory.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

std::string text_of_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Takes a line of a tolerance's table into the list. Returns false if it is none.
bool take_line(const std::string& line, json& list) {
  if (line.empty() || line.starts_with("#"))
    return true;
  if (line == "[[tolerance]]") {
    list.push_back(json::object());
    return true;
  }
  const auto equals = line.find(" = ");
  if (equals == std::string::npos || list.empty())
    return false;
  const auto key = line.substr(0, equals);
  auto value = json::parse(line.substr(equals + 3), nullptr, false);
  const bool fits =
      key == "argument" ? value.is_string() : (key == "relative" || key == "absolute") && value.is_number();
  if (fits)
    list.back()[key] = std::move(value);
  return fits;
}

// Measures the task of this text in a temporary folder, beside its reference.
result<std::map<std::string, measured_need>>
measure_task(const std::string& task_text, const std::string& reference_name, const std::string& reference) {
  scratch_directory folder{{}};
  const auto made = folder.make();
  if (!made)
    return tl::unexpected(made.error());
  const auto path = (fs::path{*made} / "measured.task.toml").string();
  for (const auto& [name, text] :
       {std::pair{path, task_text}, std::pair{(fs::path{*made} / reference_name).string(), reference}}) {
    std::ofstream file{name, std::ios::binary};
    file << text;
    file.close();
    if (!file)
      return fail(errc::io, "'" + name + "' cannot be written");
  }
  const auto task = load_task(path);
  if (!task)
    return fail(errc::bad_input, task.error().front().message);
  return measure_need(*task);
}

} // namespace

std::string tolerance_rule() {
  return "tolerance: relative by the output's dtype; with absolute it admits 8 times each error against fp64 of the "
         "function and of the same with reordered sums (flags Ofast), on up to 50 draws of each shape and on its "
         "edges; "
         "absolute is at least a tenth of relative at the median |value|; integers exact";
}

written_tolerances write_tolerances(const std::vector<std::pair<std::string, std::string>>& outputs,
                                    const std::map<std::string, measured_need>& needs, const std::string& unmeasured) {
  written_tolerances out;
  out.facts = json::array();
  for (const auto& [name, dtype_name] : outputs) {
    const auto type = parse_dtype(dtype_name).value_or(dtype::f32);
    auto relative = usual_relative(type);
    auto absolute = relative / 10.0;
    auto fact = json{{"argument", name}};
    auto remark = std::string{"# Not measured: the usual tolerance of " + dtype_name + "."};
    if (const auto found = needs.find(name); found != needs.end()) {
      const auto& m = found->second;
      const auto both = joined(m.own, m.reordered);
      absolute = needed_absolute(both, relative);
      if (both.edge_relative > relative)
        relative = rounded_up(both.edge_relative);
      remark =
          fmt::format("# Measured in {} draws: the function errs by up to {:.3g}{}; the median |value| is {:.3g}.",
                      m.own.draws, m.own.error,
                      m.reordered.draws > 0 ? fmt::format(", with reordered sums by up to {:.3g}", m.reordered.error)
                                            : std::string{},
                      both.median);
      fact["error"] = m.own.error;
      fact["reordered_error"] = m.reordered.draws > 0 ? json(m.reordered.error) : json(nullptr);
      fact["draws"] = m.own.draws;
    } else if (!unmeasured.empty())
      remark = "# Not measured (" + unmeasured + "): the usual tolerance of " + dtype_name + ".";
    out.text += fmt::format("\n[[tolerance]]\n{}\nargument = \"{}\"\nrelative = {:g}\nabsolute = {:g}\n", remark, name,
                            relative, absolute);
    fact["relative"] = relative;
    fact["absolute"] = absolute;
    out.facts.push_back(std::move(fact));
  }
  return out;
}

std::optional<written_tolerances> kept_tolerances(const std::string& path, const std::string& head) {
  const auto text = text_of_file(path);
  if (!text.starts_with(head))
    return std::nullopt;
  written_tolerances out{text.substr(head.size()), json::array()};
  std::istringstream rest{out.text};
  for (std::string line; std::getline(rest, line);)
    if (!take_line(line, out.facts))
      return std::nullopt;
  return out;
}

written_tolerances tolerances_of(const task_head& head, const std::vector<std::pair<std::string, std::string>>& outputs,
                                 const std::string& there) {
  if (!there.empty())
    if (auto kept = kept_tolerances(there, head.text))
      return std::move(*kept);
  if (outputs.empty())
    return {{}, json::array()};
  const auto measured =
      measure_task(head.text + write_tolerances(outputs, {}, {}).text, head.reference_name, head.reference);
  if (measured)
    return write_tolerances(outputs, *measured, {});
  const auto& why = measured.error().detail;
  return write_tolerances(outputs, {}, why.substr(0, why.find('\n')));
}

} // namespace kevolve
