// kevolve-compile-server-cuda [--architecture sm_90a] [--python PATH] [--triton FOLDER], and the options of every
// compile server: compiles untrusted device sources, and reads references in Python, for a node, which holds the other
// end of descriptor 3. Not for people.
#include "backends/compile/program.hpp"
#include "backends/gpu_compile_server/engine.hpp"

#include <sched.h>

namespace {

// Compilers fill all cores while a device is leased, and each message of a screening waits for one: this takes only
// what others leave. Beside sixteen of them a screening takes 299 ms at the same priority, 156 at the lowest nice, 49
// so.
void give_way() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none); // whoever may not goes on as they were
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
