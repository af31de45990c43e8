#include "backends/generators/transform/codegen/print.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <string_view>

namespace kevolve::transform {

std::string scalar_name(scalar_kind k) {
  switch (k) {
    case scalar_kind::boolean:
      return "_Bool";
    case scalar_kind::i8:
      return "int8_t";
    case scalar_kind::u8:
      return "uint8_t";
    case scalar_kind::i16:
      return "int16_t";
    case scalar_kind::u16:
      return "uint16_t";
    case scalar_kind::i32:
      return "int32_t";
    case scalar_kind::u32:
      return "uint32_t";
    case scalar_kind::i64:
      return "int64_t";
    case scalar_kind::u64:
      return "uint64_t";
    case scalar_kind::f16:
      return "_Float16";
    case scalar_kind::f32:
      return "float";
    case scalar_kind::f64:
      return "double";
    case scalar_kind::none:
      break;
  }
  return "void";
}

std::string vector_name(scalar_kind k, unsigned lanes) {
  static constexpr std::string_view names[] = {"void", "u8",  "i8",  "u8",  "i16", "u16", "i32",
                                               "u32",  "i64", "u64", "f16", "f32", "f64"};
  auto name = std::string{names[static_cast<size_t>(k)]};
  return lanes > 1 ? name + "x" + std::to_string(lanes) : name;
}

std::string bits_name(const expr& e) {
  return vector_name(e.type.base, 1) + "_from_bits_of_" + e.text;
}

std::string print_type(const ctype& t) {
  if (t.lanes > 1)
    return vector_name(t.base, t.lanes);
  auto out = (t.is_const ? "const " : "") + (t.text.empty() ? scalar_name(t.base) : t.text);
  if (t.depth > 0)
    out += " " + std::string(t.depth, '*');
  return out;
}

namespace {

int precedence(const expr& e) {
  switch (e.kind) {
    case expr_kind::conditional:
    case expr_kind::minimum: // prints as one
      return 3;
    case expr_kind::binary: {
      const auto& op = e.text;
      if (op == "||")
        return 4;
      if (op == "&&")
        return 5;
      if (op == "|")
        return 6;
      if (op == "^")
        return 7;
      if (op == "&")
        return 8;
      if (op == "==" || op == "!=")
        return 9;
      if (op == "<" || op == ">" || op == "<=" || op == ">=")
        return 10;
      if (op == "<<" || op == ">>")
        return 11;
      if (op == "+" || op == "-")
        return 12;
      return 13;
    }
    case expr_kind::unary:
    case expr_kind::cast:
      return 14;
    case expr_kind::bits:
      return e.type.lanes > 1 ? 14 : 16;
    case expr_kind::opaque:
      return 0;
    default:
      return 16;
  }
}

std::string wrapped(const expr& e, int least) {
  auto text = print(e);
  return precedence(bare(e)) < least ? "(" + text + ")" : text;
}

std::string list_of(const std::vector<expr>& args) {
  std::string out;
  for (const auto& a : args)
    out += (out.empty() ? "" : ", ") + print(a);
  return out;
}

std::string address(const expr& subscript) {
  return "&" + wrapped(subscript, 15);
}

// Returns true if the operator wants brackets around a nested one for a reader (and -Wparentheses).
bool unclear(const std::string& outer, const expr& inner) {
  const auto& e = bare(inner);
  if (e.kind != expr_kind::binary || e.text == outer)
    return false;
  bool bitwise = outer == "&" || outer == "|" || outer == "^" || outer == "<<" || outer == ">>";
  return bitwise || (outer == "||" && e.text == "&&");
}

} // namespace

std::string print(const expr& e) {
  const auto& a = e.args;
  auto vec = [&] { return vector_name(e.type.base, e.type.lanes); };
  switch (e.kind) {
    case expr_kind::literal:
    case expr_kind::name:
    case expr_kind::opaque:
      return e.text;
    case expr_kind::subscript:
      return wrapped(a[0], 15) + "[" + print(a[1]) + "]";
    case expr_kind::member:
      return wrapped(a[0], 15) + e.text;
    case expr_kind::unary: {
      auto inner = wrapped(a[0], 14);
      // - -x is not --x.
      return e.text + (inner.front() == e.text.back() ? " " : "") + inner;
    }
    case expr_kind::binary: {
      int p = precedence(e);
      auto left = unclear(e.text, a[0]) ? "(" + print(a[0]) + ")" : wrapped(a[0], p);
      auto right = unclear(e.text, a[1]) ? "(" + print(a[1]) + ")" : wrapped(a[1], p + 1);
      return left + " " + e.text + " " + right;
    }
    case expr_kind::conditional:
      return wrapped(a[0], 4) + " ? " + wrapped(a[1], 3) + " : " + wrapped(a[2], 3);
    case expr_kind::call:
      return e.text + "(" + list_of(a) + ")";
    case expr_kind::cast:
      return e.implicit ? print(a[0]) : "(" + print_type(e.type) + ")" + wrapped(a[0], 14);
    case expr_kind::bits:
      return e.type.lanes > 1 ? "(" + vec() + ")" + wrapped(a[0], 14) : bits_name(e) + "(" + print(a[0]) + ")";
    case expr_kind::vector_load:
      return a.size() == 1 ? "load_" + vec() + "(" + address(a[0]) + ")"
                           : "load_part_" + vec() + "(" + address(a[0]) + ", " + print(a[1]) + ")";
    case expr_kind::splat:
      return "splat_" + vec() + "(" + print(a[0]) + ")";
    case expr_kind::ramp:
      return "ramp_" + vec() + "(" + print(a[0]) + ")";
    case expr_kind::compose:
      return "(" + vec() + "){" + list_of(a) + "}";
    case expr_kind::gather:
      return "gather_" + vec() + "_" + vector_name(a[1].type.base, a[1].type.lanes) + "(" + list_of(a) + ")";
    case expr_kind::blend:
      return "blend_" + vec() + "(" + list_of(a) + ")";
    case expr_kind::convert:
      return "__builtin_convertvector(" + print(a[0]) + ", " + vec() + ")";
    case expr_kind::elementwise:
      return e.text + "_" + vec() + "(" + list_of(a) + ")";
    case expr_kind::fold:
      return "fold_" + e.text + "_" + vector_name(a[0].type.base, a[0].type.lanes) + "(" + print(a[0]) + ")";
    case expr_kind::minimum: {
      // The first is a position plus a step and so at least as wide as the second.
      auto x = wrapped(a[0], 11);
      auto y = wrapped(a[1], 11);
      return x + " < " + y + " ? " + x + " : " + y;
    }
  }
  return {};
}

namespace {

void line(std::string& out, int indent, const std::string& text) {
  out += std::string(static_cast<size_t>(indent) * 2, ' ') + text + "\n";
}

void print_list(std::string& out, const std::vector<stmt>& body, int indent);

void print_stmt(std::string& out, const stmt& s, int indent) {
  for (const auto& pragma : s.pragmas)
    out += "#pragma " + pragma + "\n";
  switch (s.kind) {
    case stmt_kind::block:
      line(out, indent, "{");
      print_list(out, s.body, indent + 1);
      line(out, indent, "}");
      break;
    case stmt_kind::declare: {
      auto text = print_type(s.type);
      text += (text.back() == '*' ? "" : " ") + s.name + s.type.suffix;
      line(out, indent, (s.is_static ? "static " : "") + text + (s.has_value ? " = " + print(s.value) : "") + ";");
      break;
    }
    case stmt_kind::assign:
      line(out, indent, print(s.target) + " " + s.op + " " + print(s.value) + ";");
      break;
    case stmt_kind::evaluate:
      line(out, indent, print(s.value) + ";");
      break;
    case stmt_kind::loop: {
      auto advance = s.step == 1 ? "++" + s.name : s.name + " += " + std::to_string(s.step);
      line(out, indent,
           "for (" + print_type(s.type) + " " + s.name + " = " + print(s.from) + "; " + s.name + " < "
               + wrapped(s.to, 11) + "; " + advance + ") {");
      print_list(out, s.body, indent + 1);
      line(out, indent, "}");
      break;
    }
    case stmt_kind::while_loop:
      line(out, indent, "while (" + print(s.value) + ") {");
      print_list(out, s.body, indent + 1);
      line(out, indent, "}");
      break;
    case stmt_kind::branch:
      line(out, indent, "if (" + print(s.value) + ") {");
      print_list(out, s.body, indent + 1);
      if (!s.otherwise.empty()) {
        line(out, indent, "} else {");
        print_list(out, s.otherwise, indent + 1);
      }
      line(out, indent, "}");
      break;
    case stmt_kind::return_value:
      line(out, indent, s.has_value ? "return " + print(s.value) + ";" : "return;");
      break;
    case stmt_kind::break_out:
      line(out, indent, "break;");
      break;
    case stmt_kind::next:
      line(out, indent, "continue;");
      break;
    case stmt_kind::vector_store: {
      auto name = s.has_value ? "store_part" : s.op.empty() ? "store" : s.op;
      line(out, indent,
           name + "_" + vector_name(s.value.type.base, s.value.type.lanes) + "(" + address(s.target) + ", "
               + print(s.value) + (s.has_value ? ", " + print(s.from) : "") + ");");
      break;
    }
    case stmt_kind::opaque:
      line(out, indent, s.text);
      break;
  }
}

void print_list(std::string& out, const std::vector<stmt>& body, int indent) {
  for (const auto& s : body)
    print_stmt(out, s, indent);
}

// Returns the entry's head as written, with `__restrict`, as C and C++ alike have it, put where the contract allows it.
std::string head(const program& p) {
  auto text = p.source.substr(p.function_begin, p.body_begin - p.function_begin);
  if (!p.add_restrict)
    return text;
  for (auto it = p.parameters.rbegin(); it != p.parameters.rend(); ++it)
    if (it->plain_pointer && !it->is_restrict && it->name_offset >= p.function_begin)
      text.insert(it->name_offset - p.function_begin, "__restrict ");
  return text;
}

// Returns the start of the comment right above the entry: helpers stand before it, not between it and its function.
size_t comment_begin(const program& p) {
  const auto& text = p.source;
  auto line_of = [&](size_t at) { return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; }; // npos + 1 is 0
  auto at = p.function_begin;
  while (at > 0) {
    auto last = text.find_last_not_of(" \t\n", at - 1);
    if (last == std::string::npos || last == 0)
      return at;
    auto line = line_of(last);
    if (text.compare(text.find_first_not_of(" \t", line), 2, "//") == 0) {
      if (text.find("*/", line) < at)
        return at;
      at = line;
      continue;
    }
    if (text.compare(last - 1, 2, "*/") != 0)
      return at;
    auto open = text.rfind("/*", last - 1);
    if (open == std::string::npos || text.find_first_not_of(" \t", line_of(open)) != open)
      return at;
    auto before = open == 0 ? std::string::npos : text.rfind("/*", open - 1);
    auto closed = open == 0 ? std::string::npos : text.rfind("*/", open - 1);
    if (before != std::string::npos && (closed == std::string::npos || closed < before))
      return at; // the comment holds another "/*": it began earlier
    at = line_of(open);
  }
  return at;
}

} // namespace

std::string print_body(const std::vector<stmt>& body, int indent) {
  std::string out;
  print_list(out, body, indent);
  return out;
}

namespace {

size_t count_lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

void add_loops(const std::vector<stmt>& body, int indent, size_t line, std::vector<loop_lines>& out) {
  for (const auto& s : body) {
    std::string text;
    print_stmt(text, s, indent);
    const auto lines = count_lines(text);
    const auto head = line + s.pragmas.size();
    if (s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop)
      out.push_back({s.label, head, line + lines - 1});
    add_loops(s.body, indent + 1, head + 1, out);
    if (!s.otherwise.empty())
      add_loops(s.otherwise, indent + 1, head + 2 + count_lines(print_body(s.body, indent + 1)), out);
    line += lines;
  }
}

} // namespace

std::vector<loop_lines> lines_of_loops(const program& p, const std::string& text) {
  const auto body = print_body(p.body, 1);
  const auto at = body.empty() ? std::string::npos : text.find("\n" + body + "}");
  std::vector<loop_lines> out;
  if (at != std::string::npos)
    add_loops(p.body, 1, 2 + count_lines(text.substr(0, at)), out);
  return out;
}

std::string print_program(const program& p, const std::string& header) {
  auto out = header;
  auto comment = comment_begin(p);
  out += p.source.substr(0, comment);
  if (auto helpers = vector_prologue(p); !helpers.empty())
    out += helpers + "\n";
  out += p.source.substr(comment, p.function_begin - comment);
  out += head(p) + "{\n";
  if (p.alignment > 0)
    for (const auto& x : p.parameters)
      if (x.type.depth == 1 && x.type.suffix.empty())
        line(out, 1,
             x.name + " = (" + print_type(x.type) + ")__builtin_assume_aligned(" + x.name + ", "
                 + std::to_string(p.alignment) + ");");
  print_list(out, p.body, 1);
  out += "}";
  out += p.source.substr(p.function_end);
  if (out.back() != '\n')
    out += '\n';
  return out;
}

} // namespace kevolve::transform
