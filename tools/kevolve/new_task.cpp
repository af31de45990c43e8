#include "tools/kevolve/new_task.hpp"

#include "backends/framework/trace.hpp"
#include "backends/target.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/c_task.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

constexpr double interpreter_gib = 6.0;

std::string text_of(const json& x, const char* key) {
  const auto i = x.find(key);
  return i != x.end() && i->is_string() ? i->get<std::string>() : std::string{};
}

std::string joined(const json& list) {
  std::string out;
  for (const auto& x : list)
    out += (out.empty() ? "" : ", ") + (x.is_string() ? x.get<std::string>() : x.dump());
  return out;
}

// Writes a file whole or not at all: a reader never sees half of it.
result<void> write_file(const std::string& path, const std::string& text) {
  const auto beside = path + ".new";
  {
    std::ofstream out{beside, std::ios::binary | std::ios::trunc};
    out << text;
    out.close();
    if (!out)
      return fail(errc::io, "'" + beside + "' cannot be written");
  }
  std::error_code ec;
  fs::rename(beside, path, ec);
  return ec ? result<void>{fail(errc::io, "'" + path + "' cannot be written: " + ec.message())} : result<void>{};
}

std::string read_or_empty(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Writes the files into the folder. What is there with the same text stays; with another it is a conflict.
result<void> write_all(const new_options& o, const std::map<std::string, std::string>& files, new_outcome& out) {
  std::error_code ec;
  fs::create_directories(o.out, ec);
  for (const auto& [name, text] : files) {
    const auto path = (fs::path{o.out} / name).lexically_normal().string();
    if (!o.force && fs::exists(path, ec) && read_or_empty(path) != text)
      return fail(errc::conflict,
                  "'" + path
                      + "' is there already and differs. If you edited it, kevolve run goes on with the campaign file "
                        "beside it; --force writes it anew, and another --out or --name leaves it alone");
  }
  for (const auto& [name, text] : files) {
    const auto path = (fs::path{o.out} / name).lexically_normal().string();
    if (!fs::exists(path, ec) || read_or_empty(path) != text)
      if (auto written = write_file(path, text); !written)
        return tl::unexpected(written.error());
    out.files.push_back(path);
  }
  return {};
}

result<void> trace_module(const new_options& o, std::map<std::string, std::string>& files, new_outcome& out) {
  if (!o.sizes.empty() || !o.extents.empty())
    return fail(errc::bad_input,
                "--size and --extent are for functions in C; sizes of a Python file come from --input or get_inputs()");
  cuda::trace_request q;
  q.python = cuda::tracing_python();
  if (q.python.empty())
    return fail(errc::unsupported, "there is no python3 in PATH: install Python 3 with PyTorch (pip install torch), or "
                                   "name an interpreter that has it by KEVOLVE_PYTHON");
  q.package = helper_directory() + "/kevolve-torch.pyz";
  // The interpreter with the framework takes some; arrays are held a few times, in double as well.
  q.memory_bytes = static_cast<uint64_t>((interpreter_gib + 2.0 * o.memory_gib) * 1024.0 * 1024.0 * 1024.0);
  q.file = o.file;
  q.arguments = {"--name",          o.name,
                 "--target",        o.target,
                 "--memory",        fmt::format("{}", o.memory_gib),
                 "--device-memory", fmt::format("{}", o.device_memory_gib)};
  if (!o.entry.empty())
    q.arguments.insert(q.arguments.end(), {"--entry", o.entry});
  for (const auto& x : o.inputs)
    q.arguments.insert(q.arguments.end(), {"--input", x});
  for (const auto& x : o.dynamic)
    q.arguments.insert(q.arguments.end(), {"--dynamic", x});
  for (const auto& x : o.shapes)
    q.arguments.insert(q.arguments.end(), {"--shape", x});
  if (o.train)
    q.arguments.emplace_back("--train");
  if (!o.weights.empty()) {
    constexpr const char* name = "weights.safetensors"; // no Python file is called so
    q.beside[name] = read_or_empty(o.weights);
    q.arguments.insert(q.arguments.end(), {"--weights", name});
  }
  if (o.strict_fp32)
    q.arguments.emplace_back("--strict-fp32");
  auto traced = cuda::run_trace(q);
  if (!traced)
    return tl::unexpected(traced.error());
  out.facts = json::parse(traced->document, nullptr, false);
  if (!out.facts.is_object())
    return fail(errc::protocol, "the tracing process gave no document");
  if (const auto r = out.facts.find("refused"); r != out.facts.end() && r->is_object()) {
    new_refusal x{o.file,
                  static_cast<int>(number_at(*r, "line")),
                  text_of(*r, "kind"),
                  text_of(*r, "what"),
                  text_of(*r, "remedy"),
                  {}};
    for (const auto& name : r->value("operators", json::array()))
      x.operators.push_back(name.get<std::string>());
    out.refusals.push_back(std::move(x));
    return {};
  }
  files = std::move(traced->files);
  files[fs::path{o.file}.filename().string()] = read_or_empty(o.file);
  return {};
}

// Returns the errors that a tolerance was made from; empty where none are known.
std::string measured_text(const json& t) {
  if (!t.contains("error") || !t["error"].is_number())
    return {};
  const auto other = t.value("reordered_error", json{});
  return fmt::format("; measured error {:.3g}", t["error"].get<double>())
         + (other.is_number() ? fmt::format(", with reordered sums {:.3g}", other.get<double>()) : std::string{});
}

} // namespace

