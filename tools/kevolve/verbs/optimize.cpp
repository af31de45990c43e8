// kevolve optimize: new and run in one step.
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/new_options.hpp"
#include "tools/kevolve/new_task.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <stdlib.h>

#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

int optimize(new_options o, const common_options& common) {
  if (o.out.empty()) {
    auto pattern = (std::filesystem::temp_directory_path() / "kevolve-optimize-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return report({errc::io, "no temporary folder can be made: give --out"}, common.json);
    o.out = pattern;
  }
  const auto made = make_task(o);
  if (!made)
    return report(made.error(), common.json);
  if (!made->refusals.empty())
    return report_refusals(made->refusals, common.json);
  if (!common.quiet) {
    print_err(printable_lines(facts_text(made->facts), "") + "\n");
    print_err("the task is in " + printable(o.out) + "\n");
  }
  const auto data = (std::filesystem::path{o.out} / "kevolve-data").string();
  const auto code = run_file(common, made->campaign, data);
  if (code == exit_code::ok && !common.json)
    print_out("next: kevolve bundle --data " + printable(data) + " --out " + printable(o.out) + "/bundle\n");
  return code;
}

} // namespace

void add_optimize(declared_verb& app, verb_action& chosen) {
  struct options {
    common_options common;
    new_options made;
  };
  auto o = std::make_shared<options>();
  o->made.out.clear();
  auto* verb =
      app.add_subcommand("optimize", "Make a task of a PyTorch module or a C function and search a faster kernel");
  verb->footer("Example: kevolve optimize softmax.py --out my-task --wall 120");
  add_new_options(*verb, o->made);
  verb->add_option("--out", o->made.out,
                   "folder for the files and the data (default: a temporary one, which is named)");
  add_common(*verb, o->common);
  verb->callback([o, &chosen] { chosen = [o] { return optimize(o->made, o->common); }; });
}

} // namespace kevolve
