#include "tools/kevolve/secret_scan.hpp"

#include "runtime/base/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace kevolve {

namespace {

constexpr size_t least_known = 8;
constexpr int most_quoted = 4;

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
constexpr std::array<marked, 21> prefixes{{{"sk-", 20, "an API key"},
                                           {"sk_live_", 16, "an API key"},
                                           {"sk_test_", 16, "an API key"},
                                           {"gsk_", 20, "an API key"},
                                           {"ghp_", 30, "a GitHub token"},
                                           {"gho_", 30, "a GitHub token"},
                                           {"ghu_", 30, "a GitHub token"},
                                           {"ghs_", 30, "a GitHub token"},
                                           {"ghr_", 30, "a GitHub token"},
                                           {"github_pat_", 22, "a GitHub token"},
                                           {"glpat-", 20, "a GitLab token"},
                                           {"npm_", 30, "an npm token"},
                                           {"hf_", 30, "a Hugging Face token"},
                                           {"AKIA", 16, "an AWS access key"},
                                           {"ASIA", 16, "an AWS access key"},
                                           {"AIza", 30, "a Google API key"},
                                           {"xoxb-", 20, "a Slack token"},
                                           {"xoxp-", 20, "a Slack token"},
                                           {"eyJhbGci", 40, "a JSON web token"},
                                           {"eyJ0eXAi", 40, "a JSON web token"},
                                           {"eyJraWQi", 40, "a JSON web token"}}};
constexpr size_t least_bearer = 20;

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
  constexpr std::string_view scheme = "bearer ";
  const auto small = lower(line);
  for (size_t at = small.find(scheme); at != std::string::npos; at = small.find(scheme, at + 1))
    if ((at == 0 || !is_word(small[at - 1])) && run_length(small, at + scheme.size()) >= least_bearer)
      return "a bearer token";
  return std::nullopt;
}

// The strength with which a name suggests that its value is a secret: most values of names with "key" or "code" are
// not.
enum class promise : uint8_t { none, weak, strong, password };

promise promise_of(std::string_view name) {
  if (!is_secret_name(name))
    return promise::none;
  auto small = lower(name);
  small.erase(std::remove_if(small.begin(), small.end(), [](char c) { return c == '-' || c == '_' || c == '.'; }),
              small.end());
  const auto ends = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](std::string_view end) { return small.ends_with(end); });
  };
  if (ends({"password", "passwd", "passphrase", "pwd"}))
    return promise::password;
  return ends({"token", "secret", "jwt", "bearer", "authorization", "credential", "credentials", "apikey", "accesskey",
               "secretkey", "privatekey", "subscriptionkey"})
             ? promise::strong
             : promise::weak;
}

// Tells if the value only stands for a secret: the path of its file, a variable, a mask.
bool stands_for_another(std::string_view value) {
  if (value.find_first_not_of(value.front()) == std::string_view::npos)
    return true;
  for (std::string_view end : {".pem", ".key", ".crt"})
    if (value.ends_with(end))
      return true;
  return std::string_view{"/.<({["}.find(value.front()) != std::string_view::npos || value.starts_with("${");
}

bool is_secret_value(std::string_view value, promise by) {
  if (value.empty() || stands_for_another(value))
    return false;
  auto digit = false;
  auto small = false;
  auto capital = false;
  auto mark = false; // one that words and identifiers do not have
  for (auto each : value) {
    const auto c = static_cast<unsigned char>(each);
    digit = digit || std::isdigit(c) != 0;
    small = small || std::islower(c) != 0;
    capital = capital || std::isupper(c) != 0;
    mark = mark || !is_key_character(each);
  }
  const auto letter = small || capital;
  if (by == promise::password)
    return value.size() >= 16 || (value.size() >= 8 && letter && (digit || mark));
  if (value.find(' ') != std::string_view::npos)
    return false;
  return value.size() >= 16 && (by == promise::strong || (letter && digit));
}

// Returns the value after an assignment's mark: a word, or everything between quotes.
std::string_view value_behind(std::string_view line, size_t from) {
  from = std::min(line.find_first_not_of(' ', from), line.size());
  auto rest = line.substr(from);
  if (rest.empty())
    return rest;
  if (rest.front() == '"' || rest.front() == '\'' || rest.front() == '`')
    return rest.substr(1, std::min(rest.find(rest.front(), 1), rest.size()) - 1);
  return rest.substr(0, rest.find_first_of(" \t\r\"'`,;()<>{}[]|"));
}

