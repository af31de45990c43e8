// kevolve-compile-server-cuda [--architecture sm_90a] [--python PATH] [--triton FOLDER], and the options of every
// compile server. Compiles untrusted device sources and checks Python references for a node, which talks to it over
// descriptor 3. Not for direct use.
#include "backends/compile/program.hpp"
#include "backends/gpu_compile_server/engine.hpp"

#include <sched.h>

namespace {

// Compilers fill all cores while a device is leased, and every message of a screening then waits for a core. So this
// server uses only idle time. Beside sixteen compilers, a screening takes 299 ms at equal priority, 156 ms at the
// lowest nice level, and 49 ms this way.
void give_way() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none); // if this fails, the priority stays as it is
}

} // namespace

int main(int argc, char** argv) {
  give_way();
  std::string architecture = "sm_90a";
  std::string python;
  std::string triton;
  kevolve::server_program program;
  program.name = "kevolve-compile-server-cuda";
  program.own_usage = "[--architecture sm_90a] [--python PATH] [--triton FOLDER]";
  program.own = {{"--architecture", &architecture}, {"--python", &python}, {"--triton", &triton}};
  program.make = [&](const kevolve::compiler_options& options) {
    using namespace kevolve::cuda;
    auto disassembler = find_disassembler(find_cuda_toolchain().root, triton);
    return cuda_engine::make({options, architecture, std::move(disassembler)}, python, triton);
  };
  return kevolve::serve_compiles(argc, argv, program);
}
