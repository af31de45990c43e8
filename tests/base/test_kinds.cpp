#include "runtime/base/kinds.hpp"
#include "runtime/base/memory_operators.hpp"
#include "runtime/base/provider_kinds.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;

TEST_CASE("kinds are found by name, and an unknown name can do nothing") {
  for (const auto& name : generator_kind_names())
    CHECK(find_generator_kind(name).name == name);
  CHECK(find_generator_kind("llm").calls_providers);
  CHECK(find_generator_kind("relay").asks_model);
  CHECK_FALSE(find_generator_kind("relay").calls_providers);
  CHECK(find_generator_kind("transform").reads_reference_c);
  const auto& unknown = find_generator_kind("oracle");
  CHECK(unknown.name.empty());
  CHECK_FALSE(unknown.asks_model);
  CHECK(find_provider_kind("nobody") == nullptr);
  for (const auto& name : provider_kind_names())
    CHECK(find_provider_kind(name)->name == name);
}

TEST_CASE("a file's ending says the language of a candidate") {
  CHECK(language_of_file("a/b.c").name == "c");
  CHECK(language_of_file("b.cc").name == "cpp");
  CHECK(language_of_file("b.cxx").name == "cpp");
  CHECK(language_of_file("candidate.cu").name == "cuda");
  CHECK(language_of_file("candidate.hip").name == "hip");
  CHECK(language_of_file("x.py").name == "triton"); // no candidate is in PyTorch
  for (const auto* none : {"", "c", ".c", "a.c/b", "x.", "x.rs"})
    CHECK_MESSAGE(language_of_file(none).name.empty(), none);
}

TEST_CASE("every language of candidates has an ending that names it, and a fence") {
  std::set<std::string_view> names;
  for (const auto& l : language_kinds()) {
    CHECK(names.insert(l.name).second);
    CHECK(l.extension.starts_with('.'));
    CHECK_FALSE(l.fence.empty());
    CHECK((l.of_candidates || l.of_references));
    if (l.of_candidates)
      CHECK(&language_of_file("x" + std::string{l.extension}) == &l);
  }
  CHECK(is_native("c"));
  CHECK(is_native("cpp"));
  CHECK(is_cpp("cpp"));
  CHECK_FALSE(is_cpp("c"));
  for (const auto* other : {"cuda", "hip", "triton", "pytorch", "fortran", ""})
    CHECK_FALSE(is_native(other));
}

TEST_CASE("a memory operator says what a step is shown") {
  struct row {
    memory_operator x;
    bool lineage, siblings, afresh;
  };
  for (const auto& r :
       {row{memory_operator::parent, true, false, false}, row{memory_operator::siblings, false, true, false},
        row{memory_operator::both, true, true, false}, row{memory_operator::none, false, false, true}}) {
    const auto text = to_string(r.x);
    CAPTURE(text);
    CHECK(parse_enum<memory_operator>(text) == r.x);
    CHECK(shows_lineage(text) == r.lineage);
    CHECK(shows_siblings(text) == r.siblings);
    CHECK(starts_afresh(text) == r.afresh);
  }
}
