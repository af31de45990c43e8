#include "tools/kevolve/output/task_facts.hpp"

#include "backends/judge/figure.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/kinds.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace kevolve {

namespace {

std::optional<int64_t> value_of(const std::string& text, const size_map& sizes) {
  auto e = expression::parse(text);
  if (!e)
    return std::nullopt;
  auto x = e->evaluate(sizes);
  return x ? std::optional{*x} : std::nullopt;
}

// Returns the shape's sizes with the derived ones that need no data.
size_map sizes_of(const contract& c, const shape_case& s) {
  size_map sizes{s.sizes.begin(), s.sizes.end()};
  for (const auto& [name, text] : c.derived)
    if (auto x = value_of(text, sizes))
      sizes[name] = *x;
  return sizes;
}

// Returns the size of all arrays together; nothing where a size depends on the data.
std::optional<double> bytes_of(const contract& c, const size_map& sizes) {
  double total = 0;
  for (const auto& a : c.arguments) {
    if (a.role == argument_role::size || a.role == argument_role::scalar)
      continue;
    double elements = 1;
    for (const auto& text : a.shape) {
      auto x = value_of(text, sizes);
      if (!x)
        return std::nullopt;
      elements *= static_cast<double>(*x);
    }
    total += elements * static_cast<double>(size_bytes(a.type));
  }
  return total;
}

std::optional<double> work_of(const std::string& text, const size_map& sizes) {
  if (text.empty())
    return std::nullopt;
  auto x = value_of(text, sizes);
  return x ? std::optional{static_cast<double>(*x)} : std::nullopt;
}

} // namespace

std::vector<std::string> too_large(const contract& c) {
  const auto memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  std::vector<std::string> out;
  for (const auto& s : c.shapes)
    if (const auto bytes = bytes_of(c, sizes_of(c, s)); bytes && *bytes > memory)
      out.push_back(
          fmt::format("shape '{}': its arrays take {}, and this machine has {} of memory: make it smaller, or "
                      "judge it on a machine with more",
                      s.name, human_bytes(*bytes), human_bytes(memory)));
  return out;
}

json shapes_json(const contract& c) {
  auto out = json::array();
  auto or_unknown = [](std::optional<double> x) { return x ? json(*x) : json(nullptr); };
  for (const auto& s : c.shapes) {
    auto sizes = sizes_of(c, s);
    out.push_back({{"shape", s.name},
                   {"held_out", s.held_out},
                   {"weight", s.weight},
                   {"array_bytes", or_unknown(bytes_of(c, sizes))},
                   {"work_flops", or_unknown(work_of(c.work_flops, sizes))},
                   {"work_bytes", or_unknown(work_of(c.work_bytes, sizes))}});
  }
  return out;
}

std::string shapes_text(const contract& c) {
  std::vector<std::vector<std::string>> rows{{"SHAPE", "USE", "WEIGHT", "ARRAYS", "FLOPS", "BYTES MOVED"}};
  for (const auto& s : shapes_json(c)) {
    auto show = [&](const char* key, std::string (*f)(double)) {
      return s[key].is_number() ? f(s[key].get<double>()) : std::string{"depends on data"};
    };
    auto work = [&](const char* key, const std::string& declared, std::string (*f)(double)) {
      return declared.empty() ? std::string{"not declared"} : show(key, f);
    };
    rows.push_back({s["shape"].get<std::string>(), s["held_out"].get<bool>() ? "held out" : "declared",
                    fmt::format("{:g}", s["weight"].get<double>()), show("array_bytes", human_bytes),
                    work("work_flops", c.work_flops, human_count), work("work_bytes", c.work_bytes, human_bytes)});
  }
  return table_text(rows);
}

json tolerances_json(const contract& c) {
  json out = json::array();
  for (const auto& a : c.arguments) {
    if (a.role != argument_role::output && a.role != argument_role::inout)
      continue;
    const auto t = tolerance_for(c, a);
    const bool own = std::any_of(c.tolerances.begin(), c.tolerances.end(), [&](const tolerance& x) {
      return x.argument == a.name || (x.argument.empty() && is_floating(a.type));
    });
    out.push_back({{"output", a.name},
                   {"mode", to_string(t.mode)},
                   {"relative", t.relative},
                   {"absolute", t.absolute},
                   {"limit", t.limit},
                   {"default", !own}});
  }
  return out;
}

std::string tolerances_text(const contract& c) {
  std::string out;
  for (const auto& t : tolerances_json(c)) {
    const auto mode = t["mode"].get<std::string>();
    const auto number = [&](const char* key) { return figure(t[key].get<double>(), 3); };
    out +=
        fmt::format("output {}: {}{}\n", t["output"].get<std::string>(),
                    mode == "exact"    ? "exact"
                    : mode == "absrel" ? "within " + number("absolute") + " + " + number("relative") + " * |expected|"
                                       : "within " + number("limit") + " " + mode,
                    t["default"].get<bool>() && mode != "exact" ? ", as the task has no [tolerance]" : "");
  }
  return out + "\n";
}

json reading_json(const result<reference_reading>& r) {
  if (!r)
    return nullptr;
  auto remarks = json::array();
  for (const auto& x : r->remarks)
    remarks.push_back({{"line", x.line > 0 ? json(x.line) : json(nullptr)}, {"what", x.what}, {"kept", x.kept}});
  return {{"rewritable", r->rewritable}, {"loops", r->loops}, {"independent", r->independent}, {"remarks", remarks}};
}

std::string reading_text(const result<reference_reading>& r, const std::string& file) {
  if (!r)
    return {};
  auto out = r->rewritable
                 ? fmt::format("\nthe embedded generator sees {} loop{} that count{}, {} free of dependences\n",
                               r->loops, r->loops == 1 ? "" : "s", r->loops == 1 ? "s" : "", r->independent)
                 : std::string{"\nthe embedded generator can rewrite nothing of it, and would try flags alone\n"};
  for (const auto& x : r->remarks)
    out += fmt::format("  {}: {}{}\n", x.line > 0 ? file + ":" + std::to_string(x.line) : file, printable(x.what),
                       x.kept && x.line > 0 ? ": it stays as written" : "");
  return out;
}

std::vector<std::string> out_of_order(const contract& c, const result<reference_reading>& r) {
  std::vector<std::string> out;
  for (size_t i = 0; r && i < std::min(r->parameters.size(), c.arguments.size()); ++i)
    for (size_t j = 0; j < c.arguments.size(); ++j)
      if (j != i && c.arguments[j].name == r->parameters[i] && c.arguments[i].name != r->parameters[i])
        out.push_back(
            fmt::format("parameter {} of '{}' is called '{}', and argument {} of the task is; argument {} is '{}': "
                        "are they in one order?",
                        i + 1, c.entry, r->parameters[i], j + 1, i + 1, c.arguments[i].name));
  return out;
}

std::optional<device_demand> device_demand_of(const contract& c) {
  return is_native(c.language) ? std::nullopt : demand_of(c);
}

json device_json(const contract& c) {
  const auto d = device_demand_of(c);
  return d ? json{{"first_verdict_s", d->first_seconds},
                  {"candidate_s", d->candidate_seconds},
                  {"confirmation_s", d->confirm_seconds},
                  {"memory_bytes", d->memory_bytes},
                  {"shape", d->shape},
                  {"drawn_on_device", d->drawn_on_device}}
           : json(nullptr);
}

} // namespace kevolve
