#include "tools/kevolve/bundle/device_reading.hpp"

#include "actors/campaign/campaign_fold.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/target.hpp"
#include "config/document.hpp"
#include "config/task.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/recording.hpp"
#include "tools/kevolve/bundle/device_package.hpp"
#include "tools/kevolve/client/own_compile_server.hpp"
#include "tools/kevolve/dispatch/dispatch_reading.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <algorithm>
#include <memory>

namespace kevolve {

namespace {

constexpr uint32_t compile_limit_ms = 600'000; // ends what hangs; a busy machine is many times slower

// Returns the target if its candidates are code for a GPU that can be launched; else a failure that begins with `what`.
result<std::unique_ptr<target>> device_target(const std::string& name, const std::string& what) {
  auto out = make_target(name, helper_directory());
  if (out && ((*out)->trust() != trust_tier::device_code || (*out)->compiles_only()))
    return fail(errc::unsupported, what + ", and not for " + printable(name));
  return out;
}

// A reference that is a PyTorch function is a module without parameters.
void add_module(bundle_input& b) {
  if (b.module)
    return;
  auto made = module_of_function(b.task, b.reference_source);
  if (!made) {
    b.without_package = made.error().detail;
    return;
  }
  b.module = std::move(*made);
  b.module_source = b.reference_source;
}

double median_of(std::vector<double> values) {
  if (values.empty())
    return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<bundle_shape> shapes_of(const contract& task, const std::vector<shape_timing>& timings) {
  std::vector<bundle_shape> out;
  for (const auto& s : task.shapes) {
    auto& to = out.emplace_back();
    to.name = s.name;
    to.held_out = s.held_out;
    to.weight = s.weight;
    for (const auto& t : timings)
      if (t.shape == s.name) {
        static_cast<speedup_interval&>(to) = t;
        to.reference_ns = median_of(t.baseline_ns);
        to.kernel_ns = median_of(t.candidate_ns);
        to.pairs = t.candidate_ns.size();
      }
  }
  return out;
}

std::vector<double> speedups_of(const std::vector<bundle_shape>& shapes) {
  std::vector<double> out;
  for (const auto& s : shapes)
    out.push_back(s.speedup);
  return out;
}

result<std::string> text_of_file(const std::string& path) {
  auto text = read_text_file(path);
  if (!text)
    return fail(errc::bad_input, to_string(text.error().front()));
  return *text;
}

// Returns the architecture that a target's compile server is told.
std::string architecture_of(const helper_command& server) {
  const auto at = std::find(server.argv.begin(), server.argv.end(), "--architecture");
  return at == server.argv.end() || at + 1 == server.argv.end() ? "" : *(at + 1);
}

result<void> unpack_into(device_kernel& k, const contract& task, const std::string& artifact) {
  auto package = unpack(artifact);
  if (!package)
    return tl::unexpected(package.error());
  auto plan = parse_plan(package->plan, task);
  if (!plan)
    return fail(errc::internal, "the compiled launch plan: " + to_string(plan.error()));
  k.modules = std::move(package->modules);
  k.plan = std::move(*plan);
  return {};
}

} // namespace

result<void> read_device_kernels(connection& node, const std::string& path, const json& best, size_t most,
                                 bundle_input& b) {
  add_module(b);
  std::vector<tree_kernel> kernels;
  std::vector<dispatch::compared_kernel> screenings;
  const auto& wanted = b.language;
  const auto same = [&](const std::string& language) { return language == wanted; };
  if (auto done = read_passing(node, path, b.task, best, same, kernels, screenings); !done)
    return done;
  const auto speedups = dispatch::chained_speedups(screenings);
  size_t first = 0;
  while (first < kernels.size() && kernels[first].node != b.node)
    ++first;
  if (first == kernels.size())
    return fail(errc::not_found, "the best does not pass any more, or its source is not stored");
  for (auto k : dispatch::shortlist(speedups, first, most)) {
    auto& to = b.kernels.emplace_back();
    to.node = kernels[k].node;
    to.source = kernels[k].source;
    to.language = kernels[k].language;
    to.flags = kernels[k].flags;
    // The last confirmation times held-out shapes, too.
    to.speedups = k == first && b.final_confirmed ? speedups_of(b.shapes) : speedups[k];
  }
  return {};
}

result<void> read_device_machine(bundle_input& b) {
  auto hardware = make_target(b.target, helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  b.machine = (*hardware)->about();
  const auto told = [&](const char* key) {
    const auto i = b.fingerprint.find(key);
    return i != b.fingerprint.end() && i->is_string() ? i->get<std::string>() : std::string{};
  };
  b.same_toolchain = (*hardware)->toolchain_fingerprint(b.task.libraries) == told("toolchain");
  const auto devices = (*hardware)->devices();
  b.same_device = std::any_of(devices.begin(), devices.end(), [&](const device_description& d) {
    return (*hardware)->device_fingerprint(d) == told("device");
  });
  return {};
}

result<bundle_input> read_recorded_bundle(const std::string& file) {
  auto text = text_of_file(file);
  if (!text)
    return tl::unexpected(text.error());
  auto r = parse_recording(*text);
  if (!r)
    return fail(r.error().code, printable(file) + ": " + r.error().detail);
  if (auto known = device_target(r->spec.target, "--recording: bundles of recordings are made for GPUs"); !known)
    return tl::unexpected(known.error());
  campaign_fold f;
  for (const auto& e : r->events)
    fold(f, e);
  if (!f.mismatch.empty())
    return fail(errc::corrupt, f.mismatch);
  bundle_input b;
  b.version = KEVOLVE_VERSION;
  b.target = r->spec.target;
  b.campaign = to_string(r->campaign);
  b.task = r->spec.task.task;
  b.reference_source = r->spec.task.reference_source;
  const auto status = status_at_rest(f, r->spec, r->campaign, r->name);
  if (status.best == 0)
    return fail(errc::not_found, "nothing to bundle: no candidate of the recording was shown to be faster");
  b.node = status.best;
  b.candidates = status.candidates;
  b.valid = status.valid;
  b.state = f.ended ? "finished" : "not ended";
  static_cast<speedup_interval&>(b) = status;
  b.basis = f.finish.basis;
  b.final_confirmed = status.final_confirmed;
  b.disturbed = status.disturbed;
  b.shapes = shapes_of(b.task, status.shapes);
  for (const auto& e : r->events) {
    if (e.kind != event_kind::node_finished)
      continue;
    auto node = decode_older<node_record>(e.payload);
    if (!node || node->index != b.node)
      continue;
    const auto source = r->texts.find(node->proposal.source);
    if (source == r->texts.end() || sha256_hex(source->second) != node->proposal.source)
      return fail(errc::not_found, "the recording lacks the source of candidate " + std::to_string(b.node));
    b.kernel_source = source->second;
    b.language = node->proposal.language;
    b.flag_set = node->proposal.flags;
    b.generator = node->proposal.generator;
    b.summary = node->proposal.summary;
  }
  b.verdict = "pass";
  b.evidence = json::array();
  b.fingerprint = json::object();
  b.kernels = {{b.node, b.kernel_source, b.language, b.flag_set, speedups_of(b.shapes), {}, {}, {}}};
  add_module(b);
  return b;
}

result<bundle_input> unjudged_bundle(const std::string& target, const std::string& task,
                                     const std::vector<std::string>& candidates) {
  auto hardware = device_target(target, "--candidate: bundles of files are made for the targets cuda and triton");
  if (!hardware)
    return tl::unexpected(hardware.error());
  auto spec = load_task(task);
  if (!spec)
    return fail(errc::bad_input, to_string(spec.error().front()));
  bundle_input b;
  b.version = KEVOLVE_VERSION;
  b.target = target;
  b.task = spec->task;
  b.reference_source = spec->reference_source;
  b.module = module_origins(spec->text);
  if (b.module)
    b.module_source = spec->files[b.module->file];
  for (const auto& f : (*hardware)->flag_menu())
    if (f.baseline)
      b.flag_set = f.name;
  for (const auto& path : candidates) {
    auto source = text_of_file(path);
    if (!source)
      return tl::unexpected(source.error());
    b.language = language_of_file(path).name;
    if (b.language != (*hardware)->languages().front())
      return fail(errc::bad_input, "--candidate " + printable(path) + ": this is no candidate for " + target);
    if (auto wrong = (*hardware)->lint_candidate(b.task, *source); !wrong.empty())
      return fail(errc::bad_input, printable(path) + ": " + wrong);
    b.kernels.push_back({b.kernels.size() + 1, *source, b.language, b.flag_set, {}, {}, {}, {}});
  }
  b.node = 1;
  b.kernel_source = b.kernels.front().source;
  b.shapes = shapes_of(b.task, {});
  b.evidence = json::array();
  b.fingerprint = json::object();
  add_module(b);
  return b;
}

result<void> compile_kernels(bundle_input& b) {
  auto hardware = make_target(b.target, helper_directory());
  if (!hardware)
    return tl::unexpected(hardware.error());
  const auto how = (*hardware)->compile_server();
  own_compile_server server;
  if (auto started = server.start(how); !started)
    return started;
  for (auto& k : b.kernels) {
    compile_request q;
    q.job = random_id();
    q.language = k.language;
    q.source = k.source;
    q.flags = k.flags;
    q.limit_ms = compile_limit_ms;
    q.task = b.task;
    auto built = server.compile(q);
    if (!built)
      return tl::unexpected(built.error());
    if (built->result != verdict::pass)
      return fail(errc::unsupported, "compiling candidate " + std::to_string(k.node) + ": "
                                         + (built->trouble ? built->trouble.detail : built->log)
                                         + "; `kevolve doctor --target " + b.target + "` says what is missing");
    k.architecture = architecture_of(how);
    if (auto done = unpack_into(k, b.task, built->artifact); !done)
      return done;
  }
  return {};
}

} // namespace kevolve
