#include "actors/actor_states.hpp"
#include "actors/campaign/append.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/devices/leased_job.hpp"
#include "actors/evaluation/evaluator.hpp"
#include "actors/evaluation/module_baseline.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "backends/generators/transform/checked_reference.hpp"
#include "backends/judge/source_constants.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <filesystem>

namespace kevolve {

namespace {

bool reads_reference(const generator_spec& g) {
  return find_generator_kind(g.kind).reads_reference_c;
}

using pointer = evaluator_actor::stateful_pointer<evaluator_state>;

constexpr uint32_t admit_limit_ms = 180'000;
constexpr uint32_t reference_limit_ms = 60'000;
constexpr double eager_limit_s = 90.0; // of an admission, for eager PyTorch: prompts name its time
constexpr size_t most_told = 5;        // reasons why the reference cannot be rewritten

// The preparation in progress, with the bytes that are stored as blobs.
struct making {
  preparation out;
  std::string reference;
  std::string oracle;
  std::string syntax_tree;
  std::string checked; // the reference with its assertions about loops checked
};
using making_ptr = std::shared_ptr<making>;

void give_up(pointer self, fault f) {
  auto& st = self->state;
  st.preparing = false;
  // A weak sandbox stays refused until an operator accepts it; other faults may pass.
  auto e =
      to_error({f.kind == fault_kind::sandbox_weak ? errc::unsupported : errc::unavailable, f.kind + ": " + f.detail});
  for (auto& p : std::exchange(st.awaiting_preparation, {}))
    p.deliver(e);
  for (auto& r : std::exchange(st.held, {})) {
    r->promise.deliver(e);
    st.runs.erase(r->serial);
    st.own_status->flight(-1);
  }
}

void ready(pointer self, const making_ptr& m) {
  auto& st = self->state;
  st.preparing = false;
  st.prepared = true;
  st.own_status->says(actor_state::idle);
  st.fixed = m->out;
  st.reference = std::move(m->reference);
  st.oracle = std::move(m->oracle);
  const auto& task = st.context->spec->task;
  st.ground = {m->out.task,
               m->out.harness,
               m->out.toolchain,
               m->out.device,
               reference_id(task.reference_source, task.oracle_source, task.oracle_entry, module_beside(task)),
               static_cast<uint32_t>(st.context->spec->compile_limit_s * 1e3),
               st.context->spec->fresh ? st.context->id : id128{}};
  if (st.context->batch) // compile-only jobs run on this machine
    st.ground.toolchain = st.context->hardware->toolchain_fingerprint(st.context->spec->task.task.libraries);
  for (auto& p : std::exchange(st.awaiting_preparation, {}))
    p.deliver(st.fixed);
  self->send(self, atom::tick_v);
}

void store(pointer self, const making_ptr& m) {
  auto& st = self->state;
  append_request a;
  a.campaign = st.context->id;
  a.events.push_back({event_kind::campaign_prepared, encode(m->out)});
  a.values.push_back({keys::index, keys::prepared(st.context->id), encode(m->out)});
  for (const auto* bytes : {&m->reference, &m->oracle, &m->syntax_tree})
    if (!bytes->empty())
      a.blobs.push_back(*bytes);
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign), std::move(a),
      [self, m](uint64_t) { ready(self, m); },
      [self](caf::error& e) { give_up(self, {fault_kind::journal, to_string(to_failure(e)), 0}); });
}

// Refuses the task; the admission holds the reason.
void refuse(pointer self, const making_ptr& m, verdict v, std::string rule, std::string detail) {
  m->out.admission.result = v;
  m->out.admission.rule = std::move(rule);
  m->out.admission.detail = std::move(detail);
  store(self, m);
}

