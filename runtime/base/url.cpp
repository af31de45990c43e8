#include "runtime/base/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kevolve {

namespace {

// Names in lower case without '-', '_' and '.'.
constexpr std::array<std::string_view, 26> whole_names{"key",
                                                       "apikey",
                                                       "token",
                                                       "accesstoken",
                                                       "auth",
                                                       "authorization",
                                                       "bearer",
                                                       "secret",
                                                       "secretkey",
                                                       "clientsecret",
                                                       "secretaccesskey",
                                                       "accesskey",
                                                       "password",
                                                       "passwd",
                                                       "passphrase",
                                                       "pass",
                                                       "pwd",
                                                       "sig",
                                                       "signature",
                                                       "credential",
                                                       "credentials",
                                                       "code",
                                                       "jwt",
                                                       "subscriptionkey",
                                                       "sas",
                                                       "session"};
// Last words of longer names: "subscription-key", "x-amz-signature", "refresh_token".
constexpr std::array<std::string_view, 13> last_words{"key",    "apikey",    "token",     "secret",     "password",
                                                      "passwd", "pwd",       "pass",      "passphrase", "jwt",
                                                      "sig",    "signature", "credential"};
// Ends of names without a separator between their words: "accessToken", "dbPassword".
constexpr std::array<std::string_view, 6> endings{"token", "apikey", "accesskey", "secret", "password", "passphrase"};
// The only parameter that a base address may have.
constexpr std::string_view known_parameter = "api-version";
constexpr size_t longest_version = 32;

int hexadecimal(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

template <size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Returns the first parameter of "a=b&c=d" (or with ';') that has a value and the name of a secret.
std::optional<std::string> secret_parameter(std::string_view query) {
  while (!query.empty()) {
    auto end = query.find_first_of("&;");
    auto pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    auto equals = pair.find('=');
    if (equals == std::string_view::npos || equals + 1 == pair.size())
      continue;
    auto raw = pair.substr(0, equals);
    if (auto name = percent_decode(raw, true).value_or(std::string{raw}); is_secret_name(name))
      return "the parameter '" + name + "'";
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space)
      out += ' ';
    else if (text[i] != '%')
      out += text[i];
    else {
      if (i + 2 >= text.size())
        return std::nullopt;
      auto high = hexadecimal(text[i + 1]);
      auto low = hexadecimal(text[i + 2]);
      if (high < 0 || low < 0 || (high == 0 && low == 0))
        return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool is_secret_name(std::string_view name) {
  auto small = lower(name);
  auto last = small.substr(small.find_last_of("-_. []") + 1);
  small.erase(std::remove_if(small.begin(), small.end(), [](char c) { return c == '-' || c == '_' || c == '.'; }),
              small.end());
  return among(whole_names, small) || among(last_words, last)
         || std::any_of(endings.begin(), endings.end(), [&](std::string_view end) { return small.ends_with(end); });
}

std::optional<std::string> secret_in_url(std::string_view url) {
  auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos)
    return std::nullopt;
  auto scheme = lower(url.substr(0, scheme_end));
  const auto web = scheme == "http" || scheme == "https";
  auto rest = url.substr(scheme_end + 3);
  // Most programs skip surplus slashes and take what follows them for the host.
  if (web)
    rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
  auto authority = rest.substr(0, rest.find_first_of("/?#\\"));
  rest.remove_prefix(authority.size());
  if (auto at = authority.rfind('@'); at != std::string_view::npos) {
    auto user = authority.substr(0, at);
    auto colon = user.find(':');
    auto password = colon != std::string_view::npos && colon + 1 < user.size();
    if (password || (!user.empty() && web))
      return "a user's name or password";
  }
  const auto path = percent_decode(rest.substr(0, rest.find_first_of("?#")), false).value_or(std::string{});
  if (auto parameters = path.find(';'); parameters != std::string::npos)
    if (auto found = secret_parameter(std::string_view{path}.substr(parameters + 1)))
      return found;
  // A fragment may be written like a query, and people paste it as one.
  while (!rest.empty()) {
    auto begin = rest.find_first_of("?#");
    if (begin == std::string_view::npos)
      break;
    rest.remove_prefix(begin + 1);
    if (auto found = secret_parameter(rest.substr(0, rest.find_first_of("?#"))))
      return found;
  }
  return std::nullopt;
}

std::optional<std::string> base_url_problem(std::string_view url) {
  const auto web = url.starts_with("https://") ? 8U : url.starts_with("http://") ? 7U : 0U;
  if (web == 0)
    return "expected http:// or https://";
  if (auto secret = secret_in_url(url))
    return "holds " + *secret
           + ", and this file is read and copied by others: leave it out, and give the key by key_env or key_file";
  const auto odd = [](unsigned char c) { return c <= 0x20 || c == 0x7f || c == '\\'; };
  if (std::any_of(url.begin(), url.end(), odd))
    return "holds a blank, a control character or a backslash, which no URL does: leave it out or write it as %XX";
  auto rest = url.substr(web);
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.empty() || authority.front() == ':' || authority.find('@') != std::string_view::npos)
    return "names no host behind its two slashes: write https://HOST/PATH";
  if (rest.find('#') != std::string_view::npos)
    return "holds a fragment, which no provider gets to see: leave out the '#' and what follows it";
  const auto question = rest.find('?');
  const auto path = percent_decode(rest.substr(0, question), false);
  if (!path)
    return "holds a '%' that two hexadecimal digits do not follow: write %25 for the sign itself";
  if (path->find(';') != std::string::npos)
    return "holds parameters in its path: leave out the ';' and what follows it; a key is given by key_env or key_file";
  auto query = question == std::string_view::npos ? std::string_view{} : rest.substr(question + 1);
  // Checks each parameter by name and shape. Other parameters may be secrets, so the message does not repeat them.
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    const auto value = pair.substr(std::min(equals + 1, pair.size()));
    const auto plain = std::all_of(value.begin(), value.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.'; });
    if (lower(pair.substr(0, equals)) != known_parameter || value.empty() || value.size() > longest_version || !plain)
      return "holds a query; none but '" + std::string{known_parameter}
             + "=VERSION' is taken: leave out the rest, and give a key by key_env or key_file";
  }
  return std::nullopt;
}

} // namespace kevolve
