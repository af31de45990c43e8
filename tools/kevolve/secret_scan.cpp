#include "tools/kevolve/secret_scan.hpp"

#include "runtime/base/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace kevolve {

namespace {

constexpr size_t least_known = 8;

// Characters that keys are made of.
bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '+' || c == '/'
         || c == '=';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

size_t run_length(std::string_view text, size_t from) {
  size_t n = 0;
  while (from + n < text.size() && is_key_character(text[from + n]))
    ++n;
  return n;
}

struct marked {
  std::string_view prefix;
  size_t least; // key characters behind it
  const char* what;
};
// By what their makers begin them with.
constexpr std::array<marked, 13> prefixes{{{"sk-", 20, "an API key"},
                                           {"sk_live_", 16, "an API key"},
                                           {"ghp_", 30, "a GitHub token"},
                                           {"gho_", 30, "a GitHub token"},
                                           {"ghs_", 30, "a GitHub token"},
                                           {"github_pat_", 22, "a GitHub token"},
                                           {"glpat-", 20, "a GitLab token"},
                                           {"hf_", 30, "a Hugging Face token"},
                                           {"AKIA", 16, "an AWS access key"},
                                           {"AIza", 30, "a Google API key"},
                                           {"xoxb-", 20, "a Slack token"},
                                           {"Bearer ", 20, "a bearer token"},
                                           {"eyJhbGci", 40, "a JSON web token"}}};

// Names whose value is a secret, also behind "client_": name, then = or :, quotes and spaces between.
constexpr std::array<std::string_view, 7> names{"password", "passwd", "secret",     "api_key",
                                                "apikey",   "token",  "private_key"};
constexpr size_t least_value = 16;

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<std::string> marked_in(std::string_view line) {
  if (line.find("-----BEGIN ") != std::string_view::npos && line.find("PRIVATE KEY-----") != std::string_view::npos)
    return "a private key";
  for (const auto& p : prefixes)
    for (size_t at = line.find(p.prefix); at != std::string_view::npos; at = line.find(p.prefix, at + 1)) {
      auto begins = at == 0 || !is_word(line[at - 1]);
      if (begins && run_length(line, at + p.prefix.size()) >= p.least)
        return p.what;
    }
  return std::nullopt;
}

std::optional<std::string> assigned_in(std::string_view line) {
  auto small = lower(line);
  for (auto name : names)
    for (size_t at = small.find(name); at != std::string::npos; at = small.find(name, at + 1)) {
      auto from = at + name.size();
      if (at > 0 && std::isalnum(static_cast<unsigned char>(small[at - 1])) != 0)
        continue;
      auto spaces = [&] {
        while (from < small.size() && (small[from] == ' ' || small[from] == '"' || small[from] == '\''))
          ++from;
      };
      spaces();
      if (from >= small.size() || (small[from] != '=' && small[from] != ':'))
        continue;
      ++from;
      spaces();
      // A path names where a secret lies, and is none.
      if (from < small.size() && small[from] != '/' && small[from] != '.' && run_length(line, from) >= least_value)
        return "the value of '" + std::string{name} + "'";
    }
  return std::nullopt;
}

// Ends where a person or a program would end a URL.
std::optional<std::string> url_in(std::string_view line) {
  for (size_t at = line.find("://"); at != std::string_view::npos; at = line.find("://", at + 3)) {
    auto from = at;
    while (from > 0 && std::isalnum(static_cast<unsigned char>(line[from - 1])) != 0)
      --from;
    auto end = std::min(line.find_first_of(" \t\r\"'`<>|", at), line.size());
    if (auto found = secret_in_url(line.substr(from, end - from)))
      return *found + " in a URL";
  }
  return std::nullopt;
}

} // namespace

std::vector<leak> find_secrets(std::string_view text, const std::vector<known_secret>& known) {
  std::vector<leak> out;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::optional<std::string> what;
    for (const auto& k : known)
      if (k.value.size() >= least_known && line.find(k.value) != std::string_view::npos)
        what = k.what;
    if (!what)
      what = marked_in(line);
    if (!what)
      what = assigned_in(line);
    if (!what)
      what = url_in(line);
    if (what)
      out.push_back({number, *what});
  }
  return out;
}

} // namespace kevolve