compile_request reference_job(const evaluator_state& st, compile_kind kind, compile_role role) {
  const auto& spec = *st.context->spec;
  compile_request q;
  q.kind = kind;
  q.role = role;
  q.language = spec.task.task.language;
  q.source = spec.task.reference_source;
  q.entry = spec.task.task.entry;
  q.threads = spec.task.task.threads;
  q.libraries = spec.task.task.libraries;
  q.limit_ms = reference_limit_ms;
  for (const auto& f : st.context->hardware->flag_menu())
    if (f.baseline)
      q.flags = f.name;
  const bool native = is_native(q.language);
  const bool own_source = role == compile_role::reference || role == compile_role::sanitised;
  if (native && kind == compile_kind::object && own_source) // with messages in the file's own name
    q.source = "#line 1 \"" + std::filesystem::path{spec.task.reference_path}.filename().string() + "\"\n" + q.source
               + c_call_check(spec.task.task, q.language);
  if (role == compile_role::oracle && !spec.task.oracle_source.empty() && !native) {
    q.source = spec.task.oracle_source;
    q.entry = spec.task.oracle_entry;
  } else if (role == compile_role::oracle && !spec.task.oracle_source.empty()) {
    // The task's own oracle is in double already, and the judge looks up the contract's entry.
    q.role = compile_role::reference;
    q.source = "#line 1 \"" + std::filesystem::path{spec.task.oracle_path}.filename().string() + "\"\n"
               + spec.task.oracle_source;
    if (spec.task.oracle_entry != q.entry)
      q.source = "#define " + spec.task.oracle_entry + " " + q.entry + "\n" + q.source;
  }
  q.job = derive_id("preparation", encode(q));
  return q;
}

void compile(pointer self, compile_request q, job_done<compile_outcome> done) {
  auto& st = self->state;
  lease_request wanted{resource_kind::compiler, asked_of_compiler(st), st.context->id, 2, st.context->priority->load()};
  run_leased<compiler_worker_actor, compile_outcome>(self, st.context->scheduler, std::move(wanted), atom::compile_v,
                                                     std::move(q), std::move(done));
}

void judge(pointer self, judge_request q, job_done<judge_outcome> done) {
  auto& st = self->state;
  lease_request wanted{resource_kind::device, asked_of_device(st, st.ground.device), st.context->id, 2,
                       st.context->priority->load()};
  run_leased<device_actor, judge_outcome>(self, st.context->scheduler, std::move(wanted), atom::judge_v, std::move(q),
                                          std::move(done));
}

// Returns why the embedded generator cannot rewrite the reference; empty if it can or is not used.
std::string unread_note(const evaluator_state& st, const making& m) {
  const auto& spec = *st.context->spec;
  if (std::none_of(spec.generators.begin(), spec.generators.end(), reads_reference))
    return {};
  auto embedded = make_generator("transform");
  synthesis_context c;
  c.task = spec.task.task;
  c.reference_source = spec.task.reference_source;
  if (!m.syntax_tree.empty())
    c.syntax_tree = std::make_shared<const std::string>(m.syntax_tree);
  c.hardware = st.context->hardware->hardware();
  const auto reading = embedded ? (*embedded)->read_reference(c) : std::nullopt;
  if (!reading)
    return {};
  const auto file = std::filesystem::path{spec.task.reference_path}.filename().string();
  const auto why = text_of(*reading, file, true, most_told);
  if (!reading->rewritable)
    return "the embedded generator can rewrite nothing of the reference, and tries flag sets alone: " + why;
  return why.empty() ? why : "the embedded generator keeps parts of the reference word for word: " + why;
}

void admit(pointer self, const making_ptr& m) {
  judge_request q;
  q.job = random_id();
  q.mode = judge_mode::admit;
  q.reference_constants = source_constants(self->state.context->spec->task.reference_source);
  q.task = self->state.context->spec->task.task;
  q.reference = m->reference;
  q.sanitised_reference = m->checked;
  q.oracle = m->oracle;
  q.weights = packed_weights(self->state.context->spec->task);
  q.limit_ms = admit_limit_ms;
  const auto& spec = *self->state.context->spec;
  if (std::any_of(spec.generators.begin(), spec.generators.end(), asks_model)) {
    q.module = module_beside(spec.task);
    q.baselines_ms =
        q.module.empty() ? 0 : static_cast<uint32_t>(std::min(spec.baselines_limit_s, eager_limit_s) * 1e3);
  }
  judge(self, std::move(q), [self, m](judge_outcome o) {
    if (o.trouble) {
      give_up(self, std::move(o.trouble));
      return;
    }
    if (auto note = unread_note(self->state, *m); o.result == verdict::pass && !note.empty())
      o.evidence["note.unread"] = std::move(note);
    for (auto note = o.evidence.lower_bound("note."); note != o.evidence.end() && note->first.starts_with("note.");
         ++note)
      log::warn("campaign", "{}: {}", self->state.context->name, note->second);
    m->out.admission = std::move(o);
    store(self, m);
  });
}

