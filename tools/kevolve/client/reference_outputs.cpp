#include "tools/kevolve/client/reference_outputs.hpp"

#include "backends/framework/trace.hpp"
#include "backends/judge/call_data.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <bit>
#include <chrono>

namespace kevolve {

namespace {

constexpr auto limit = std::chrono::seconds{120};
constexpr uint64_t memory_bytes = uint64_t{16} << 30U; // of the address space, of which PyTorch takes some
constexpr const char* question_name = "task.json";

json value_of(const argument& a, uint64_t bits) {
  if (a.role == argument_role::size || !is_floating(a.type))
    return static_cast<int64_t>(bits);
  return a.type == dtype::f64 ? std::bit_cast<double>(bits)
                              : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

json arguments_of(const contract& task, const call_data& call) {
  auto out = json::array();
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    json one{
        {"name", a.name}, {"role", to_string(a.role)}, {"dtype", to_string(a.type)}, {"extent", !a.extent.empty()}};
    if (is_array(a))
      one["shape"] = call.geometries[i].dims;
    else
      one["value"] = value_of(a, call.by_value[i]);
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace

std::string unchecked_text(const traced_outputs& outputs) {
  const std::string alone = "a reference in PyTorch runs on the GPU's machine alone";
  if (outputs.not_traced.empty())
    return alone + "; here the shapes and types of its outputs were traced, and they fit";
  return alone + "; its outputs were " + (outputs.traced.empty() ? "not traced here: " : "traced here in part: ")
         + outputs.not_traced;
}

std::string outputs_question(const contract& task) {
  auto shapes = json::array();
  for (const auto& shape : task.shapes)
    if (const auto call = outline_call(task, shape))
      shapes.push_back({{"name", shape.name}, {"arguments", arguments_of(task, *call)}});
  return to_text(json{{"entry", task.entry}, {"shapes", std::move(shapes)}});
}

traced_outputs read_outputs(const std::string& answer, const task_spec& task) {
  traced_outputs out;
  const auto read = json::parse(answer, nullptr, false);
  if (!read.is_object()) {
    out.not_traced = "the tracing process gave no document";
    return out;
  }
  out.not_traced = text_at(read, "not_traced");
  for (const auto& name : read.value("traced", json::array()))
    if (name.is_string())
      out.traced.push_back(name.get<std::string>());
  for (const auto& x : read.value("wrong", json::array()))
    if (x.is_object())
      out.wrong.push_back({task.reference_path, static_cast<int>(number_at(x, "line")), 1, "",
                           "'" + task.task.entry + "' on shape '" + text_at(x, "shape") + "': " + text_at(x, "what")});
  if (out.not_traced.empty() && out.traced.size() < task.task.shapes.size())
    out.not_traced = "the sizes of some shapes depend on data";
  return out;
}

traced_outputs trace_outputs(const task_spec& task) {
  cuda::trace_request q;
  q.python = cuda::tracing_python();
  if (q.python.empty())
    return {{}, {}, "there is no python3 in PATH: install Python 3 with PyTorch, or name one by KEVOLVE_PYTHON"};
  q.package = helper_directory() + "/kevolve-torch.pyz";
  q.file = task.reference_path;
  q.verb = "outputs";
  q.arguments = {"--task", question_name};
  q.beside = {{question_name, outputs_question(task.task)}};
  q.limit = limit;
  q.memory_bytes = memory_bytes;
  const auto answered = cuda::run_trace(q);
  return answered ? read_outputs(answered->document, task) : traced_outputs{{}, {}, answered.error().detail};
}

} // namespace kevolve
