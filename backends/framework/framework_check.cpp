#include "backends/framework/framework_check.hpp"

#include "backends/compile/diagnosis.hpp"
#include "backends/framework/framework_source.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;
using steady = std::chrono::steady_clock;

constexpr const char* file_name = "reference.py";

// Prints errors in a compiler's format: file:line:column: error: text.
constexpr const char* script = R"(import ast, sys
name, entry, given = sys.argv[1], sys.argv[2], sys.argv[3].split()
def refuse(line, column, what):
    print(f'{name}:{line}:{column}: error: {what}')
    sys.exit(1)
try:
    with open(name, 'rb') as file:
        tree = ast.parse(file.read(), name)
except SyntaxError as e:
    refuse(e.lineno or 1, e.offset or 1, e.msg)
except (ValueError, RecursionError, MemoryError) as e:
    refuse(1, 1, str(e) or type(e).__name__)
found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry]
if not found:
    refuse(1, 1, f"there is no function '{entry}' at the top level of the module")
# It is called by name with what the task gives. What a decorator or a later assignment makes of it, nobody knows here.
plain = not found[-1].decorator_list and not any(isinstance(node, ast.Name) and node.id == entry
                                                 and not isinstance(node.ctx, ast.Load) for node in ast.walk(tree))
for p in found[-1].args.posonlyargs if plain else []:
    refuse(p.lineno, p.col_offset + 1, f"parameter '{p.arg}' is positional only; arguments are passed by name")
for p in found[-1].args.args + found[-1].args.kwonlyargs if given and plain else []:
    if p.arg not in given:
        refuse(p.lineno, p.col_offset + 1, f"parameter '{p.arg}' is no input, size or scalar of the task (outputs are "
               f"returned); there are: {', '.join(given)}")
)";

// Returns the allowed parameter names of a reference.
std::string given_names(const contract& task) {
  std::string out;
  for (const auto& a : task.arguments)
    if (a.role != argument_role::output)
      out += (out.empty() ? "" : " ") + a.name;
  return out;
}

bool is_program(const std::string& path) {
  std::array<char, 4> begin{};
  std::ifstream in{path, std::ios::binary};
  return in.read(begin.data(), begin.size()) && begin == std::array<char, 4>{'\x7f', 'E', 'L', 'F'};
}

} // namespace

std::string find_python() {
  const auto* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "/usr/bin" : path};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto candidate = folder + "/python3"; folder.starts_with("/") && is_program(candidate))
      return candidate;
  return {};
}

result<framework_check> framework_check::make(const compiler_options& options, const std::string& python) {
  // Follows the links of a virtual environment to the interpreter itself, since its library lies beside it.
  std::error_code ec;
  const auto real = fs::canonical(python.empty() ? find_python() : python, ec);
  std::vector<std::string> readable;
  if (!ec && !real.string().starts_with("/usr/bin/")) {
    const auto prefix = real.parent_path().parent_path().string();
    readable = {real.string(), prefix + "/lib"};
  }
  auto tool = locked_tool::make(options, std::move(readable));
  if (!tool)
    return tl::unexpected(tool.error());
  return framework_check{std::move(*tool), ec ? "" : real.string()};
}

compile_outcome framework_check::run(const compile_request& request, attention& listener) const {
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = tool_.level();
  const auto begin = steady::now();
  if (!tool_.too_weak().empty())
    out.trouble = {fault_kind::sandbox_weak, tool_.too_weak(), 0};
  else if (request.kind == compile_kind::syntax_tree)
    refuse(out, "no syntax tree of pytorch\n");
  else if (request.role == compile_role::candidate)
    refuse(out, "a candidate's language is cuda or triton; pytorch is a reference's\n");
  else if (python_.empty())
    out.trouble = {fault_kind::toolchain_missing, "python3 is missing: apt-get install python3, or put it in PATH", 0};
  else if (request.source.size() > most_source)
    refuse(out, "the source has more than " + std::to_string(most_source) + " bytes\n");
  else if (tool_.run({python_, "-I", "-S", "-B", "-c", script, file_name, request.entry, given_names(request.task)},
                     file_name, request.source, request, listener, out)) {
    out.artifact = pack_framework({request.entry, request.source});
    out.result = verdict::pass;
  }
  out.log = clean_log(out.log, {tool_.work().path()});
  out.compile_ns = std::chrono::nanoseconds{steady::now() - begin}.count();
  return out;
}

} // namespace kevolve::cuda
