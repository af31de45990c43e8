// Completion scripts: words of the command line from its definition, campaigns from the node of ./kevolve-data.
#include "tools/kevolve/command_tree.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const auto& w : words)
    out += (out.empty() ? "" : between) + w;
  return out;
}

// Puts a text in single quotes, for all three shells.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (auto c : text)
    out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return out + "'";
}

std::vector<std::string> names(const command& c, bool with_value) {
  std::vector<std::string> out;
  for (const auto& o : c.options)
    if (!o.positional && (!with_value || !o.value.empty()))
      out.insert(out.end(), o.names.begin(), o.names.end());
  return out;
}

std::vector<std::string> children(const command& c) {
  std::vector<std::string> out;
  for (const auto& child : c.children)
    out.push_back(child.path.back());
  return out;
}

// Returns the name of the first positional argument: a campaign, a file; empty: nothing to complete.
std::string first_positional(const command& c) {
  for (const auto& o : c.options)
    if (o.positional)
      return o.names.front();
  return {};
}

bool takes_campaign(const command& c) {
  return first_positional(c) == "ID";
}

std::string path_key(const command& c) {
  return joined(c.path, " ");
}

std::string bash(const command& root) {
  std::string steps;
  std::string cases;
  for (const auto* c : all_commands(root)) {
    for (const auto& child : c->children)
      steps += fmt::format("      {}) path={} ;;\n", shell_word(path_key(*c) + ":" + child.path.back()),
                           shell_word(path_key(child)));
    std::string body = fmt::format("      words={}\n      values={}\n", shell_word(joined(children(*c), " ")),
                                   shell_word(" " + joined(names(*c, true), " ") + " "));
    body += fmt::format("      options={}\n", shell_word(joined(names(*c, false), " ")));
    if (takes_campaign(*c))
      body += "      words+=\" $(kevolve list --ids 2>/dev/null)\"\n";
    cases += fmt::format("    {})\n{}      ;;\n", shell_word(path_key(*c)), body);
  }
  return fmt::format(R"(# bash completion for kevolve. Made by: kevolve completions bash
_kevolve() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path='' i words='' values='' options=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path:${{COMP_WORDS[i]}}" in
{}    esac
  done
  case "$path" in
{}  esac
  if [[ $values == *" $prev "* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [[ ${{#COMPREPLY[@]}} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _kevolve kevolve
)",
                     steps, cases);
}

// For zsh's _arguments and _describe: colons and brackets mean something.
std::string escaped(const std::string& text) {
  std::string out;
  for (auto c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_function(const command& c) {
  auto name = "_kevolve" + (c.path.empty() ? "" : "_" + joined(c.path, "_"));
  std::replace(name.begin(), name.end(), '-', '_');
  std::string specs;
  for (const auto& o : c.options) {
    if (o.positional)
      continue;
    for (const auto& n : o.names)
      specs += fmt::format(" \\\n    {}", shell_word(n + "[" + escaped(o.about) + "]"
                                                     + (o.value.empty() ? "" : ":" + escaped(o.value) + ":_files")));
  }
  std::string out = name + "() {\n";
  if (!c.children.empty()) {
    out += "  local -a verbs=(\n";
    for (const auto& child : c.children)
      out += "    " + shell_word(escaped(child.path.back()) + ":" + escaped(child.about)) + "\n";
    out += "  )\n";
    out += "  local state line\n  typeset -A opt_args\n";
    out += "  _arguments -C" + specs + " \\\n    '1:verb:->verb' '*::word:->rest'\n";
    out += "  case $state in\n    verb) _describe verb verbs ;;\n    rest)\n      case $line[1] in\n";
    for (const auto& child : c.children) {
      auto callee = "_kevolve_" + joined(child.path, "_");
      std::replace(callee.begin(), callee.end(), '-', '_');
      out += "        " + child.path.back() + ") " + callee + " ;;\n";
    }
    out += "      esac ;;\n  esac\n}\n";
  } else {
    out += "  _arguments" + specs;
    out +=
        takes_campaign(c) ? " \\\n    '1:campaign:_kevolve_ids' '*:file:_files'\n}\n" : " \\\n    '*:file:_files'\n}\n";
  }
  for (const auto& child : c.children)
    out += zsh_function(child);
  return out;
}

std::string zsh(const command& root) {
  return "#compdef kevolve\n# Made by: kevolve completions zsh\n"
         "_kevolve_ids() {\n  local -a ids=(${(f)\"$(kevolve list --ids 2>/dev/null)\"})\n"
         "  _describe campaign ids\n}\n"
         + zsh_function(root)
         // Loaded as a function of $fpath, the first completion is this very call; sourced, it is only made known.
         + "if [[ ${funcstack[1]-} == _kevolve ]]; then _kevolve \"$@\"; else compdef _kevolve kevolve; fi\n";
}

std::string fish(const command& root) {
  std::string out = "# fish completion for kevolve. Made by: kevolve completions fish\ncomplete -c kevolve -f\n";
  for (const auto* c : all_commands(root)) {
    // Seen: the words of the path, and none of its children.
    std::string when;
    if (c->path.empty())
      when = "__fish_use_subcommand";
    else {
      for (const auto& word : c->path)
        when += (when.empty() ? "" : "; and ") + std::string{"__fish_seen_subcommand_from "} + word;
      if (!c->children.empty())
        when += "; and not __fish_seen_subcommand_from " + joined(children(*c), " ");
    }
    auto lead = "complete -c kevolve -n " + shell_word(when);
    for (const auto& child : c->children)
      out += lead + " -a " + child.path.back() + " -d " + shell_word(child.about) + "\n";
    if (takes_campaign(*c))
      out += lead + " -a '(kevolve list --ids 2>/dev/null)'\n";
    else if (!first_positional(*c).empty())
      out += lead + " -F\n";
    for (const auto& o : c->options) {
      if (o.positional)
        continue;
      out += lead;
      for (const auto& n : o.names)
        out += n.starts_with("--") ? " -l " + n.substr(2) : " -s " + n.substr(1);
      out += (o.value.empty() ? "" : " -r -F") + std::string{" -d "} + shell_word(o.about) + "\n";
    }
  }
  return out;
}

} // namespace

std::string completions_of(const command& root, const std::string& shell) {
  if (shell == "bash")
    return bash(root);
  if (shell == "zsh")
    return zsh(root);
  return shell == "fish" ? fish(root) : std::string{};
}

} // namespace kevolve