void probe(pointer self, const making_ptr& m) {
  judge_request q;
  q.job = random_id();
  q.mode = judge_mode::probe;
  judge(self, std::move(q), [self, m](judge_outcome o) {
    if (!o.trouble && o.result != verdict::pass)
      o.trouble = {fault_kind::device_sick, o.detail, 0};
    if (o.trouble) {
      give_up(self, std::move(o.trouble));
      return;
    }
    m->out.peaks = std::move(o.evidence);
    admit(self, m);
  });
}

// Builds the reference whose asserted loops are checked in every call, if the task has such assertions.
void build_checked(pointer self, const making_ptr& m) {
  const auto& spec = self->state.context->spec->task;
  const auto& all = spec.task.assertions;
  if (std::none_of(all.begin(), all.end(), [](const auto& a) { return a.kind == assertion_kind::independent; })) {
    probe(self, m);
    return;
  }
  const auto text = checked_reference(spec.task, spec.reference_source, m->syntax_tree);
  if (!text) {
    refuse(self, m, verdict::compile_error, rule_name::assertion, text.error().detail);
    return;
  }
  auto q = reference_job(self->state, compile_kind::object, compile_role::reference);
  q.source = *text;
  q.job = derive_id("preparation", encode(q));
  compile(self, std::move(q), [self, m](compile_outcome o) {
    if (o.trouble) {
      give_up(self, std::move(o.trouble));
      return;
    }
    if (o.result != verdict::pass) {
      refuse(self, m, o.result, rule_name::assertion,
             "the reference with its assertions checked does not compile: " + o.log);
      return;
    }
    m->checked = std::move(o.artifact);
    probe(self, m);
  });
}

void read_syntax(pointer self, const making_ptr& m) {
  compile(self, reference_job(self->state, compile_kind::syntax_tree, compile_role::reference),
          [self, m](compile_outcome o) {
            if (o.trouble) {
              give_up(self, std::move(o.trouble));
              return;
            }
            if (o.result == verdict::pass) {
              m->out.syntax_tree = sha256_hex(o.artifact);
              m->syntax_tree = std::move(o.artifact);
            } else
              m->out.syntax_note = o.log; // generators then work on the text only
            if (self->state.context->batch)
              store(self, m);
            else
              build_checked(self, m);
          });
}

// No device is reachable: the generators' input is made here, and the rest where the first batch is judged.
void sketch(pointer self, const making_ptr& m) {
  const auto& generators = self->state.context->spec->generators;
  m->out.admission.detail = "waits for a batch";
  if (std::any_of(generators.begin(), generators.end(), reads_reference))
    read_syntax(self, m);
  else
    store(self, m);
}

void build_oracle(pointer self, const making_ptr& m) {
  const auto& task = self->state.context->spec->task;
  auto floating = std::any_of(task.task.arguments.begin(), task.task.arguments.end(),
                              [](const argument& a) { return a.role != argument_role::size && is_floating(a.type); });
  if (!floating && task.oracle_source.empty()) {
    read_syntax(self, m); // integers only: the reference is exact
    return;
  }
  compile(self, reference_job(self->state, compile_kind::object, compile_role::oracle), [self, m](compile_outcome o) {
    if (o.trouble) {
      give_up(self, std::move(o.trouble));
      return;
    }
    if (o.result != verdict::pass) {
      refuse(self, m, o.result, rule_name::oracle, o.log);
      return;
    }
    m->out.oracle_object = sha256_hex(o.artifact);
    m->oracle = std::move(o.artifact);
    read_syntax(self, m);
  });
}

