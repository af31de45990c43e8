#include "backends/nvidia/sanitizer_log.hpp"

#include <algorithm>
#include <charconv>

namespace kevolve {

namespace {

constexpr std::string_view prefix = "=========";
constexpr size_t most_findings = 20;
constexpr size_t most_text = 400; // of a part of a finding; a candidate chooses its names

std::string bounded(std::string_view text) {
  std::string out{text.substr(0, most_text)};
  std::replace_if(out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos)
    return {};
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

// Returns the digits that the text starts with.
uint64_t number_at(std::string_view text, int base = 10) {
  uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, base);
  return out;
}

// Returns the number behind the first occurrence of `key`, or 0.
uint64_t number_after(std::string_view text, std::string_view key, int base = 10) {
  const auto at = text.find(key);
  return at == std::string_view::npos ? 0 : number_at(text.substr(at + key.size()), base);
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Takes "a.cu:7" apart. Returns false if there is no number behind the last colon.
bool read_file_and_line(std::string_view text, sanitizer_finding& out) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || !is_number(text.substr(colon + 1)))
    return false;
  out.file = bounded(text.substr(0, colon));
  out.line = static_cast<uint32_t>(number_at(text.substr(colon + 1)));
  return true;
}

// Reads the place of an access. Versions of the tool write "kernel(int *)+0x70 in a.cu:7", "0x70 in a.cu:7:kernel(int
// *)" and both without line information.
void read_place(std::string_view text, sanitizer_finding& out) {
  if (const auto hazards = text.rfind(" ["); hazards != std::string_view::npos && text.ends_with("hazards]"))
    text = text.substr(0, hazards);
  if (text.starts_with("0x")) {
    const auto in = text.find(" in ");
    if (in == std::string_view::npos)
      return;
    auto rest = text.substr(in + 4);
    // A file and a line come before the name; the name has no number between two single colons.
    for (auto colon = rest.find(':'); colon != std::string_view::npos; colon = rest.find(':', colon + 1)) {
      const auto next = rest.find(':', colon + 1);
      if (next == std::string_view::npos || !is_number(rest.substr(colon + 1, next - colon - 1)))
        continue;
      read_file_and_line(rest.substr(0, next), out);
      rest = rest.substr(next + 1);
      break;
    }
    out.kernel = bounded(rest);
    return;
  }
  if (const auto in = text.rfind(" in "); in != std::string_view::npos && read_file_and_line(text.substr(in + 4), out))
    text = text.substr(0, in);
  if (const auto offset = text.rfind("+0x"); offset != std::string_view::npos)
    text = text.substr(0, offset);
  out.kernel = bounded(trimmed(text));
}

constexpr std::string_view race_words = "Race reported between ";

bool is_warning(std::string_view header) {
  return header.starts_with("Warning") || header.starts_with("WARN");
}

// Returns true for messages about the tool, the program or the driver's answers; they blame no kernel.
bool is_about_the_tool(std::string_view header) {
  for (const std::string_view start :
       {"Error: ", "Internal Sanitizer", "Target application", "Unable to", "Device not", "Program hit", "Host API"})
    if (header.starts_with(start))
      return true;
  return false;
}

// One message of the log: a line right behind the prefix, and the indented ones below it.
struct message {
  std::string_view header;
  std::vector<std::string_view> below;
};

std::vector<message> messages_of(std::string_view text) {
  std::vector<message> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(prefix))
      continue;
    line.remove_prefix(prefix.size());
    const auto words = trimmed(line);
    if (words.empty())
      continue;
    if (line.starts_with("  ") && !out.empty())
      out.back().below.push_back(words);
    else
      out.push_back({words, {}});
  }
  return out;
}

void read_below(const message& m, sanitizer_finding& out) {
  for (const auto line : m.below) {
    if (line.starts_with("at ") && out.kernel.empty()) {
      read_place(line.substr(3), out);
      continue;
    }
    if (line.starts_with("Address 0x") || line.starts_with("Access at 0x") || line.starts_with("Access to 0x"))
      out.address = number_after(line, "0x", 16);
    if (!line.starts_with("Saved host") && !line.starts_with("Host Frame"))
      out.more += (out.more.empty() ? "" : "; ") + bounded(line);
  }
  out.more = bounded(out.more);
}

// Returns true if the message reports an access of a kernel, which it then describes.
bool read_finding(const message& m, sanitizer_finding& out) {
  const auto race = m.header.find(race_words);
  const auto hazard = m.header.find("hazard detected");
  out.warning = is_warning(m.header);
  if (race != std::string_view::npos) {
    const auto words = m.header.substr(race + race_words.size());
    const auto at = words.find(" access at ");
    out.what = "Race in shared memory, of a "
               + std::string{at == std::string_view::npos ? "" : trimmed(words.substr(0, at))} + " access";
    if (at != std::string_view::npos)
      read_place(words.substr(at + 11), out);
  } else if (hazard != std::string_view::npos)
    out.what = bounded(m.header);
  else {
    const bool has_place =
        std::any_of(m.below.begin(), m.below.end(), [](auto line) { return line.starts_with("at "); });
    if (is_about_the_tool(m.header) || !has_place)
      return false;
    out.what = bounded(m.header);
  }
  read_below(m, out);
  return true;
}

// A thread, a block or an address alone makes no other finding.
bool same_finding(const sanitizer_finding& a, const sanitizer_finding& b) {
  return a.what == b.what && a.kernel == b.kernel && a.file == b.file && a.line == b.line && a.warning == b.warning;
}

} // namespace

std::string to_string(sanitizer_tool tool) {
  constexpr std::array<const char*, 3> names{"memcheck", "racecheck", "initcheck"};
  return names.at(static_cast<size_t>(tool));
}

std::vector<std::string> sanitizer_command(const std::string& program, sanitizer_tool tool, const std::string& log) {
  std::vector<std::string> out{program,
                               "--tool",
                               to_string(tool),
                               "--log-file",
                               log,
                               "--error-exitcode",
                               std::to_string(sanitizer_found_status),
                               "--print-limit",
                               "200",
                               "--show-backtrace",
                               "no",
                               "--target-processes",
                               "application-only"};
  // Padding keeps what lies behind an array from being the next one. The driver's answers are the program's to report.
  if (tool == sanitizer_tool::memcheck)
    out.insert(out.end(), {"--padding", "4096", "--report-api-errors", "no"});
  return out;
}

std::string describe(const sanitizer_finding& f) {
  auto out = f.what;
  if (!f.kernel.empty())
    out += " in kernel '" + f.kernel + "'";
  if (!f.file.empty())
    out += " at " + f.file + ":" + std::to_string(f.line);
  return f.more.empty() ? out : out + ": " + f.more;
}

sanitizer_log read_sanitizer_log(std::string_view text) {
  sanitizer_log out;
  for (const auto& m : messages_of(text)) {
    if (m.header.starts_with("ERROR SUMMARY: ") || m.header.starts_with("RACECHECK SUMMARY: ")) {
      out.complete = true;
      out.reported = std::max(out.reported, number_after(m.header, "SUMMARY: "));
      continue;
    }
    sanitizer_finding found;
    if (read_finding(m, found)) {
      const auto known =
          std::any_of(out.findings.begin(), out.findings.end(), [&](const auto& f) { return same_finding(f, found); });
      if (!known && out.findings.size() < most_findings)
        out.findings.push_back(std::move(found));
    } else if (out.trouble.empty() && is_about_the_tool(m.header))
      out.trouble = bounded(m.header);
  }
  return out;
}

} // namespace kevolve
