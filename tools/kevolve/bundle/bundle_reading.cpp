#include "tools/kevolve/bundle/bundle_reading.hpp"

#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/base/verdict_text.hpp"
#include "tools/kevolve/bundle/device_reading.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/task_reading.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace kevolve {

namespace {

// Returns the text unchanged; text_at() sanitises it for people.
std::string raw_at(const json& x, const char* key) {
  const auto i = x.find(key);
  return i != x.end() && i->is_string() ? i->get<std::string>() : std::string{};
}

uint64_t count_at(const json& x, const char* key) {
  return static_cast<uint64_t>(number_at(x, key));
}

double number_or_infinity(const json& x) {
  return x.is_number() ? x.get<double>() : std::numeric_limits<double>::infinity();
}

// Without an interval the one that is there stays.
void read_speedup(const json& x, speedup_interval& out) {
  out.speedup = number_at(x, "speedup");
  const auto* const key = x.contains("interval") ? "interval" : "ci95"; // its name in nodes of before
  if (const auto interval = x.find(key); interval != x.end() && interval->is_array()) {
    out.ci_low = number_or_infinity((*interval)[0]);
    out.ci_high = number_or_infinity((*interval)[1]);
  }
}

void read_basis(const json& x, bundle_input& b) {
  b.basis = {number_at(x, "coverage"), static_cast<uint32_t>(count_at(x, "pairs")),
             static_cast<uint32_t>(count_at(x, "sessions"))};
  const auto outputs = x.find("outputs");
  if (outputs == x.end() || !outputs->is_object())
    return;
  for (const auto& [key, figure] : {std::pair{"not_read", &b.outputs.not_read}, {"read", &b.outputs.read}})
    if (const auto f = outputs->find(key); f != outputs->end() && f->is_object())
      read_speedup(*f, *figure);
}

result<void> read_task(const json& task, bundle_input& b) {
  auto spec = task_told(task);
  if (!spec)
    return tl::unexpected(spec.error());
  b.reference_source = std::move(spec->reference_source);
  b.oracle_source = std::move(spec->oracle_source);
  b.oracle_entry = std::move(spec->oracle_entry);
  b.task = std::move(spec->task);
  b.module = module_origins(spec->text);
  if (b.module) {
    const auto text = spec->files.find(b.module->file);
    if (text == spec->files.end())
      return fail(errc::unsupported,
                  "the node is older than this kevolve and does not tell the task's module: update it");
    b.module_source = text->second;
  }
  const auto& shapes = task["shapes"];
  for (size_t i = 0; i < shapes.size(); ++i) {
    bundle_shape s;
    s.name = b.task.shapes[i].name;
    s.held_out = b.task.shapes[i].held_out;
    s.weight = b.task.shapes[i].weight;
    s.flops = number_at(shapes[i], "flops");
    s.bytes = number_at(shapes[i], "bytes");
    b.shapes.push_back(std::move(s));
  }
  return {};
}

void read_times(const json& shapes, bundle_input& b) {
  for (const auto& t : shapes)
    for (auto& s : b.shapes) {
      if (s.name != raw_at(t, "shape"))
        continue;
      if (t["reference_ns"].is_object())
        s.reference_ns = number_at(t["reference_ns"], "median");
      if (t["candidate_ns"].is_object()) {
        s.kernel_ns = number_at(t["candidate_ns"], "median");
        s.pairs = count_at(t["candidate_ns"], "samples");
      }
      read_speedup(t, s);
    }
}

result<void> read_best(const json& status, json best, bundle_input& b) {
  const auto verdict = raw_at(best, "verdict");
  if (!is_pass(verdict))
    return fail(errc::not_found, fmt::format("nothing to bundle: candidate {}, the best, does not pass ({})",
                                             count_at(best, "index"), verdict.empty() ? "no verdict" : verdict));
  if (const auto why = raw_at(status, "reason"); why.find("its best no longer holds") != std::string::npos)
    return fail(errc::not_found, "nothing to bundle: " + printable(why));
  const auto& p = best["proposal"];
  b.kernel_source = raw_at(best, "source");
  if (b.kernel_source.empty())
    return fail(errc::not_found, "the best's source is no longer stored: the campaign was forgotten in part");
  if (sha256_hex(b.kernel_source) != raw_at(p, "source_sha256"))
    return fail(errc::corrupt,
                "the best's source does not have the digest it was judged under: it is not what was measured");
  b.language = raw_at(p, "language");
  b.flag_set = raw_at(p, "flags");
  b.node = count_at(best, "index");
  b.summary = raw_at(p, "summary");
  b.generator = raw_at(p, "generator");
  read_speedup(best, b);
  read_basis(best, b);
  b.beside_pytorch = raw_at(best, "baseline_headline");
  b.verdict = verdict;
  b.evidence = json::array();
  const json* against_reference = nullptr;
  for (auto& e : best["evaluations"]) {
    if (e.contains("fingerprint"))
      b.fingerprint = e["fingerprint"];
    if (e.contains("outcome") && (raw_at(e, "baseline") == "reference" || raw_at(e, "rival") == "reference"))
      against_reference = &e["outcome"]["shapes"];
    if (e.contains("outcome") && e["outcome"].contains("tried") && e["outcome"]["tried"].is_object())
      b.checked_on = raw_at(e["outcome"]["tried"], "text") + " " + raw_at(e["outcome"], "not_tried");
    if (e.contains("outcome") && e["outcome"].contains("evidence"))
      b.stack_kib = std::max(b.stack_kib, std::atof(raw_at(e["outcome"]["evidence"], "stack_kib").c_str()));
    b.evidence.push_back(e);
  }
  const auto told = status.find("best");
  if (told != status.end() && told->is_object() && candidate_at(*told) == b.node) {
    read_speedup(*told, b);
    read_basis(*told, b);
    b.final_confirmed = told->value("final", false);
    b.disturbed = raw_at(*told, "disturbed");
    b.reused_from = told->value("reused_from", json{});
    if (!(*told)["shapes"].empty()) {
      read_times((*told)["shapes"], b);
      return {};
    }
  }
  if (against_reference != nullptr) // a screening against another candidate does not contain the reference's time
    read_times(*against_reference, b);
  return {};
}

result<void> read_history(connection& node, const std::string& path, bundle_input& b) {
  uint64_t after = 0;
  uint64_t finished = 0;
  for (;;) {
    auto page = node.get(path + "/history?after=" + std::to_string(after));
    if (!page)
      return tl::unexpected(page.error());
    for (const auto& e : (*page)["items"]) {
      const auto kind = raw_at(e, "kind");
      const auto& data = e["data"];
      if (kind == "node_finished")
        ++finished;
      if (is_champion_change(kind))
        b.progress.push_back({finished, count_at(data, "index"), number_at(data, "speedup")});
      if (kind == "campaign_prepared" && data.contains("admission"))
        b.call_overhead_ns = std::atof(raw_at(data["admission"]["evidence"], "call_overhead_ns").c_str());
      if (kind == "campaign_prepared" && data.contains("peaks"))
        for (const auto& [name, value] : data["peaks"].items())
          if (value.is_string())
            b.peaks[name.starts_with("peak.") ? name.substr(5) : name] = std::atof(value.get<std::string>().c_str());
      if ((is_champion_change(kind) || kind == "node_confirmed" || kind == "node_finished")
          && count_at(data, "index") == b.node)
        b.measured_at = raw_at(e, "time");
    }
    after = count_at(*page, "last_sequence");
    if (!page->value("truncated", false))
      return {};
  }
}

} // namespace

