#include "tools/kevolve/dispatch/c_directives.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kevolve::dispatch {

namespace {

tl::unexpected<failure> refuse(size_t line, const std::string& why) {
  return fail(errc::unsupported, "line " + std::to_string(line) + ": " + why);
}

// Returns whether the pragma's effect ends with the statement or block that follows.
bool stays_local(const std::vector<token>& words, bool inside_braces) {
  const auto word = [&](size_t i) { return i < words.size() ? std::string_view{words[i].text} : std::string_view{}; };
  if (word(0) == "once" || word(0) == "omp" || word(0) == "unroll" || word(0) == "nounroll")
    return true;
  if (word(0) == "GCC" || word(0) == "clang")
    return word(1) == "unroll" || word(1) == "ivdep" || word(1) == "loop" || word(1) == "diagnostic"
           || (word(1) == "fp" && inside_braces);
  return word(0) == "STDC" && inside_braces;
}

class reader {
public:
  result<c_directives> read(const std::vector<token>& source) {
    for (size_t i = 0; i < source.size(); ++i) {
      const auto& t = source[i];
      result<void> done;
      if (t.kind == token_kind::directive)
        done = directive(t);
      else if (t.is("_Pragma") && i + 2 < source.size())
        done = operator_pragma(source[i + 2], depth_ > 0);
      else if (t.kind == token_kind::mark)
        depth_ += t.text == "{" ? 1 : t.text == "}" ? -1 : 0;
      if (!done)
        return tl::unexpected(done.error());
    }
    if (depth_ != 0 || !open_.empty())
      return fail(errc::unsupported, open_.empty() ? "its braces do not close" : "an #if does not end");
    return std::move(out_);
  }

private:
  result<void> directive(const token& t) {
    auto words = read_tokens(t.text);
    if (!words)
      return t.text.find("error") == std::string::npos && t.text.find("warning") == std::string::npos
                 ? refuse(t.line, "a preprocessor line that is not read: " + words.error().detail)
                 : result<void>{}; // for example "#error don't"
    if (words->empty())
      return {};
    const auto name = words->front().text;
    if (name == "define" || name == "undef")
      return macro(t, *words);
    if (name == "pragma") {
      words->erase(words->begin());
      return stays_local(*words, depth_ > 0)
                 ? result<void>{}
                 : refuse(t.line, "#" + t.text + " holds for what follows in the file, too");
    }
    if (name == "include")
      return include(t, *words);
    if (name == "if" || name == "ifdef" || name == "ifndef" || name == "elif" || name == "else" || name == "endif")
      return condition(t, *words);
    return name == "error" || name == "warning" || name == "line" ? result<void>{}
                                                                  : refuse(t.line, "#" + name + " is not known here");
  }

  result<void> macro(const token& t, const std::vector<token>& words) {
    if (words.size() < 2 || words[1].kind != token_kind::word)
      return refuse(t.line, "#" + t.text + " names nothing");
    const auto& name = words[1].text;
    auto& known = out_.macros[name];
    if (words[0].is("undef")) {
      known.line = known.is_defined ? known.line : t.line;
      return {};
    }
    // "(" belongs to the macro only if it directly follows the name.
    const auto behind = t.text.find(name, t.text.find("define") + 6) + name.size();
    const bool takes_arguments = behind < t.text.size() && t.text[behind] == '(';
    auto body = words.begin() + 2;
    if (takes_arguments) {
      body = std::find_if(body, words.end(), [](const token& x) { return x.is(")"); });
      if (body == words.end())
        return refuse(t.line, "#" + t.text + " does not close its brackets");
      ++body;
    }
    std::vector<token> text{body, words.end()};
    for (auto& x : text)
      x.line = t.line;
    for (size_t i = 0; i + 2 < text.size(); ++i)
      if (text[i].is("_Pragma"))
        if (auto local = operator_pragma(text[i + 2], true); !local)
          return local;
    known.is_plain = known.is_plain && std::none_of(text.begin(), text.end(), [](const token& x) {
                       return x.is(";") || x.is("{") || x.is("}") || x.is("#");
                     });
    if (known.is_defined) {
      known.varies = known.varies || known.takes_arguments != takes_arguments || !same(known.body, text);
      return {};
    }
    known.is_defined = true;
    known.takes_arguments = takes_arguments;
    known.body = std::move(text);
    known.line = t.line;
    return {};
  }

  static bool same(const std::vector<token>& a, const std::vector<token>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const token& x, const token& y) { return x.kind == y.kind && x.text == y.text; });
  }

  result<void> include(const token& t, const std::vector<token>& words) {
    if (words.size() < 2 || !words[1].is("<"))
      return refuse(t.line, "#" + t.text + ": only system headers, in angle brackets, can be included");
    const auto open = t.text.find('<');
    const auto close = t.text.find('>', open);
    if (close == std::string::npos)
      return refuse(t.line, "#" + t.text + " names no header");
    auto header = t.text.substr(open, close + 1 - open);
    if (open_.empty() && std::find(out_.headers.begin(), out_.headers.end(), header) == out_.headers.end())
      out_.headers.push_back(std::move(header));
    return {};
  }

  result<void> condition(const token& t, const std::vector<token>& words) {
    const auto& name = words.front().text;
    for (size_t i = 1; i < words.size(); ++i)
      if (words[i].kind == token_kind::word)
        out_.tested.emplace(words[i].text, t.line);
    if (name.starts_with("if")) {
      open_.push_back(depth_);
      return {};
    }
    if (open_.empty())
      return refuse(t.line, "#" + name + " without its #if");
    if (open_.back() != depth_)
      return refuse(t.line, "a condition opens or closes braces: what stands at file scope depends on it");
    if (name == "endif")
      open_.pop_back();
    return {};
  }

  // `text` is the operator's argument, including its quotes.
  static result<void> operator_pragma(const token& text, bool inside_braces) {
    std::string said;
    if (text.kind == token_kind::text && text.text.size() >= 2)
      said = text.text.substr(1, text.text.size() - 2);
    auto words = read_tokens(said);
    if (words && stays_local(*words, inside_braces))
      return {};
    return refuse(text.line, "_Pragma(" + text.text + ") holds for what follows in the file, too");
  }

  c_directives out_;
  int depth_ = 0;
  std::vector<int> open_; // brace depth at each open #if
};

} // namespace

result<c_directives> read_directives(const std::vector<token>& source) {
  return reader{}.read(source);
}

} // namespace kevolve::dispatch