// "Basic dXNlcjpwYXNz": the scheme, then what it wants, of which a short one is a secret, too.
bool holds_credentials(std::string_view line, size_t from) {
  from = std::min(line.find_first_not_of(" \"'`", from), line.size());
  auto space = std::min(line.find(' ', from), line.size());
  const auto scheme = lower(line.substr(from, space - from));
  if (scheme != "basic" && scheme != "bearer" && scheme != "token" && scheme != "digest")
    return false;
  const auto value = value_behind(line, space);
  const auto any = [&](int (*is)(int)) {
    return std::any_of(value.begin(), value.end(), [is](unsigned char c) { return is(c) != 0; });
  };
  return value.size() >= 8 && (any(std::isdigit) || (any(std::islower) && any(std::isupper)));
}

// Finds name = value, "name": "value".
std::optional<std::string> assigned_in(std::string_view line) {
  const auto is_mark = [&](size_t i) { return i < line.size() && (line[i] == '=' || line[i] == ':'); };
  for (size_t at = line.find_first_of("=:"); at != std::string_view::npos; at = line.find_first_of("=:", at + 1)) {
    const auto defines = line.substr(at, 2) == ":=";
    if ((is_mark(at + 1) && !defines) || (at > 0 && is_mark(at - 1))) // a comparison, a scope
      continue;
    auto end = at;
    while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '"' || line[end - 1] == '\''))
      --end;
    auto begin = end;
    while (begin > 0 && (is_word(line[begin - 1]) || line[begin - 1] == '-' || line[begin - 1] == '.'))
      --begin;
    const auto name = line.substr(begin, end - begin);
    const auto by = promise_of(name);
    if (by == promise::none)
      continue;
    const auto from = at + (defines ? 2 : 1);
    if (is_secret_value(value_behind(line, from), by) || holds_credentials(line, from))
      return "the value of '" + lower(name) + "'";
  }
  return std::nullopt;
}

// Finds --name value, as on a command line.
std::optional<std::string> option_in(std::string_view line) {
  for (size_t at = line.find("--"); at != std::string_view::npos; at = line.find("--", at + 2)) {
    const auto begin = std::min(line.find_first_not_of('-', at), line.size());
    const auto end = std::min(
        line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", begin), line.size());
    const auto name = line.substr(begin, end - begin);
    const auto by = promise_of(name);
    if ((by == promise::strong || by == promise::password) && end < line.size() && line[end] == ' '
        && is_secret_value(value_behind(line, end), by))
      return "the value of --" + lower(name);
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

std::optional<std::string> secret_in(std::string_view text, const std::vector<known_secret>& known) {
  for (const auto& k : known)
    if (k.value.size() >= least_known && text.find(k.value) != std::string_view::npos)
      return k.what;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (auto what = marked_in(line))
      return what;
    if (auto what = assigned_in(line))
      return what;
    if (auto what = option_in(line))
      return what;
    if (auto what = url_in(line))
      return what;
  }
  return std::nullopt;
}

// Decodes JSON's escapes: a token may begin right after the 'n' of a "\n", and inner quotes have a backslash before
// them.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const auto c = text[++i];
    constexpr std::string_view blanks = "nrtbf";
    unsigned code = 0;
    if (c == 'u' && i + 4 < text.size()
        && std::from_chars(text.data() + i + 1, text.data() + i + 5, code, 16).ptr == text.data() + i + 5) {
      out += code < 0x80 ? static_cast<char>(code) : '?'; // no secret is made of others
      i += 4;
    } else
      out += blanks.find(c) != std::string_view::npos ? '\n' : c;
  }
  return out;
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
    auto what = secret_in(line, known);
    // A text may be quoted in a text: an answer of a service in an event, that in a line of a log.
    auto form = std::string{line};
    for (auto depth = 0; !what && depth < most_quoted && form.find('\\') != std::string::npos; ++depth) {
      form = unescape(form);
      what = secret_in(form, known);
    }
    if (what)
      out.push_back({number, *what});
  }
  return out;
}

} // namespace kevolve
