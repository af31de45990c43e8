#include "tools/kevolve/bundle/bundle_object.hpp"

#include "backends/host_machine.hpp"
#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/bundle/device_reading.hpp"
#include "tools/kevolve/client/own_compile_server.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <sys/utsname.h>

#include <sstream>

namespace kevolve {

namespace {

constexpr uint32_t compile_limit_ms = 600'000; // ends what hangs; a busy machine is many times slower

std::string machine_name() {
  utsname os{};
  return ::uname(&os) == 0 ? os.machine : "";
}

std::vector<std::string> processor_features() {
  std::istringstream words{processor_field(0, "flags") + " " + processor_field(0, "Features")};
  std::vector<std::string> out;
  for (std::string w; words >> w;)
    out.push_back(w);
  return out;
}

// Compiles as the judge does: the same server, in its sandbox, with the flag set of the measurement.
result<python_object> compile_object(const bundle_input& b) {
  auto hardware = make_target("cpu", helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  compile_request q;
  q.job = random_id();
  q.language = b.language;
  q.source = b.kernel_source;
  q.entry = b.task.entry;
  q.flags = b.flag_set;
  q.threads = b.task.threads;
  q.libraries = b.task.libraries;
  q.limit_ms = compile_limit_ms;
  q.task = b.task;
  own_compile_server server;
  auto built = server.start((*hardware)->compile_server()).and_then([&] { return server.compile(q); });
  if (!built)
    return tl::unexpected(built.error());
  if (built->result != verdict::pass)
    return fail(errc::internal, "compiling the kernel for the Python package: "
                                    + (built->trouble ? built->trouble.detail : built->log));
  return python_object{std::move(built->artifact), machine_name(), features_for_compilers(processor_features())};
}

// Returns the files of a bundle for GPUs with its package.
result<std::vector<bundle_file>> device_package(bundle_input& b) {
  if (auto done = compile_kernels(b); !done)
    return tl::unexpected(done.error());
  auto files = bundle_files(b);
  if (files)
    for (auto& f : python_package(b, b.package, {}))
      files->push_back(std::move(f));
  return files;
}

} // namespace

result<void> check_package_name(const std::string& name) {
  if (name.empty() || is_python_name(name))
    return {};
  return fail(errc::bad_input,
              "--name " + printable(name)
                  + ": a package's name is of small letters, digits and _, and not the name of a module "
                    "of Python or PyTorch; "
                  + python_name(name) + " would do");
}

result<std::vector<bundle_file>> bundle_with_package(bundle_input& b, const std::string& name) {
  if (b.without_package.empty())
    b.without_package = lacks_python_package(b);
  if (!b.without_package.empty()) {
    if (!name.empty() && !b.module)
      return fail(errc::bad_input, "--name: " + b.without_package + ", so there is no Python package");
    return bundle_files(b);
  }
  b.package = name.empty() ? python_name(b.task.name) : name;
  if (!b.kernels.empty())
    return device_package(b);
  auto files = bundle_files(b);
  if (!files)
    return files;
  auto object = compile_object(b);
  if (!object)
    return tl::unexpected(object.error());
  for (auto& f : python_package(b, b.package, *object))
    files->push_back(std::move(f));
  return files;
}

} // namespace kevolve
