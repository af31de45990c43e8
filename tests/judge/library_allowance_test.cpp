#include "backends/judge/library_allowance.hpp"
#include "tests/support/small_object.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace kevolve;
using kevolve::testing::small_object;

namespace {

std::string needs(const std::vector<std::string>& names) {
  std::vector<std::pair<int64_t, std::string>> entries;
  for (const auto& n : names)
    entries.emplace_back(DT_NEEDED, n);
  return small_object{entries}.lay_out().bytes();
}

} // namespace

TEST_CASE("an object's libraries are read as the loader would") {
  auto object = read_elf_object(needs({"libm.so.6", "", "libc.so.6"}));
  REQUIRE(object);
  CHECK(object->needed == std::vector<std::string>{"libm.so.6", "", "libc.so.6"});
  CHECK(object->directives.empty());
}

TEST_CASE("the C library, its mathematics and compilers' run time are always allowed") {
  const contract task;
  CHECK_FALSE(refuse_object(task, needs({"libc.so.6", "libm.so.6", "libmvec.so.1", "libstdc++.so.6", "libgcc_s.so.1",
                                         "ld-linux-x86-64.so.2"})));
  CHECK_FALSE(refuse_object(task, needs({})));
}

TEST_CASE("a library that is not allowed is refused by name") {
  const contract task;
  for (const std::string name : {"libopenblas.so.0", "libpthread.so.0", "libomp.so.5", "libdl.so.2", "/lib/libm.so.6",
                                 "./libm.so.6", "", "libm.so.6.evil", "ld-linux", "liblibc.so.6"}) {
    CAPTURE(name);
    auto why = refuse_object(task, needs({"libm.so.6", name}));
    REQUIRE(why);
    CHECK(why->rule == "library");
    CHECK(why->evidence["refused"] == "'" + name + "'");
    CHECK(why->evidence["needed"] == "'libm.so.6', '" + name + "'");
    CHECK(why->detail.find("'" + name + "'") != std::string::npos);
  }
}

TEST_CASE("a task's own libraries are allowed by short or full name, but not by similar names") {
  contract task;
  task.libraries = {"openblas", "libfftw3.so.3"};
  CHECK(library_allowed(task, "libopenblas.so.0"));
  CHECK(library_allowed(task, "libopenblas.so"));
  CHECK(library_allowed(task, "libfftw3.so.3"));
  CHECK_FALSE(library_allowed(task, "libopenblas64.so.0"));
  CHECK_FALSE(library_allowed(task, "libopenblas.sock"));
  CHECK_FALSE(library_allowed(task, "/tmp/libopenblas.so.0"));
  CHECK_FALSE(library_allowed(task, "libfftw3.so.31"));
}

TEST_CASE("a thread run time needs a task that allows threads") {
  contract task;
  CHECK(refuse_object(task, needs({"libomp.so.5"})));
  task.threads = true;
  CHECK_FALSE(refuse_object(task, needs({"libomp.so.5", "libgomp.so.1", "libpthread.so.0"})));
}

TEST_CASE("other entries that control the loader are refused") {
  const contract task;
  for (auto [tag, kind] : std::vector<std::pair<int64_t, std::string>>{{DT_RPATH, "RPATH"},
                                                                       {DT_RUNPATH, "RUNPATH"},
                                                                       {DT_AUDIT, "AUDIT"},
                                                                       {DT_DEPAUDIT, "DEPAUDIT"},
                                                                       {DT_FILTER, "FILTER"},
                                                                       {DT_AUXILIARY, "AUXILIARY"},
                                                                       {DT_CONFIG, "CONFIG"}}) {
    auto why = refuse_object(task, small_object{{{tag, "/tmp/x"}}}.lay_out().bytes());
    REQUIRE(why);
    CHECK(why->rule == "library");
    CHECK(why->evidence["directives"] == "'" + kind + "=/tmp/x'");
  }
  small_object program{{}};
  program.segments.resize(3);
  program.segments[2].p_type = PT_INTERP;
  program.lay_out();
  program.segments[2].p_offset = program.segments[0].p_filesz;
  program.strings += std::string{"/tmp/loader\0", 12};
  auto why = refuse_object(task, program.bytes());
  REQUIRE(why);
  CHECK(why->evidence["directives"] == "'INTERP=/tmp/loader'");
}

