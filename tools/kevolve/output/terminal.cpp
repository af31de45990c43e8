#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace kevolve {

namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

} // namespace

bool is_terminal(int fd) {
  const auto* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && term != nullptr && std::string_view{term} != "dumb";
}

bool wants_colour(int fd) {
  const auto* off = std::getenv("NO_COLOR");
  return is_terminal(fd) && (off == nullptr || *off == '\0');
}

size_t terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

size_t terminal_height(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0)
    return size.ws_row;
  return 24;
}

std::string printable_lines(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    out += (out.empty() ? "" : "\n" + std::string{indent}) + printable(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string fit_to(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns)
    return std::string{text};
  std::string out;
  size_t used = 0;
  for (size_t i = 0; i < text.size() && used + 1 < columns;) {
    out += text[i++];
    while (i < text.size() && is_continuation(text[i]))
      out += text[i++];
    ++used;
  }
  return out + "…";
}

std::string human_duration(double seconds) {
  if (seconds < 10)
    return fmt::format("{:.1f} s", std::max(seconds, 0.0));
  auto s = static_cast<long>(seconds);
  if (s < 3600)
    return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string human_bytes(double bytes) {
  for (const auto* unit : {"B", "KiB", "MiB", "GiB"}) {
    if (bytes < 1024 || std::string_view{unit} == "GiB")
      return bytes == std::floor(bytes) ? fmt::format("{:.0f} {}", bytes, unit) : fmt::format("{:.1f} {}", bytes, unit);
    bytes /= 1024;
  }
  return {};
}

std::string human_count(double x) {
  for (const auto* unit : {"", " k", " M", " G", " T"}) {
    if (x < 1000 || std::string_view{unit} == " T")
      return x == std::floor(x) ? fmt::format("{:.0f}{}", x, unit) : fmt::format("{:.1f}{}", x, unit);
    x /= 1000;
  }
  return {};
}

std::string human_number(size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string human_share(double share) {
  constexpr size_t cells = 24;
  const auto full = static_cast<size_t>(std::lround(share * static_cast<double>(cells)));
  return "[" + std::string(full, '#') + std::string(cells - full, '-') + "]";
}

std::string human_speedup(double x) {
  return x >= 100 ? fmt::format("{:.1f}x", x) : fmt::format("{:.2f}x", x);
}

std::string human_ns(double ns) {
  // A value that would round up to the next unit is printed in that unit: three digits need no power of ten.
  if (ns >= 999.5e6)
    return fmt::format("{:.3g} s", ns / 1e9);
  if (ns >= 999.5e3)
    return fmt::format("{:.3g} ms", ns / 1e6);
  return fmt::format("{:.3g} µs", ns / 1e3);
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size())
        out.append(widths[i] - columns_of(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

bool print_out(std::string_view text) {
  return write_all(STDOUT_FILENO, text);
}

void print_err(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

} // namespace kevolve
