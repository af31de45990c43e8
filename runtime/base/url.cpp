#include "runtime/base/url.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kevolve {

namespace {

// As written in lower case without '-', '_' and '.'.
constexpr std::array<std::string_view, 18> whole_names{
    "key",        "apikey", "token",        "accesstoken", "auth",       "authorization",
    "bearer",     "secret", "clientsecret", "secretkey",   "password",   "passwd",
    "passphrase", "pwd",    "sig",          "signature",   "credential", "credentials"};
// The last word of a longer name: "subscription-key", "x-amz-signature", "refresh_token".
constexpr std::array<std::string_view, 9> last_words{"key",    "apikey", "token",     "secret",    "password",
                                                     "passwd", "sig",    "signature", "credential"};

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

// Of "a=b&c=d", also with ';' between; the first with a secret's name and a value.
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
  return among(whole_names, small) || among(last_words, last) || small.ends_with("token") || small.ends_with("apikey");
}

std::optional<std::string> secret_in_url(std::string_view url) {
  auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos)
    return std::nullopt;
  auto scheme = lower(url.substr(0, scheme_end));
  auto rest = url.substr(scheme_end + 3);
  auto authority = rest.substr(0, rest.find_first_of("/?#\\"));
  rest.remove_prefix(authority.size());
  if (auto at = authority.rfind('@'); at != std::string_view::npos) {
    auto user = authority.substr(0, at);
    auto colon = user.find(':');
    auto password = colon != std::string_view::npos && colon + 1 < user.size();
    if (password || (!user.empty() && (scheme == "http" || scheme == "https")))
      return "a user's name or password";
  }
  // A fragment may be written like a query, and is one for those who paste it.
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

} // namespace kevolve