std::string to_string(const new_refusal& x) {
  return x.file + (x.line > 0 ? ":" + std::to_string(x.line) : "") + ": " + x.what
         + (x.remedy.empty() ? "" : "; " + x.remedy);
}

std::string task_name_of(const std::string& file) {
  auto out = fs::path{file}.stem().string();
  for (auto& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0)
      c = '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0)
    out = "k" + out;
  return out;
}

const char* default_target(const std::string& language) {
  return find_language(language).runs_in_framework ? "cuda" : "cpu";
}

std::string default_campaign(const std::string& task_file, const std::string& target, double wall_s) {
  if (runs_on_device(target))
    return fmt::format(
        "# A campaign whose candidates a model writes: kevolve relay next, kevolve relay answer; docs/models.md "
        "names others.\n"
        "task = {}\ntarget = \"{}\"\nseed = 1\n\n"
        "[[generator]]\nkind = \"relay\"\nin_flight = 4\n\n"
        "[draft]\ncandidates = 4\n\n"
        "[budget]\ncandidates = 60\n\n"
        "[stop]\nstall = 30 # valid candidates in a row without a gain\n",
        json(task_file).dump(), target);
  return fmt::format("# A campaign with the embedded generator; docs/campaigns.md tells every key.\n"
                     "task = {}\ntarget = \"{}\"\nseed = 1\n\n"
                     "[[generator]]\nkind = \"transform\"\n\n"
                     "[budget]\nwall = \"{:g}s\"\n\n"
                     "[stop]\nstall = 200 # valid candidates in a row without a gain\n",
                     json(task_file).dump(), target, wall_s);
}

result<new_outcome> make_task(const new_options& given) {
  auto o = given;
  std::error_code ec;
  if (!fs::is_regular_file(o.file, ec))
    return fail(errc::not_found, "there is no file '" + o.file + "'");
  if (!o.weights.empty() && !fs::is_regular_file(o.weights, ec))
    return fail(errc::not_found, "--weights: there is no file '" + o.weights + "'");
  if (!o.weights.empty() && fs::path{o.file}.extension() != ".py")
    return fail(errc::bad_input, "--weights is for PyTorch modules; a function in C has no weights of its own");
  if (o.strict_fp32 && !runs_on_device(o.target))
    return fail(errc::bad_input,
                "--strict-fp32 is for GPU targets: a processor computes in f32 without it; leave it out, "
                "or give --target cuda or triton");
  if (o.name.empty())
    o.name = task_name_of(o.entry.empty() ? o.file : fs::path{o.entry}.string());
  new_outcome out;
  std::map<std::string, std::string> files;
  const auto ending = fs::path{o.file}.extension().string();
  result<void> made;
  if (ending == ".py")
    made = trace_module(o, files, out);
  else if (runs_on_device(o.target))
    made = fail(errc::bad_input, "target " + o.target
                                     + " needs a reference in PyTorch: give a Python file, or leave --target "
                                       "out for a task on the processor");
  else if (ending == ".c" || ending == ".cc" || ending == ".cpp" || ending == ".cxx")
    made = make_c_task(o, files, out);
  else
    made = fail(errc::bad_input, "'" + o.file + "' is neither a Python nor a C or C++ file (.py, .c, .cc, .cpp, .cxx)");
  if (!made)
    return tl::unexpected(made.error());
  if (!out.refusals.empty())
    return out;
  const auto task = o.name + ".task.toml";
  files[o.name + ".toml"] = default_campaign(task, o.target, o.wall_s);
  if (auto written = write_all(o, files, out); !written)
    return tl::unexpected(written.error());
  out.task = (fs::path{o.out} / task).lexically_normal().string();
  out.campaign = (fs::path{o.out} / (o.name + ".toml")).lexically_normal().string();
  return out;
}

std::string facts_text(const json& facts) {
  std::vector<std::vector<std::string>> rows{{"argument", "role", "dtype", "shape", "drawn", "edge draws", "from"}};
  for (const auto& a : facts.value("arguments", json::array()))
    rows.push_back({text_of(a, "name"), text_of(a, "role"), text_of(a, "dtype"),
                    "[" + joined(a.value("shape", json::array())) + "]",
                    text_of(a, "fill") + (text_of(a, "why").empty() ? "" : " (" + text_of(a, "why") + ")"),
                    joined(a.value("edge", json::array())), text_of(a, "origin")});
  auto out = table_text(rows);
  const auto sizes = facts.value("sizes", json::object());
  for (const auto& [name, value] : sizes.items())
    out += "size " + name + " = " + value.dump() + "\n";
  for (const auto& t : facts.value("tolerances", json::array()))
    out += fmt::format("tolerance of {}: relative {:g}, absolute {:g}{}\n", text_of(t, "argument"),
                       number_at(t, "relative"), number_at(t, "absolute"), measured_text(t));
  if (const auto w = facts.value("work", json::object()); !text_of(w, "flops").empty())
    out += "work: " + text_of(w, "flops") + " flops, " + text_of(w, "bytes") + " bytes\n";
  for (const auto& r : facts.value("rules", json::array()))
    if (r.is_string())
      out += "rule: " + r.get<std::string>() + "\n";
  return out;
}

json refusals_json(const std::vector<new_refusal>& refusals) {
  auto out = json::array();
  for (const auto& r : refusals)
    out.push_back({{"file", r.file},
                   {"line", r.line > 0 ? json(r.line) : json(nullptr)},
                   {"kind", r.kind},
                   {"message", r.what},
                   {"remedy", r.remedy},
                   {"operators", r.operators}});
  return out;
}

} // namespace kevolve
