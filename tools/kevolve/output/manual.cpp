// Manual pages from the definition of the command line.
#include "tools/kevolve/command_tree.hpp"

#include <string>

namespace kevolve {

namespace {

// Returns the text as roff takes it: hyphens that may be copied, no line that begins like a request.
std::string roff(const std::string& text) {
  std::string out;
  auto begins = true;
  for (auto c : text) {
    if (begins && (c == '.' || c == '\''))
      out += "\\&";
    begins = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  for (auto& c : text)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string synopsis(const command& c) {
  std::string out = ".B kevolve";
  for (const auto& word : c.path)
    out += " " + roff(word);
  out += "\n";
  if (!c.children.empty())
    out += ".I VERB\n";
  for (const auto& o : c.options)
    if (o.positional)
      out += o.required ? ".I " + roff(o.names.front()) + "\n" : ".RI [ " + roff(o.names.front()) + " ]\n";
  return out + ".RI [ OPTION \".\\|.\\|.\" ]\n";
}

std::string option_text(const command_option& o) {
  std::string head = ".TP\n";
  if (o.positional)
    return head + ".I " + roff(o.names.front()) + "\n" + roff(o.about) + "\n";
  head += ".BR ";
  for (size_t i = 0; i < o.names.size(); ++i)
    head += (i == 0 ? "" : " \", \" ") + roff(o.names[i]);
  if (!o.value.empty())
    head += " \" " + roff(o.value) + "\"";
  return head + "\n" + roff(o.about) + "\n";
}

// The example is the footer's first line, up to its end; the rest is prose.
std::string footer_text(const std::string& footer) {
  const std::string lead = "Example: ";
  auto end = footer.find('\n');
  auto first = footer.substr(0, end);
  std::string out;
  if (end != std::string::npos)
    out += ".SH NOTES\n" + roff(footer.substr(end + 1)) + "\n";
  if (first.starts_with(lead))
    out += ".SH EXAMPLES\n.EX\n" + roff(first.substr(lead.size())) + "\n.EE\n";
  return out;
}

} // namespace

std::string page_name(const command& of) {
  std::string out = "kevolve";
  for (const auto& word : of.path)
    out += "-" + word;
  return out;
}

std::string manual_page(const command& of, const std::string& version) {
  const auto name = page_name(of);
  std::string out = ".TH " + upper(roff(name)) + " 1 \"\" \"kevolve " + roff(version) + "\" \"kevolve manual\"\n";
  out += ".SH NAME\n" + roff(name) + " \\- " + roff(of.about) + "\n";
  out += ".SH SYNOPSIS\n" + synopsis(of);
  out += ".SH DESCRIPTION\n" + roff(of.about) + (of.about.ends_with(".") ? "\n" : ".\n");
  if (!of.children.empty()) {
    out += ".SH VERBS\n";
    for (const auto& child : of.children)
      out += ".TP\n.BR " + roff(page_name(child)) + " (1)\n" + roff(child.about) + "\n";
  }
  out += ".SH OPTIONS\n";
  for (const auto& o : of.options)
    out += option_text(o);
  out += footer_text(of.footer);
  if (!of.path.empty())
    out += ".SH \"EXIT STATUS\"\n0 ok, 1 the work failed, 2 usage or configuration, 3 not found, 4 not authorised, 5 "
           "conflict, 6 no node answers, 7 timed out, 8 budget exhausted before any valid kernel, 130 interrupted.\n";
  out += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set and not empty, nothing is coloured.\n";
  out += ".SH \"SEE ALSO\"\n";
  std::string list = of.path.empty() ? "" : ".BR kevolve (1)";
  for (const auto& c : of.children)
    list += (list.empty() ? "" : ",\n") + std::string{".BR "} + roff(page_name(c)) + " (1)";
  return out + list + "\n";
}

} // namespace kevolve
