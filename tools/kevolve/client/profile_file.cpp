#include "tools/kevolve/client/profile_file.hpp"

#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/client/own_compile_server.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr uint32_t limit_ms = 120'000;

result<size_t> index_of_shape(const contract& task, const std::string& name) {
  std::string names;
  for (size_t i = 0; i < task.shapes.size(); ++i) {
    const auto& s = task.shapes[i];
    if (name.empty() ? !s.held_out : s.name == name)
      return i;
    names += (names.empty() ? "" : ", ") + s.name;
  }
  return fail(errc::not_found, "the task declares no shape '" + name + "'; there are: " + names);
}

result<compile_outcome> built(const contract& task, const target& hardware, const candidate& what) {
  if (auto wrong = hardware.lint_candidate(task, what.source); !wrong.empty())
    return fail(errc::bad_input, "the candidate cannot be used:\n" + wrong);
  compile_request q;
  q.job = random_id();
  q.language = what.language;
  q.source = what.source;
  q.flags = what.flags;
  q.limit_ms = limit_ms;
  q.task = task;
  own_compile_server server;
  auto out = server.start(hardware.compile_server()).and_then([&] { return server.compile(q); });
  if (out && out->trouble)
    return fail(errc::unavailable, out->trouble.kind + ": " + out->trouble.detail);
  if (out && out->result != verdict::pass)
    return fail(errc::bad_input, "the candidate does not compile:\n" + out->log);
  return out;
}

} // namespace

result<profile_subject> subject_of_file(const task_spec& task, const target& hardware, const candidate& what,
                                        const std::string& shape) {
  const auto index = index_of_shape(task.task, shape);
  if (!index)
    return tl::unexpected(index.error());
  auto build = built(task.task, hardware, what);
  if (!build)
    return tl::unexpected(build.error());
  profile_subject out;
  out.target = hardware.name();
  out.candidate = candidate_id(what);
  auto& q = out.request;
  q.task = task.task;
  q.shape = *index;
  q.target = out.target;
  q.source = what.source;
  q.language = what.language;
  q.flags = what.flags;
  q.object = std::move(build->artifact);
  q.bin_dir = helper_directory();
  json evidence = json::object();
  for (const auto& [name, value] : hardware.hardware())
    evidence[name] = value;
  for (const auto& [name, text] : build->evidence)
    evidence[name] = text;
  q.have[artefact_kind::evidence] = evidence.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto devices = hardware.devices();
  q.core = devices.empty() || devices[0].cores.empty() ? 0 : devices[0].cores[0];
  out.digests[artefact_kind::source] = sha256_hex(q.source);
  if (!q.object.empty())
    out.digests[artefact_kind::object] = sha256_hex(q.object);
  for (const auto& [kind, text] : q.have)
    out.digests[kind] = sha256_hex(text);
  return out;
}

} // namespace kevolve
