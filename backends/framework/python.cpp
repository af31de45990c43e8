#include "backends/framework/python.hpp"

#include "backends/capture.hpp"
#include "backends/helper_words.hpp"

#include <cstdlib>
#include <sstream>

namespace kevolve::cuda {

namespace {

constexpr auto limit = std::chrono::seconds{30};

// Imports only the files that contain versions, since importing the framework takes seconds.
constexpr const char* script = R"(import importlib.util, os, sys
print('path', sys.executable)
print('version', '.'.join(str(n) for n in sys.version_info[:3]))
spec = importlib.util.find_spec('torch')
if spec and spec.origin:
    found = {}
    with open(os.path.join(os.path.dirname(spec.origin), 'version.py')) as file:
        exec(file.read(), found)
    print('torch', found['__version__'])
    print('torch_cuda', found.get('cuda') or '')
spec = importlib.util.find_spec('triton')
if spec and spec.origin:
    import importlib.metadata
    print('triton', importlib.metadata.version('triton'))
    print('triton_path', os.path.dirname(spec.origin))
)";

} // namespace

framework_python find_framework_python() {
  framework_python out;
  const auto named = named_python();
  const auto program = named.empty() ? find_program("python3") : named;
  if (program.empty()) {
    out.why = "there is no python3 in PATH, and KEVOLVE_PYTHON names none";
    return out;
  }
  // Wrappers that select a Python version read the user's home folder.
  const auto* home = std::getenv("HOME");
  const auto said =
      capture({"/usr/bin/env", std::string{"HOME="} + (home == nullptr ? "/" : home), program, "-c", script}, limit);
  if (!said || said->status != 0) {
    out.why = program + ": " + (said ? said->output.substr(0, 300) : said.error().detail);
    return out;
  }
  std::istringstream lines{said->output}; // the output may contain warnings
  for (std::string line; std::getline(lines, line);)
    for (const auto& [key, field] : {std::pair{"path ", &out.path},
                                     {"version ", &out.version},
                                     {"torch ", &out.torch},
                                     {"torch_cuda ", &out.torch_cuda},
                                     {"triton ", &out.triton},
                                     {"triton_path ", &out.triton_path}})
      if (line.starts_with(key))
        *field = line.substr(std::string_view{key}.size());
  return out;
}

doctor_row examine_triton(const framework_python& python) {
  if (python.triton.empty())
    return {"triton", doctor_row::state::missing, "this python3 has no Triton",
            "python3 -m pip install triton==" + std::string{tried_triton}
                + ", for the python3 that is first in PATH or that KEVOLVE_PYTHON names"};
  const auto tried = python.triton.starts_with(tried_triton);
  return {"triton", tried ? doctor_row::state::ok : doctor_row::state::weaker,
          python.triton + " in " + python.triton_path + (tried ? "" : ", untried"),
          tried ? ""
                : "python3 -m pip install triton==" + std::string{tried_triton} + ": what candidates were tried with"};
}

} // namespace kevolve::cuda
