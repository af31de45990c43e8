// kevolve-compile-server --cache DIR [--scratch DIR] [--keep DIR [--keep-after-ms N]] [--memory-mib N]
// [--allow-weak-sandbox LAYER]: compiles untrusted sources for a node, which talks to it over descriptor 3. Not for
// direct use; use `kevolve eval`.
#include "backends/compile/program.hpp"
#include "backends/cpu/compile_server/compiler.hpp"

int main(int argc, char** argv) {
  std::string cache;
  kevolve::server_program program;
  program.name = "kevolve-compile-server";
  program.own_usage = "--cache DIR";
  program.own = {{"--cache", &cache}};
  program.required = &cache;
  program.make = [&](const kevolve::compiler_options& options) { return kevolve::compiler::make(options, cache); };
  return kevolve::serve_compiles(argc, argv, program);
}