void build_reference(pointer self, const making_ptr& m) {
  compile(self, reference_job(self->state, compile_kind::object, compile_role::reference),
          [self, m](compile_outcome o) {
            if (o.trouble) {
              give_up(self, std::move(o.trouble));
              return;
            }
            if (o.result != verdict::pass) {
              refuse(self, m, o.result, rule_name::reference, o.log);
              return;
            }
            m->out.reference_object = sha256_hex(o.artifact);
            m->reference = std::move(o.artifact);
            build_oracle(self, m);
          });
}

// Returns the fingerprint of the campaign's device on this node; empty: there is none.
std::string device_here(const evaluator_state& st) {
  const auto devices = devices_here(st);
  return devices.empty() ? std::string{} : st.context->hardware->device_fingerprint(devices.front());
}

void make(pointer self) {
  auto& st = self->state;
  auto m = std::make_shared<making>();
  m->out.task = contract_id(st.context->spec->task.task);
  if (st.context->batch) {
    sketch(self, m);
    return;
  }
  m->out.toolchain = st.context->hardware->toolchain_fingerprint(st.context->spec->task.task.libraries);
  m->out.harness = st.context->hardware->harness_fingerprint();
  m->out.device = device_here(st);
  if (m->out.device.empty() && st.context->cluster)
    m->out.device = st.context->cluster->usual_device(st.context->spec->target, m->out.harness);
  if (m->out.device.empty()) {
    give_up(self, {fault_kind::device_missing,
                   "target " + st.context->spec->target + " has no device here"
                       + (st.context->cluster ? ", nor on any other node of the cluster now" : ""),
                   0});
    return;
  }
  st.ground.device = m->out.device;
  build_reference(self, m);
}

// Returns true if the stored preparation is valid: nothing that it depends on has changed.
bool still_holds(const evaluator_state& st, const preparation& p) {
  if (st.context->batch) // made on the machine of the last batch
    return p.task == contract_id(st.context->spec->task.task);
  // A node without devices keeps the device of another node that it began with.
  const auto here = device_here(st);
  return p.task == contract_id(st.context->spec->task.task)
         && (here.empty() ? st.context->cluster != nullptr : p.device == here)
         && p.toolchain == st.context->hardware->toolchain_fingerprint(st.context->spec->task.task.libraries)
         && p.harness == st.context->hardware->harness_fingerprint();
}

void fetch(pointer self, const making_ptr& m) {
  auto& journal = self->state.context->journal;
  auto lost = [self](caf::error&) { make(self); };
  auto with_oracle = [self, m](std::string& bytes) {
    m->oracle = std::move(bytes);
    ready(self, m);
  };
  self->request(journal, until_answered, atom::blob_v, m->out.reference_object)
      .then(
          [self, m, lost, with_oracle](std::string& bytes) {
            m->reference = std::move(bytes);
            if (m->out.oracle_object.empty()) {
              ready(self, m);
              return;
            }
            self->request(self->state.context->journal, until_answered, atom::blob_v, m->out.oracle_object)
                .then(with_oracle, lost);
          },
          lost);
}

} // namespace

compile_request sanitised_reference_job(const evaluator_state& st) {
  return reference_job(st, compile_kind::object, compile_role::sanitised);
}

void start_preparation(pointer self) {
  auto& st = self->state;
  if (st.preparing)
    return;
  st.preparing = true;
  st.own_status->says("preparing");
  self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::index},
                keys::prepared(st.context->id))
      .then(
          [self](std::string& bytes) {
            auto stored = decode<preparation>(bytes);
            const bool whole = stored && (self->state.context->batch || !stored->reference_object.empty());
            if (!whole || !still_holds(self->state, *stored)) {
              make(self);
              return;
            }
            auto m = std::make_shared<making>();
            m->out = std::move(*stored);
            if (self->state.context->batch)
              ready(self, m);
            else
              fetch(self, m);
          },
          [self](caf::error& e) {
            if (to_failure(e).code == errc::not_found)
              make(self);
            else
              give_up(self, {fault_kind::journal, to_string(to_failure(e)), 0});
          });
}

} // namespace kevolve
