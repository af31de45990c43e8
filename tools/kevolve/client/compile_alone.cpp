#include "tools/kevolve/client/compile_alone.hpp"

#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/own_compile_server.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <sstream>

namespace kevolve {

namespace {

constexpr uint32_t limit_ms = 60'000;

// Compiles a candidate. One that its text alone rules out needs no compiler, which may be missing.
result<compile_outcome> compile(own_compile_server& server, const contract& task, const target& hardware,
                                const candidate& what) {
  if (auto wrong = hardware.lint_candidate(task, what.source); !wrong.empty()) {
    compile_outcome out;
    out.result = verdict::compile_error;
    out.log = std::move(wrong);
    return out;
  }
  compile_request q;
  q.job = random_id();
  q.language = what.language;
  q.source = what.source;
  q.flags = what.flags;
  q.limit_ms = limit_ms;
  q.task = task;
  return server.start(hardware.compile_server()).and_then([&] { return server.compile(q); });
}

} // namespace

int compile_alone(const contract& task, const target& hardware, const candidate& what,
                  const std::string& missing_requirements, bool as_json) {
  own_compile_server server;
  const auto built = compile(server, task, hardware, what);
  if (!built)
    return report({errc::internal, "the compile server: " + to_string(built.error())}, as_json);
  const auto compiles = built->result == verdict::pass;
  if (as_json)
    print_out(to_text(json{{"task", task.name},
                           {"candidate", to_string(candidate_id(what))},
                           {"target", hardware.name()},
                           {"trust", to_string(hardware.trust())},
                           {"compiles_only", true},
                           {"lacks", or_null(missing_requirements)},
                           {"verdict", compiles || built->trouble ? json(nullptr) : json(to_string(built->result))},
                           {"fault", to_json(built->trouble)},
                           {"detail", built->log},
                           {"evidence", built->evidence},
                           {"flags", what.flags},
                           {"sandbox_level", or_null(built->sandbox_level)}})
              + "\n");
  else {
    auto out = task.name + " on " + hardware.name() + ": "
               + (built->trouble ? "no verdict: " + built->trouble.kind + ": " + printable(built->trouble.detail)
                  : compiles     ? "it compiles; nothing was launched, so nothing is judged"
                                 : to_string(built->result))
               + "\n";
    std::istringstream lines{built->log};
    for (std::string line; std::getline(lines, line);)
      out += "  " + printable(line) + "\n";
    if (!missing_requirements.empty())
      out += "to judge it, this machine lacks " + printable(missing_requirements) + "\n";
    print_out(out);
  }
  // Where no machine could ever judge it, to compile is all there is.
  return compiles && hardware.compiles_only() ? exit_code::ok : exit_code::failed;
}

} // namespace kevolve
