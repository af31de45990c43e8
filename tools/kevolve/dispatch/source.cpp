#include "tools/kevolve/dispatch/source.hpp"

#include "tools/kevolve/bundle/escape.hpp"
#include "tools/kevolve/dispatch/plan.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::dispatch {

namespace {

std::string section(const source_part& part) {
  auto out = "\n/* " + c_comment(part.label) + ": " + c_comment(part.about) + " */\n";
  const auto own = part.names.file_scope();
  for (const auto& name : own)
    out +=
        "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n#define " + name + " " + name_in(part, name) + "\n";
  for (const auto& name : part.names.macros)
    out += "#pragma push_macro(\"" + name + "\")\n";
  out += part.text;
  if (!part.text.ends_with('\n'))
    out += '\n';
  for (const auto& names : {own, part.names.macros})
    for (const auto& name : names)
      out += "#pragma pop_macro(\"" + name + "\")\n";
  return out;
}

std::string call(const contract& task, const source_part& part) {
  std::string arguments;
  for (const auto& a : task.arguments)
    arguments += (arguments.empty() ? "" : ", ") + a.name;
  return name_in(part, task.entry) + "(" + arguments + ");\n";
}

class entry_writer {
public:
  entry_writer(const contract& task, const source_part& reference, const std::vector<source_part>& kernels)
      : task_(task), reference_(reference), kernels_(kernels) {}

  std::string write(const regions& r) const {
    auto out = c_prototype(task_) + " {\n";
    if (r.measured.empty())
      return out + branch(r.inside, "  ") + "}\n";
    out += "  ";
    for (const auto& rule : rules_of(r))
      out += "if (" + outside_text(r.measured, rule.sides) + ") {\n    " + call_of(rule.kernel) + "  } else ";
    return out + "{\n" + branch(r.inside, "    ") + "  }\n}\n";
  }

private:
  std::string call_of(const choice& c) const { return call(task_, c ? kernels_[*c] : reference_); }

  std::string branch(const decision& d, const std::string& indent) const {
    if (d.parts.empty())
      return indent + call_of(d.kernel);
    return indent + "if (" + comparison_text(d, false) + ") {\n" + branch(d.parts[0], indent + "  ") + indent
           + "} else {\n" + branch(d.parts[1], indent + "  ") + indent + "}\n";
  }

  const contract& task_;
  const source_part& reference_;
  const std::vector<source_part>& kernels_;
};

} // namespace

result<source_part> read_part(std::string label, std::string about, std::string text, const std::string& entry) {
  auto names = read_names(text);
  if (!names)
    return tl::unexpected(names.error());
  if (!names->functions.contains(entry))
    return fail(errc::unsupported, "no function " + entry + " is defined in its text (a macro defines it?)");
  return source_part{std::move(label), std::move(about), std::move(text), std::move(*names)};
}

std::string name_in(const source_part& part, const std::string& name) {
  return "kevolve_" + part.label + "_" + name;
}

std::string dispatcher_source(const contract& task, const source_part& reference,
                              const std::vector<source_part>& kernels, const regions& r) {
  std::vector<const source_part*> parts{&reference};
  for (auto k : kernels_in(r))
    parts.push_back(&kernels[k]);
  std::vector<std::string> headers{"<stdint.h>"};
  for (const auto* p : parts)
    for (const auto& h : p->names.headers)
      if (std::find(headers.begin(), headers.end(), h) == headers.end())
        headers.push_back(h);
  auto out = "/* " + c_comment(task.name)
             + ": the kernel that was measured to be the fastest, by the sizes; the reference\n"
               "   where none was shown to be as fast. Written by kevolve. */\n";
  for (const auto& h : headers) // before any name is changed
    out += "#include " + h + "\n";
  for (const auto* p : parts)
    out += section(*p);
  return out + "\n" + entry_writer{task, reference, kernels}.write(r);
}

} // namespace kevolve::dispatch
