#include "tools/kevolve/knowledge_check.hpp"

#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/knowledge_base.hpp"
#include "backends/capture.hpp"
#include "backends/hip/hip_toolchain.hpp"
#include "config/document.hpp"
#include "tools/kevolve/scratch_directory.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace kevolve {

namespace {

using words = std::vector<std::string>;

// The compilers of this machine; an empty path: none.
struct example_tools {
  std::string clang = find_program("clang-19");
  std::string nvcc = find_program("nvcc");
  std::string hip_clang = hip::find_hip_toolchain().clang;
  std::string python = find_program("python3");
};

// The way to compile examples in one language. The command is empty where this machine has no tool for it.
struct example_compiler {
  std::string language;
  words (*command)(const example_tools& tools, const std::string& file);
};

words c_command(const example_tools& tools, const std::string& file) {
  if (tools.clang.empty())
    return {};
  return {tools.clang, "-std=c17", "-O2", "-march=x86-64-v3", "-fsyntax-only", "-Wno-everything", "-x", "c", file};
}

words cuda_command(const example_tools& tools, const std::string& file) {
  if (tools.nvcc.empty())
    return {};
  return {tools.nvcc, "-std=c++17", "-arch=sm_90a", "-w", "--ptx", "-x", "cu", "-o", file + ".ptx", file};
}

words hip_command(const example_tools& tools, const std::string& file) {
  if (tools.hip_clang.empty())
    return {};
  return {tools.hip_clang,   "-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-fsyntax-only",
          "-Wno-everything", file};
}

words triton_command(const example_tools& tools, const std::string& file) {
  if (tools.python.empty())
    return {};
  return {tools.python, "-c", "import ast,sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])", file};
}

const std::vector<example_compiler>& example_compilers() {
  static const std::vector<example_compiler> all{
      {"c", c_command}, {"cuda", cuda_command}, {"hip", hip_command}, {"triton", triton_command}};
  return all;
}

// The first error that a compiler finds in an example. The position is within it; 0: none is named.
struct compiler_error {
  int line = 0;
  int column = 0;
  std::string text;
};

// Takes the position off the beginning: "3:22: error: …" of clang, "(3): error: …" of nvcc.
compiler_error without_position(const std::string& said) {
  compiler_error out;
  int end = 0;
  if (std::sscanf(said.c_str(), ":%d:%d: %n", &out.line, &out.column, &end) == 2 && end > 0)
    out.text = said.substr(static_cast<size_t>(end));
  else if (out.column = 0; std::sscanf(said.c_str(), "(%d): %n", &out.line, &end) == 1 && end > 0)
    out.text = said.substr(static_cast<size_t>(end));
  else
    return {0, 0, said};
  return out;
}

// Returns the first line that names an error, without the path of the scratch file.
compiler_error first_error(const std::string& output, const std::string& file) {
  size_t from = 0;
  compiler_error last;
  while (from < output.size()) {
    const auto end = std::min(output.find('\n', from), output.size());
    auto line = output.substr(from, end - from);
    from = end + 1;
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    if (const auto at = line.find(file); at != std::string::npos) {
      if (std::sscanf(line.c_str() + at + file.size(), "\", line %d", &last.line) == 1) // Python, before the error
        continue;
      line.erase(at, file.size());
    }
    if (line.find("error") != std::string::npos)
      return without_position(line);
    last.text = line;
  }
  return last; // Python states it last
}

void check_example(const std::string& document, const knowledge::code_example& e, const example_tools& tools,
                   document_findings& out) {
  const auto add = [&](const std::string& message, int line = 0, int column = 1) {
    out.errors.push_back({document, e.line + std::max(0, line - 1), column, e.language, message});
  };
  if (e.language == "text")
    return;
  const auto& compilers = example_compilers();
  const auto compiler = std::find_if(compilers.begin(), compilers.end(),
                                     [&](const example_compiler& c) { return c.language == e.language; });
  if (compiler == compilers.end()) {
    add("no example is in that language: tag the fence c, cuda, hip or triton, or text for a fragment");
    return;
  }
  scratch_directory folder{""};
  const auto made = folder.make();
  if (!made) {
    out.notes.insert("an example is not compiled: " + made.error().detail);
    return;
  }
  const auto file = *made + "/example." + e.language;
  std::ofstream{file} << e.text;
  const auto command = compiler->command(tools, file);
  if (command.empty()) {
    out.notes.insert("examples in " + e.language + " are not compiled: this machine has no compiler for them");
    return;
  }
  const auto done = capture(command);
  if (!done)
    out.notes.insert("an example is not compiled: " + done.error().detail);
  else if (done->status != 0) {
    const auto said = first_error(done->output, file);
    add("the example does not compile: " + said.text + "; correct it, or tag it text if it is a fragment", said.line,
        std::max(1, said.column));
  }
  ++out.examples;
}

using sections = std::vector<knowledge::document_section>;

// Checks the examples and references of a document. `code` is null where there is no source to look in.
void check_document(const std::string& document, const sections& all, const example_tools& tools,
                    const knowledge::code_roots* code, document_findings& out) {
  for (const auto& s : all) {
    for (const auto& e : s.examples)
      check_example(document, e, tools, out);
    for (const auto& r : s.references) {
      const auto name = "[" + r.file + "#" + r.symbol + "]";
      if (code == nullptr) {
        out.notes.insert(to_string(diagnostic{document, r.line, r.column, name,
                                              "is not looked up: --source DIR names the tree that it is of"}));
        continue;
      }
      if (const auto found = code->resolve(r.file, r.symbol))
        ++out.references;
      else
        out.errors.push_back({document, r.line, r.column, name,
                              found.error().detail + "; name a file and a symbol of the tree, or correct --source"});
    }
  }
}

// The sections of a document, also of one with errors.
struct read_file {
  std::string name;
  sections all;
  bool is_good = false;
};

// Reads the files that are named, or all that a node would serve.
std::vector<read_file> read_all(const words& files, const knowledge::knowledge_base& base,
                                std::vector<diagnostic>& errors) {
  std::vector<read_file> out;
  if (files.empty()) {
    errors.insert(errors.end(), base.problems().begin(), base.problems().end());
    for (const auto& d : base.documents())
      out.push_back({d.file, d.sections, true});
    return out;
  }
  for (const auto& file : files) {
    if (const auto wrong = knowledge::file_name_problem(file); !wrong.empty())
      errors.push_back({file, 0, 0, "", wrong});
    const auto text = read_text_file(file);
    if (!text) {
      errors.insert(errors.end(), text.error().begin(), text.error().end());
      continue;
    }
    auto& one = out.emplace_back();
    one.name = file;
    const auto d = knowledge::read_document(*text, file, knowledge::own_id(file), &one.all);
    one.is_good = d.has_value();
    if (!d)
      errors.insert(errors.end(), d.error().begin(), d.error().end());
  }
  return out;
}

} // namespace

result<document_findings> examine_documents(const words& files, const words& folders, const words& roots) {
  const auto base = knowledge::knowledge_base::load(folders);
  if (!base)
    return tl::unexpected(base.error());
  const auto code = knowledge::code_roots::open(roots);
  if (!code)
    return tl::unexpected(code.error());
  document_findings out;
  const example_tools tools;
  for (const auto& d : read_all(files, *base, out.errors)) {
    check_document(d.name, d.all, tools, code->empty() ? nullptr : &*code, out);
    out.documents += d.is_good ? 1U : 0U;
  }
  return out;
}

} // namespace kevolve