result<void> read_machine(bundle_input& b) {
  auto hardware = make_target("cpu", helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  auto kernel = recipe_of({b.language, b.flag_set, b.task.threads, b.task.libraries, b.task.entry});
  if (!kernel)
    return tl::unexpected(kernel.error());
  std::string baseline;
  for (const auto& f : (*hardware)->flag_menu())
    if (f.baseline)
      baseline = f.name;
  auto reference = recipe_of({b.task.language, baseline, b.task.threads, b.task.libraries, b.task.entry});
  if (!reference)
    return tl::unexpected(reference.error());
  b.kernel_build = std::move(*kernel);
  b.reference_build = std::move(*reference);
  b.machine = (*hardware)->about();
  b.same_toolchain = (*hardware)->toolchain_fingerprint(b.task.libraries) == raw_at(b.fingerprint, "toolchain");
  const auto devices = (*hardware)->devices();
  b.same_device = std::any_of(devices.begin(), devices.end(), [&](const device_description& d) {
    return (*hardware)->device_fingerprint(d) == raw_at(b.fingerprint, "device");
  });
  return {};
}

result<bundle_input> read_bundle(connection& node, const std::string& id, size_t kernels) {
  const auto path = "/v1/campaigns/" + percent_encoded(id);
  auto status = node.get(path);
  if (!status)
    return tl::unexpected(status.error());
  const auto target = raw_at(*status, "target");
  auto hardware = make_target(target, helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  if ((*hardware)->compiles_only())
    return fail(errc::unsupported,
                "bundles are made of kernels that were judged, and the target " + printable(target) + " only compiles");
  auto best = node.get(path + "/best");
  if (!best)
    return best.error().code == errc::not_found ? fail(errc::not_found, "nothing to bundle: " + best.error().detail
                                                                            + "; `kevolve tree` shows what was tried")
                                                : tl::unexpected(best.error());
  auto task = node.get(path + "/task");
  if (!task)
    return tl::unexpected(task.error());
  bundle_input b;
  b.version = KEVOLVE_VERSION;
  b.target = target;
  b.campaign = raw_at(*status, "id");
  b.state = state_text(*status);
  b.candidates = count_at(*status, "candidates");
  b.valid = count_at(*status, "valid");
  if (auto done = read_task(*task, b); !done)
    return tl::unexpected(done.error());
  if (auto done = read_best(*status, std::move(*best), b); !done)
    return tl::unexpected(done.error());
  if (auto done = read_history(node, path, b); !done)
    return tl::unexpected(done.error());
  if (b.target != "cpu")
    if (auto done = read_device_kernels(node, path, (*status)["best"], kernels, b); !done)
      return tl::unexpected(done.error());
  if (auto done = b.target == "cpu" ? read_machine(b) : read_device_machine(b); !done)
    return tl::unexpected(done.error());
  return b;
}

} // namespace kevolve
