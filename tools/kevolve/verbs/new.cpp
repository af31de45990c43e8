// kevolve new: a task, its reference and a campaign from a user's file.
#include "backends/target.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/new_options.hpp"
#include "tools/kevolve/new_task.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <memory>

namespace kevolve {

namespace {

int make_new(const new_options& o, const common_options& common) {
  const auto made = make_task(o);
  if (!made)
    return report(made.error(), common.json);
  if (!made->refusals.empty())
    return report_refusals(made->refusals, common.json);
  if (common.json) {
    print_out(to_text(json{{"ok", true},
                           {"task", made->task},
                           {"campaign", made->campaign},
                           {"files", made->files},
                           {"facts", made->facts}})
              + "\n");
    return exit_code::ok;
  }
  if (!common.quiet)
    print_out(printable_lines(facts_text(made->facts), "") + "\n");
  for (const auto& f : made->files)
    print_out("wrote " + printable(f) + "\n");
  if (!common.quiet)
    print_out("next: kevolve run " + printable(made->campaign) + "\n");
  return exit_code::ok;
}

} // namespace

int report_refusals(const std::vector<new_refusal>& refusals, bool as_json) {
  if (as_json)
    print_out(to_text(json{{"ok", false}, {"refused", refusals_json(refusals)}}) + "\n");
  else
    for (const auto& r : refusals)
      print_err(printable(to_string(r)) + "\n");
  return exit_code::usage;
}

void add_strict_fp32(declared_verb& verb, bool& strict) {
  verb.add_flag("--strict-fp32", strict, "GPU targets: neither the tolerance nor a baseline allows TF32");
}

void add_new_options(declared_verb& verb, new_options& o) {
  verb.add_option("FILE", o.file,
                  "a Python file with a KernelBench module (Model, get_inputs) or a function, or a C or C++ function")
      ->required();
  verb.add_option("--name", o.name, "the task's name (default: the file's)");
  verb.add_option("--target", o.target, "the hardware")->check(one_of(target_names()))->capture_default_str();
  verb.add_option("--entry", o.entry, "the class or function, where the file has several");
  verb.add_option("--input", o.inputs, "an input of a function, such as 4096x1024:f32, or a number; in order")
      ->allow_extra_args(false);
  verb.add_option("--dynamic", o.dynamic, "a dimension that becomes a size, such as x:0=rows")->allow_extra_args(false);
  verb.add_option("--size", o.sizes, "values of a C function's sizes, such as rows=4096,cols=1024")
      ->allow_extra_args(false);
  verb.add_option("--extent", o.extents, "an array's extent in C, where it cannot be inferred, such as x=rows*cols")
      ->allow_extra_args(false);
  verb.add_option("--shape", o.shapes, "a further shape: values of the sizes that --dynamic makes, such as rows=64")
      ->allow_extra_args(false);
  verb.add_option(
      "--weights", o.weights,
      "a safetensors file with the values of the module's state_dict (default: as the constructor makes it)");
  verb.add_flag("--train", o.train, "trace in training mode; refused where that draws numbers or changes buffers");
  add_strict_fp32(verb, o.strict_fp32);
  verb.add_option("--memory", o.memory_gib, "GiB that the inputs may take; of a C function, all arrays")
      ->check(in_range(0.001, 65536.0))
      ->capture_default_str();
  verb.add_option("--device-memory", o.device_memory_gib, "GiB of the GPU, for the targets on one")
      ->check(in_range(0.1, 65536.0))
      ->capture_default_str();
  verb.add_option_function<std::string>(
          "--wall",
          [&o](const std::string& text) {
            const auto s = duration_in_seconds(text);
            if (!s || *s < 1.0 || *s > 1e7)
              refuse_value("--wall", "'" + text + "' is no time of a second or more: write 60, 90s or 2h");
            o.wall_s = *s;
          },
          "the campaign's budget by the clock: 60, 90s, 15m or 2h")
      ->default_str("60");
  verb.add_flag("--force", o.force, "overwrite files that differ");
}

void add_new(declared_verb& app, verb_action& chosen) {
  struct options {
    common_options common;
    new_options made;
  };
  auto o = std::make_shared<options>();
  auto* verb =
      app.add_subcommand("new", "Make a task, its reference and a campaign from a PyTorch module or a C function");
  verb->footer("Example: kevolve new softmax.py --out my-task");
  add_new_options(*verb, o->made);
  verb->add_option("--out", o->made.out, "folder for the files (default: the working directory)");
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return make_new(o->made, o->common); }; });
}

} // namespace kevolve
