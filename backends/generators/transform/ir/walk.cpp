#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve::transform {

void for_each_expr(stmt& s, const std::function<void(expr&)>& f) {
  switch (s.kind) {
    case stmt_kind::assign:
    case stmt_kind::vector_store:
      f(s.target);
      f(s.value);
      if (s.has_value && s.kind == stmt_kind::vector_store)
        f(s.from);
      break;
    case stmt_kind::declare:
    case stmt_kind::return_value:
      if (s.has_value)
        f(s.value);
      break;
    case stmt_kind::evaluate:
    case stmt_kind::while_loop:
    case stmt_kind::branch:
      f(s.value);
      break;
    case stmt_kind::loop:
      f(s.from);
      f(s.to);
      if (s.has_value) // the span a division left, see divide()
        f(s.value);
      break;
    default:
      break;
  }
}

void for_each_expr(const stmt& s, const std::function<void(const expr&)>& f) {
  for_each_expr(const_cast<stmt&>(s), [&](expr& e) { f(e); });
}

void rewrite(std::vector<stmt>& body, const std::function<void(stmt&)>& f) {
  for (auto& s : body) {
    f(s);
    if (!s.body.empty())
      rewrite(s.body.change(), f);
    if (!s.otherwise.empty())
      rewrite(s.otherwise.change(), f);
  }
}

void walk(const std::vector<stmt>& body, const std::function<void(const stmt&)>& f) {
  for (const auto& s : body) {
    f(s);
    walk(s.body, f);
    walk(s.otherwise, f);
  }
}

void rewrite(expr& e, const std::function<void(expr&)>& f) {
  f(e);
  if (!e.args.empty())
    for (auto& a : e.args.change())
      rewrite(a, f);
}

void walk(const expr& e, const std::function<void(const expr&)>& f) {
  f(e);
  for (const auto& a : e.args)
    walk(a, f);
}

void walk_exprs(const std::vector<stmt>& body, const std::function<void(const expr&)>& f) {
  walk(body, [&](const stmt& s) { for_each_expr(s, [&](const expr& e) { walk(e, f); }); });
}

void rewrite_exprs(std::vector<stmt>& body, const std::function<void(expr&)>& f) {
  rewrite(body, [&](stmt& s) { for_each_expr(s, [&](expr& e) { rewrite(e, f); }); });
}

bool mentions(const expr& e, const std::string& name) {
  if (e.kind == expr_kind::name)
    return e.text == name;
  if (std::find(e.names.begin(), e.names.end(), name) != e.names.end())
    return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](const expr& a) { return mentions(a, name); });
}

bool mentions(const stmt& s, const std::string& name) {
  bool found = std::find(s.names.begin(), s.names.end(), name) != s.names.end()
               || (!s.type.suffix.empty() && replace_identifier(s.type.suffix, name, "") != s.type.suffix);
  for_each_expr(s, [&](const expr& e) { found = found || mentions(e, name); });
  return found || mentions(s.body, name) || mentions(s.otherwise, name);
}

bool mentions(const std::vector<stmt>& body, const std::string& name) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) { return mentions(s, name); });
}

std::set<std::string> declared(const std::vector<stmt>& body) {
  std::set<std::string> out;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop)
      out.insert(s.name);
  });
  return out;
}

std::set<std::string> assigned(const std::vector<stmt>& body) {
  std::set<std::string> out;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name)
      out.insert(s.target.text);
    if (s.kind == stmt_kind::opaque)
      out.insert(s.changes.begin(), s.changes.end());
  });
  return out;
}

std::string replace_identifier(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  size_t i = 0;
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  while (i < text.size()) {
    char c = text[i];
    if (c == '"' || c == '\'') { // string and character literals stay
      size_t j = i + 1;
      while (j < text.size() && text[j] != c)
        j += text[j] == '\\' ? 2U : 1U;
      j = std::min(j + 1, text.size());
      out += text.substr(i, j - i);
      i = j;
    } else if (word(c)) {
      size_t j = i;
      while (j < text.size() && word(text[j]))
        ++j;
      auto token = text.substr(i, j - i);
      bool is_member = (i >= 1 && text[i - 1] == '.') || (i >= 2 && text.substr(i - 2, 2) == "->");
      out += token == from && !is_member ? to : token;
      i = j;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

namespace {

// Changes what satisfies `concerns` and leaves the rest shared with other trees.
template <class T>
void change_some(shared_list<T>& items, const std::function<bool(const T&)>& concerns,
                 const std::function<void(T&)>& f) {
  for (size_t i = 0; i < items.size(); ++i)
    if (concerns(items[i]))
      f(items.change()[i]);
}

class renaming {
public:
  explicit renaming(const std::map<std::string, std::string>& names) : names_(names) {}

  void in(stmt& s) const {
    change(s.name);
    for (auto& name : s.changes)
      change(name);
    change_text(s.names, s.text);
    if (!s.type.suffix.empty()) // how long an array is
      for (const auto& [from, to] : names_)
        s.type.suffix = replace_identifier(s.type.suffix, from, to);
    for_each_expr(s, [&](expr& e) { in(e); });
    for (auto* list : {&s.body, &s.otherwise})
      change_some<stmt>(*list, [&](const stmt& x) { return concerns(x); }, [&](stmt& x) { in(x); });
  }

private:
  bool has(const std::string& name) const { return names_.count(name) != 0; }
  bool any(const std::vector<std::string>& names) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return has(n); });
  }
  bool concerns(const expr& e) const {
    return (e.kind == expr_kind::name && has(e.text)) || any(e.names)
           || std::any_of(e.args.begin(), e.args.end(), [&](const expr& a) { return concerns(a); });
  }
  bool concerns(const stmt& s) const {
    bool found = has(s.name) || any(s.changes) || any(s.names);
    if (!s.type.suffix.empty())
      for (const auto& name : names_)
        found = found || replace_identifier(s.type.suffix, name.first, "") != s.type.suffix;
    for_each_expr(s, [&](const expr& e) { found = found || concerns(e); });
    for (const auto* list : {&s.body, &s.otherwise})
      found = found || std::any_of(list->begin(), list->end(), [&](const stmt& x) { return concerns(x); });
    return found;
  }
  void in(expr& e) const {
    if (e.kind == expr_kind::name)
      change(e.text);
    change_text(e.names, e.text);
    change_some<expr>(e.args, [&](const expr& a) { return concerns(a); }, [&](expr& a) { in(a); });
  }
  void change(std::string& name) const {
    if (auto it = names_.find(name); it != names_.end())
      name = it->second;
  }
  void change_text(std::vector<std::string>& mentioned, std::string& text) const {
    for (auto& name : mentioned) {
      auto old = name;
      change(name);
      if (name != old)
        text = replace_identifier(text, old, name);
    }
  }

  const std::map<std::string, std::string>& names_;
};

} // namespace

