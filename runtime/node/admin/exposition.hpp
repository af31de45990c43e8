// Prometheus' text format, version 0.0.4: a family's help and type come first, then its samples.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

class exposition {
public:
  using labels = std::vector<std::pair<std::string, std::string>>;

  void family(const std::string& name, const char* type, const char* help) {
    name_ = name;
    out_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  void sample(const labels& about, uint64_t x) { line(name_, about, fmt::format("{}", x)); }
  void sample(const labels& about, double x) { line(name_, about, fmt::format("{}", x)); }

  // `counts` are by the smallest bound that is not exceeded; the last counts the rest.
  template <size_t N>
  void histogram(const std::string& name, const char* help, const std::array<double, N>& bounds,
                 const std::array<uint64_t, N + 1>& counts, double sum) {
    family(name, "histogram", help);
    uint64_t so_far = 0;
    for (size_t i = 0; i <= N; ++i) {
      so_far += counts[i];
      line(name + "_bucket", {{"le", i == N ? "+Inf" : fmt::format("{}", bounds[i])}}, fmt::format("{}", so_far));
    }
    line(name + "_sum", {}, fmt::format("{}", sum));
    line(name + "_count", {}, fmt::format("{}", so_far));
  }

  std::string take() { return std::move(out_); }

private:
  void line(const std::string& name, const labels& about, const std::string& value) {
    out_ += name;
    for (size_t i = 0; i < about.size(); ++i)
      out_ += (i == 0 ? "{" : ",") + about[i].first + "=" + quoted(about[i].second);
    out_ += (about.empty() ? " " : "} ") + value + "\n";
  }
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (auto c : text) {
      if (c == '\\' || c == '"')
        out += '\\';
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    return out + "\"";
  }

  std::string name_;
  std::string out_;
};

} // namespace kevolve
