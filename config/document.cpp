#include "config/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

// toml++ asserts what a file may well get wrong, such as "[@task]", and in release builds tells the compiler to
// take it for granted. Here a failed assertion is an exception, in every build.
namespace {
[[noreturn]] void refuse_assertion(const char* condition) {
  throw std::logic_error{condition};
}
} // namespace
#undef NDEBUG
#define TOML_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : refuse_assertion(#condition))
#include <toml++/toml.h>

namespace kevolve {

namespace {

constexpr size_t max_file_bytes = 4U << 20U;

source_position position_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

document_value convert(const toml::node& node) {
  using kind = document_value::kind;
  document_value out;
  out.at = position_of(node.source());
  if (const auto* text = node.as_string()) {
    out.what = kind::text;
    out.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.what = kind::integer;
    out.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    out.what = kind::real;
    out.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.what = kind::boolean;
    out.boolean = boolean->get();
  } else if (const auto* array = node.as_array()) {
    out.what = kind::array;
    for (const auto& item : *array)
      out.items.push_back(convert(item));
  } else if (const auto* table = node.as_table()) {
    for (const auto& [key, member] : *table)
      out.members.push_back({std::string{key.str()}, position_of(key.source()), convert(member)});
    // The library sorts by name; [derived] is evaluated in the order written.
    std::sort(out.members.begin(), out.members.end(), [](const document_member& a, const document_member& b) {
      return std::pair{a.at.line, a.at.column} < std::pair{b.at.line, b.at.column};
    });
  } else {
    out.what = kind::date;
  }
  return out;
}

// Whether the first `lines` lines make the parser assert.
bool asserts(const std::vector<size_t>& line_ends, size_t lines, std::string_view text) {
  try {
    static_cast<void>(toml::parse(text.substr(0, line_ends[lines - 1])));
    return false;
  } catch (const toml::parse_error&) {
    return false;
  } catch (const std::logic_error&) {
    return true;
  }
}

// The parser reads on from line to line, so the one that makes it assert can be found by halves.
int asserting_line(std::string_view text) {
  std::vector<size_t> line_ends;
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    line_ends.push_back(at + 1);
  line_ends.push_back(text.size());
  size_t low = 1;
  auto high = line_ends.size();
  while (low < high) {
    auto middle = low + (high - low) / 2;
    if (asserts(line_ends, middle, text))
      high = middle;
    else
      low = middle + 1;
  }
  return static_cast<int>(low);
}

} // namespace

const document_value* document_value::find(std::string_view key) const {
  for (const auto& m : members)
    if (m.key == key)
      return &m.value;
  return nullptr;
}

std::string describe(document_value::kind k) {
  using kind = document_value::kind;
  switch (k) {
    case kind::text:
      return "text";
    case kind::integer:
      return "an integer";
    case kind::real:
      return "a number";
    case kind::boolean:
      return "true or false";
    case kind::date:
      return "a date or time";
    case kind::array:
      return "an array";
    case kind::table:
      return "a table";
  }
  return "a value";
}

result_or_errors<document_value> parse_document(std::string_view text, const std::string& file) {
  if (auto stray = find_unreadable(text))
    return tl::unexpected(
        std::vector{diagnostic{file, stray->at.line, stray->at.column, "", "not TOML: " + std::string{stray->what}}});
  try {
    return convert(toml::parse(text));
  } catch (const toml::parse_error& error) {
    auto at = position_of(error.source());
    return tl::unexpected(
        std::vector{diagnostic{file, at.line, at.column, "", "not TOML: " + std::string{error.description()}}});
  } catch (const std::logic_error&) {
    return tl::unexpected(
        std::vector{diagnostic{file, asserting_line(text), 1, "", "not TOML: unexpected character in this line"}});
  }
}

result_or_errors<std::string> read_text_file(const std::string& path) {
  auto refuse = [&](const std::string& why) {
    return tl::unexpected(std::vector{diagnostic{path, 0, 0, "", "cannot be read: " + why}});
  };
  // What a file names may be a pipe that nobody writes to: opened so that nothing waits.
  const auto fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    return refuse(std::strerror(errno));
  std::string text(max_file_bytes + 1, '\0');
  size_t have = 0;
  ssize_t got = 0;
  struct stat about{};
  const bool pipe = ::fstat(fd, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
  do
    got = pipe ? 0 : ::read(fd, text.data() + have, text.size() - have);
  while (got > 0 ? (have += static_cast<size_t>(got)) < text.size() : got < 0 && errno == EINTR);
  const auto error = errno;
  ::close(fd);
  if (pipe)
    return refuse("it is a pipe, not a file");
  if (got < 0)
    return refuse(std::strerror(error));
  text.resize(have);
  if (text.size() > max_file_bytes)
    return refuse("it is larger than 4 MiB");
  return text;
}

} // namespace kevolve