void rename(std::vector<stmt>& body, const std::map<std::string, std::string>& names) {
  renaming r{names};
  for (auto& s : body)
    r.in(s);
}

void rename(std::vector<stmt>& body, const std::string& from, const std::string& to) {
  rename(body, {{from, to}});
}

void substitute(expr& e, const std::string& name, const expr& replacement) {
  if (e.kind == expr_kind::name) {
    if (e.text == name)
      e = replacement;
    return;
  }
  if (const auto it = std::find(e.names.begin(), e.names.end(), name); it != e.names.end()) {
    e.text = replace_identifier(e.text, name, "(" + print(replacement) + ")");
    e.names.erase(it);
    walk(replacement, [&](const expr& x) {
      if (x.kind == expr_kind::name)
        e.names.push_back(x.text);
      e.names.insert(e.names.end(), x.names.begin(), x.names.end());
    });
    return;
  }
  change_some<expr>(
      e.args, [&](const expr& a) { return mentions(a, name); }, [&](expr& a) { substitute(a, name, replacement); });
  if (e.kind == expr_kind::binary && e.type.lanes == 1 && e.text == "+") // fold (i + 1) + 2
    if (literal_value(e.args[1]) && e.args[0].kind == expr_kind::binary && e.args[0].text == "+") {
      auto type = e.type;
      e = make_binary("+", e.args[0], e.args[1]);
      e.type = type;
    }
}

void substitute(stmt& s, const std::string& name, const expr& replacement) {
  if (!s.type.suffix.empty()) // how long an array is
    s.type.suffix = replace_identifier(s.type.suffix, name, "(" + print(replacement) + ")");
  for_each_expr(s, [&](expr& e) { substitute(e, name, replacement); });
  for (auto* list : {&s.body, &s.otherwise})
    change_some<stmt>(
        *list, [&](const stmt& x) { return mentions(x, name); }, [&](stmt& x) { substitute(x, name, replacement); });
}

void substitute(std::vector<stmt>& body, const std::string& name, const expr& replacement) {
  for (auto& s : body)
    substitute(s, name, replacement);
}

std::string fresh_name(program& p, const std::string& base) {
  auto used = [&](const std::string& n) { return std::find(p.taken.begin(), p.taken.end(), n) != p.taken.end(); };
  auto name = base;
  for (int i = 0; used(name); ++i)
    name = base + "_" + std::to_string(i);
  p.taken.push_back(name);
  return name;
}

std::string name_of_its_own(program& p, const std::string& like) {
  // Comments and texts too: where those begin and end is not looked at.
  const auto in_file = [&](const std::string& name) {
    const auto& text = p.source;
    const auto inside = [&](size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if ((at == 0 || !inside(at - 1)) && !inside(at + name.size()))
        return true;
    return false;
  };
  auto out = fresh_name(p, like);
  while (in_file(out))
    out = fresh_name(p, like);
  return out;
}

bool same(const expr& a, const expr& b) {
  if (a.kind == expr_kind::cast && a.implicit)
    return same(a.args[0], b);
  if (b.kind == expr_kind::cast && b.implicit)
    return same(a, b.args[0]);
  if (a.kind != b.kind || a.text != b.text || a.args.size() != b.args.size())
    return false;
  for (size_t i = 0; i < a.args.size(); ++i)
    if (!same(a.args[i], b.args[i]))
      return false;
  return true;
}

namespace {

bool has_label(const std::vector<stmt>& body, const loop_label& label) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    return s.label == label || has_label(s.body, label) || has_label(s.otherwise, label);
  });
}

} // namespace

void for_each_labelled(std::vector<stmt>& body, const loop_label& label,
                       const std::function<size_t(std::vector<stmt>&, size_t)>& f) {
  for (size_t i = 0; i < body.size();) {
    if (body[i].label == label) {
      i += std::max<size_t>(f(body, i), 1);
      continue;
    }
    for (auto* list : {&body[i].body, &body[i].otherwise})
      if (has_label(*list, label))
        for_each_labelled(list->change(), label, f);
    ++i;
  }
}

size_t weight(const std::vector<stmt>& body) {
  size_t n = 0;
  walk(body, [&](const stmt& s) {
    ++n;
    for_each_expr(s, [&](const expr& e) { walk(e, [&](const expr&) { ++n; }); });
  });
  return n;
}

} // namespace kevolve::transform