TEST_CASE("an ambiguous object is refused as malformed") {
  const std::vector<std::pair<int64_t, std::string>> one{{DT_NEEDED, "libc.so.6"}};
  struct damage {
    const char* what;
    std::function<void(small_object&)> apply;
  };
  const std::vector<damage> all{
      {"no magic", [](auto& o) { o.header.e_ident[EI_MAG1] = 'F'; }},
      {"another machine", [](auto& o) { o.header.e_machine = EM_386; }},
      {"an executable", [](auto& o) { o.header.e_type = ET_EXEC; }},
      {"odd program headers", [](auto& o) { o.header.e_phentsize = 1; }},
      {"headers outside", [](auto& o) { o.header.e_phoff = ~uint64_t{0} - 8; }},
      {"too many headers", [](auto& o) { o.header.e_phnum = 65535; }},
      {"no dynamic section", [](auto& o) { o.segments[1].p_type = PT_NOTE; }},
      {"two dynamic sections", [](auto& o) { o.segments[0].p_type = PT_DYNAMIC; }},
      {"a segment outside", [](auto& o) { o.segments[0].p_filesz = 1U << 20U; }},
      {"more file than memory", [](auto& o) { o.segments[0].p_memsz = 1; }},
      {"an impossible address", [](auto& o) { o.segments[0].p_vaddr = ~uint64_t{0} / 4096 * 4096; }},
      {"an unmappable address", [](auto& o) { o.segments[0].p_vaddr = 8; }},
      {"a dynamic section elsewhere", [](auto& o) { o.segments[1].p_vaddr += 1U << 20U; }},
      {"no end of the dynamic section",
       [](auto& o) {
         o.dynamic.back().d_tag = DT_DEBUG;
         o.strings.clear();
         o.segments[0].p_filesz = o.segments[1].p_offset + o.dynamic.size() * sizeof(Elf64_Dyn);
       }},
      {"a name outside", [](auto& o) { o.dynamic[0].d_un.d_val = 4000; }},
      {"a name without an end", [](auto& o) { o.strings.back() = 'x'; }},
      {"no string table", [](auto& o) { o.dynamic[1].d_tag = DT_DEBUG; }},
  };
  for (const auto& d : all) {
    CAPTURE(d.what);
    auto o = small_object{one}.lay_out();
    REQUIRE_FALSE(refuse_object({}, o.bytes()));
    d.apply(o);
    auto why = refuse_object({}, o.bytes());
    REQUIRE(why);
    CHECK(why->rule == "object_format");
    CHECK_FALSE(why->detail.empty());
  }
}

TEST_CASE("segments that share a page and repeated string tables are malformed") {
  small_object shared{{{DT_NEEDED, "libc.so.6"}}};
  shared.segments.resize(3);
  shared.lay_out();
  shared.segments[2] = shared.segments[0];
  shared.segments[2].p_vaddr = 0;
  CHECK(refuse_object({}, shared.bytes())->rule == "object_format");
  shared.segments[2].p_vaddr = 4096; // on its own page
  CHECK_FALSE(refuse_object({}, shared.bytes()));

  small_object twice{{{DT_NEEDED, "libc.so.6"}}};
  twice.add(DT_STRTAB, 0);
  CHECK(refuse_object({}, twice.lay_out().bytes())->rule == "object_format");
}

TEST_CASE("every truncated object is refused") {
  const auto whole = needs({"libc.so.6"});
  for (size_t n = 0; n < whole.size(); ++n)
    CHECK(refuse_object({}, std::string_view{whole}.substr(0, n)));
}
