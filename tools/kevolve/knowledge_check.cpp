#include "tools/kevolve/knowledge_check.hpp"

#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/knowledge_base.hpp"
#include "backends/capture.hpp"
#include "backends/hip/hip_toolchain.hpp"
#include "config/document.hpp"
#include "tools/kevolve/scratch_directory.hpp"

#include <algorithm>
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

// Returns the first line that names an error, without the path of the scratch file.
std::string first_error(const std::string& output, const std::string& file) {
  size_t from = 0;
  std::string last;
  while (from < output.size()) {
    const auto end = std::min(output.find('\n', from), output.size());
    auto line = output.substr(from, end - from);
    from = end + 1;
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    if (const auto at = line.find(file); at != std::string::npos)
      line.erase(at, file.size() + 1);
    if (line.find("error") != std::string::npos)
      return line;
    last = line;
  }
  return last; // Python states it last
}

void check_example(const knowledge::document& d, const knowledge::code_example& e, const example_tools& tools,
                   document_findings& out) {
  const auto add = [&](const std::string& message) { out.errors.push_back({d.file, e.line, 0, "", message}); };
  if (e.language == "text")
    return;
  const auto& compilers = example_compilers();
  const auto compiler = std::find_if(compilers.begin(), compilers.end(),
                                     [&](const example_compiler& c) { return c.language == e.language; });
  if (compiler == compilers.end()) {
    add("a fence is tagged c, cuda, hip or triton, or text for a fragment, not '" + e.language + "'");
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
  else if (done->status != 0)
    add("the example does not compile: " + first_error(done->output, file)
        + "; correct it, or tag it text if it is a "
          "fragment");
  ++out.examples;
}

// Checks the examples and references of a document. `code` is null where there is no source to look in.
void check_document(const knowledge::document& d, const example_tools& tools, const knowledge::code_roots* code,
                    document_findings& out) {
  for (const auto& s : d.sections) {
    for (const auto& e : s.examples)
      check_example(d, e, tools, out);
    for (const auto& r : s.references) {
      if (code == nullptr) {
        out.notes.insert("references [file#symbol] are not resolved: --source names no tree of source");
        continue;
      }
      ++out.references;
      if (const auto found = code->resolve(r.file, r.symbol); !found)
        out.errors.push_back({d.file, r.line, 0, "[" + r.file + "#" + r.symbol + "]",
                              found.error().detail + "; name a file and a symbol of the tree"});
    }
  }
}

// Reads the files that are named, or all that a node would serve.
std::vector<knowledge::document> read_all(const words& files, const knowledge::knowledge_base& base,
                                          std::vector<diagnostic>& errors) {
  if (files.empty()) {
    errors.insert(errors.end(), base.problems().begin(), base.problems().end());
    return base.documents();
  }
  std::vector<knowledge::document> out;
  for (const auto& file : files) {
    if (const auto wrong = knowledge::file_name_problem(file); !wrong.empty())
      errors.push_back({file, 0, 0, "", wrong});
    const auto text = read_text_file(file);
    if (!text) {
      errors.insert(errors.end(), text.error().begin(), text.error().end());
      continue;
    }
    auto d = knowledge::read_document(*text, file, knowledge::own_id(file));
    if (d)
      out.push_back(std::move(*d));
    else
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
    check_document(d, tools, code->empty() ? nullptr : &*code, out);
    ++out.documents;
  }
  return out;
}

} // namespace kevolve
