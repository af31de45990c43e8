// Fuzzes clang's syntax tree of a hostile source: selecting the function's document, reading it, and the generator's
// first step. Input: source, a zero byte, JSON.
#include "backends/cpu/compile_server/syntax_tree.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/transform.hpp"
#include "tests/fuzz/input.hpp"

using namespace kevolve;
using namespace kevolve::fuzzing;

namespace {

constexpr const char* entry = "f";

const contract& task() {
  static const contract made = [] {
    contract c;
    c.entry = entry;
    c.language = "c";
    for (const char* name : {"x", "y"}) {
      argument a;
      a.name = name;
      a.role = *name == 'x' ? argument_role::input : argument_role::output;
      a.shape = {"n"};
      c.arguments.push_back(a);
    }
    argument n;
    n.name = "n";
    n.role = argument_role::size;
    n.type = dtype::i64;
    c.arguments.push_back(n);
    c.shapes.push_back({"n=1000", {{"n", 1000}}, false, 1.0});
    return c;
  }();
  return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto all = view(data, size);
  const auto cut = std::min(all.find('\0'), all.size());
  const std::string source{all.substr(0, cut)};
  const std::string dump{all.substr(std::min(cut + 1, all.size()))};
  auto document = select_function(dump, entry);
  const auto& tree = document ? *document : dump;
  auto read = transform::read_function(source, tree, entry);
  if (!read)
    return 0;
  require(read->function_end <= source.size() && read->function_begin <= read->body_begin);
  static_cast<void>(transform::print_program(*read, "fuzz"));
  static const auto generator = make_generator("transform").value();
  synthesis_context context;
  context.task = task();
  context.reference_source = source;
  context.syntax_tree = std::make_shared<const std::string>(tree);
  context.flag_menu = {"O2", "O3"};
  context.baseline_flags = "O3";
  context.hardware = {{"vector_bits", 512}, {"cache.l1d", 49152}, {"cache.l2", 1 << 20}};
  context.draft = true;
  context.seed = size;
  context.draft_index = static_cast<uint32_t>(size / 8 % 8);
  static_cast<void>(generator->describe(context));
  if (size % 8 == 0) // slow, and independent of the bytes
    static_cast<void>(generator->propose(context));
  return 0;
}
