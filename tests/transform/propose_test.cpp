#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/plans/plans.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace kevolve::test {

using namespace transform;

TEST_CASE("the same context gives the same proposal, another seed another one") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  std::set<std::string> genomes;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    c.seed = seed;
    auto a = make_generator("transform").value()->propose(c);
    auto b = make_generator("transform").value()->propose(c);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->source == b->source);
    CHECK(a->genome == b->genome);
    CHECK(a->flags == b->flags);
    genomes.insert(a->genome);
  }
  CHECK(genomes.size() >= 10);
}

TEST_CASE("a genome reproduces its source and stands at its top") {
  if (!have_clang())
    return;
  auto n = load_nest("softmax");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  c.seed = 3;
  auto first = g->propose(c).value();
  CHECK(first.source.find("/* softmax: made from the reference by these moves, in order:\n") == 0);
  auto genome = parse_genome(first.genome).value();
  for (const auto& m : genome)
    CHECK(first.source.find("     " + to_string(m) + "\n") != std::string::npos);
}

TEST_CASE("moves that do not apply leave no trace") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto reference = read(n);
  auto env = environment_of(n, reference);
  const auto before = print_program(reference, "");
  for (const char* text : {"interchange(L1,L2)", "tile(L9,4)", "jam(L0,64)", "scalar_replace(L2)",
                           "split_accumulators(L0,4)", "if_convert(B0)", "split_index_set(L0,B0)", "vectorise(L3,8)",
                           "flags(O3)", "flags(none)", "nonsense", "tile(L0,0)", "parallel(L0)", "math"}) {
    auto p = reference;
    const auto moves = parse_genome(text).value();
    if (!transform::apply(p, moves.front(), env))
      CHECK(print_program(p, "") == before);
    else
      CHECK(std::string{text} == "jam(L0,64)"); // the only one of them that fits
  }
  auto p = reference;
  int grown = 0;
  while (transform::apply(p, {"jam", {"L0", "16"}}, env)) // copies of copies end somewhere
    REQUIRE(++grown < 4);
}

TEST_CASE("a move without its arguments has no variants") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto reference = read(n);
  auto env = environment_of(n, reference);
  for (const auto* name : {"tile", "jam", "unroll", "split_accumulators", "vectorise", "hint", "flags", "nonsense"})
    CHECK(variants({name, {}}, env).empty());
  CHECK(!variants({"tile", {"L0", "16"}}, env).empty());
}

namespace {

std::vector<std::vector<transform::move>> all_plans(const program& reference, const environment& env) {
  std::vector<std::vector<transform::move>> out;
  for (auto& idea : plans(reference, env))
    out.insert(out.end(), idea.begin(), idea.end());
  return out;
}

} // namespace

TEST_CASE("drafts are short, or sequences that the nest asks for") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  c.draft = true;
  size_t planned = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    c.seed = seed;
    c.draft_index = static_cast<uint32_t>(seed);
    const auto p = g->propose(c).value();
    if (p.genome.find("; pack(L0,b,L1); vectorise(L1,16); mask(L1); jam(L1,") != std::string::npos)
      ++planned;
    else
      CHECK(parse_genome(p.genome)->size() <= 2);
  }
  CHECK(planned == 18); // three of five
}

TEST_CASE("without plans no draft and no fresh start is a sequence that the nest asks for") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  c.plans = false;
  for (const bool draft : {true, false}) {
    c.draft = draft;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      c.seed = seed;
      c.draft_index = static_cast<uint32_t>(seed);
      CHECK(g->propose(c).value().summary == (draft ? "first draft" : "starts afresh"));
    }
  }
}

TEST_CASE("the first drafts take the ideas in turn") {
  if (!have_clang())
    return;
  auto n = load_nest("attention_rows");
  auto reference = read(n);
  const auto ideas = plans(reference, environment_of(n, reference));
  REQUIRE(ideas.size() > 1);
  auto g = make_generator("transform").value();
  auto c = context_of(n);
  c.draft = true;
  for (uint32_t turn = 0; turn < 6; ++turn) {
    c.draft_index = turn / 3 * 5 + turn % 3;
    c.seed = 100 + turn;
    const auto made = g->propose(c).value().genome;
    const auto& idea = ideas[turn % ideas.size()];
    CHECK_MESSAGE(std::any_of(idea.begin(), idea.end(), [&](const auto& s) { return to_string(s) == made; }), made);
  }
}

TEST_CASE("sequences are read off the nests that have something to reuse, and hold on them") {
  if (!have_clang())
    return;
  for (const auto* name : {"gemm", "gemm_memory", "panel_too_long", "borders"}) {
    CAPTURE(name);
    auto n = load_nest(name);
    auto reference = read(n);
    auto env = environment_of(n, reference);
    bench b(n);
    const auto sequences = all_plans(reference, env);
    CHECK(sequences.size() >= 4);
    for (const auto& g : {sequences.front(), sequences.back()}) {
      CAPTURE(to_string(g));
      auto p = reference;
      for (const auto& m : g)
        CHECK(transform::apply(p, m, env));
      CHECK(b.difference(print_program(p, "")) == std::nullopt);
    }
  }
  // A guard is peeled off first, since nothing behind one is vectorised; rows are joined though borders stand beside.
  auto windows = load_nest("borders");
  auto padded = read(windows);
  std::string all;
  for (const auto& g : all_plans(padded, environment_of(windows, padded)))
    all += to_string(g) + "\n";
  CHECK(all.find("peel(L1,B0); vectorise(L1,16); mask(L1); jam(L1,4); jam(L0,4)\n") != std::string::npos);
  CHECK(("\n" + all).find("\nvectorise") == std::string::npos);
  // Clamps of indices are clipped off first, those of all loops.
  auto clamped = load_nest("clamped");
  auto choosing = read(clamped);
  std::string clipped;
  for (const auto& g : all_plans(choosing, environment_of(clamped, choosing)))
    clipped += to_string(g) + "\n";
  CHECK(clipped.find("clip(L0); clip(L1); clip(L2); clip(L3); clip(L6); clip(L7); clip(L8); clip(L9); clip(L10); "
                     "vectorise(L1,16); mask(L1)\n")
        != std::string::npos);
  // Segments that follow each other need nothing else.
  auto jagged = load_nest("segments");
  auto copying = read(jagged);
  const auto copies = all_plans(copying, environment_of(jagged, copying));
  CHECK(std::any_of(copies.begin(), copies.end(), [](const auto& g) {
    return to_string(g).starts_with("split_index_set(L1,B0); merge_segment_copies(L1)");
  }));
  // Everything inside one loop at once, where it holds several nests: each gets its vectors, and rows share loads.
  auto attention = load_nest("attention_rows");
  auto nests = read(attention);
  const auto ideas = plans(nests, environment_of(attention, nests));
  REQUIRE(!ideas.empty());
  std::string wholes;
  for (const auto& g : ideas.front())
    wholes += to_string(g) + "\n";
  CHECK(
      wholes.find("pack(L0,k,L1); vectorise(L1,16); jam(L1,4); vectorise(L3,16); vectorise(L4,16); interchange(L5,L6); "
                  "scalar_replace(L5); vectorise(L6,16); jam(L6,4); jam(L0,4)\n")
      != std::string::npos);
  // Rows that share nothing get vectors for all work on a row, with its loops joined or not. Sums of tests are counted
  // in 32 bits before the loop around them gets its vectors. A scan among other nests seeks its hits.
  const auto lines_of = [](const char* name) {
    auto n = load_nest(name);
    auto reference = read(n);
    std::string out = "\n";
    for (const auto& g : all_plans(reference, environment_of(n, reference)))
      out += to_string(g) + "\n";
    return out;
  };
  CHECK(
      lines_of("softmax").find("\nvectorise(L1,16); mask(L1); vectorise(L2,16); mask(L2); vectorise(L3,16); mask(L3)\n")
      != std::string::npos);
  // The second factor of a product lies along the sum, as a linear layer's weights do: a panel turns it, once a tile.
  CHECK(lines_of("linear").find("\ntile(L1,32); interchange(L0,L1t); pack(L0,w,L1); vectorise(L1,16); mask(L1); "
                                "jam(L1,2); jam(L0,8)\n")
        != std::string::npos);
  // Layers that follow each other get their blocks together, and the row behind them its vectors.
  CHECK(lines_of("layers").find(
            "\ntile(L1,32); interchange(L0,L1t); pack(L0,w,L1); vectorise(L1,16); mask(L1); "
            "jam(L1,2); jam(L0,8); tile(L4,32); interchange(L3,L4t); pack(L3,v,L4); vectorise(L4,16); "
            "mask(L4); jam(L4,2); jam(L3,8); vectorise(L7,16); mask(L7); vectorise(L8,16); mask(L8)")
        != std::string::npos);
  CHECK(lines_of("counting").find("\nnarrow(L2); vectorise(L1,32); jam(L1,2)\n") != std::string::npos);
  CHECK(lines_of("best_of_rows").find("\nvectorise(L1,16); seek(L2,16)\n") != std::string::npos);
  CHECK(lines_of("search").find("\nhalve(W0); vectorise(L0,") != std::string::npos);
  CHECK(lines_of("filters").find("\nseek(L1,16)\n") != std::string::npos);
  CHECK(lines_of("looks_for").find("\nfirst(W0,128); ") != std::string::npos);
  for (const auto* name : {"prefix_sum", "opaque"}) {
    auto n = load_nest(name);
    auto reference = read(n);
    CHECK(plans(reference, environment_of(n, reference)).empty());
  }
}

TEST_CASE("a softmax's sums in one pass are offered where they may be, and found by the search") {
  if (!have_clang())
    return;
  const auto offered = [](const program& p, const environment& env, const std::string& text) {
    for (const auto& c : possible(p, env))
      if (to_string(c.what) == text)
        return true;
    return false;
  };
  auto n = load_nest("online_softmax");
  auto p = read(n);
  auto env = environment_of(n, p);
  CHECK(offered(p, env, "recompute(L2,L3)"));
  CHECK_FALSE(offered(p, env, "online(L1,L2,256)"));
  REQUIRE(transform::apply(p, {"recompute", {"L2", "L3"}}, env));
  CHECK(offered(p, env, "online(L1,L2,256)"));
  REQUIRE(transform::apply(p, {"online", {"L1", "L2", "256"}}, env));
  CHECK_FALSE(offered(p, env, "online(L1,L2,256)"));
  CHECK(variants({"online", {"L1", "L2", "256"}}, env).size() == 4);
  auto exact = load_nest("online_exact");
  auto q = read(exact);
  CHECK_FALSE(transform::apply(q, {"online", {"L0", "L1", "256"}}, environment_of(exact, q)));

  // It seldom pays: no sequence begins with it, and a step adds it now and then.
  for (const auto* name : {"online_softmax", "online_attention"})
    for (auto nest = load_nest(name); const auto& g : all_plans(read(nest), environment_of(nest, read(nest))))
      CHECK(to_string(g).find("online(") == std::string::npos);
  auto g = make_generator("transform").value();
  auto c = context_of(n);
  ancestor parent;
  parent.genome = "recompute(L2,L3)";
  parent.verdict = "pass";
  c.parents = {parent};
  size_t found = 0;
  for (c.seed = 0; c.seed < 400; ++c.seed)
    if (auto next = g->propose(c); next && next->genome.find("online(L1,L2,") != std::string::npos)
      ++found;
  CHECK(found >= 1);
  CHECK(found <= 20);
}

TEST_CASE("a row of nothing but -inf gives the NaN that it gave before its sums were streamed") {
  if (!have_clang())
    return;
  auto n = load_nest("online_infinite");
  n.sizes = {{{"rows", 2}, {"cols", 16}}, {{"rows", 1}, {"cols", 1}}, {{"rows", 1}, {"cols", 20}}};
  bench b(n); // no nest with these sizes: -Ofast knows no NaN
  auto reference = read(n);
  auto env = environment_of(n, reference);
  for (const auto* text : {"online(L1,L2,8)", "online(L1,L2,16); split_accumulators(L2,2)", "online(L1,L2,64)"}) {
    auto p = reference;
    const auto genome = parse_genome(text).value();
    for (const auto& m : genome)
      REQUIRE(transform::apply(p, m, env));
    for (const auto* level : {"-O0", "-O2", "-O3"})
      CHECK(b.difference(print_program(p, ""), {level}) == std::nullopt);
  }
}

TEST_CASE("a child resembles its parent") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  ancestor parent;
  parent.genome = "tile(L2,64); vectorise(L1,16); jam(L0,4); unroll(L2,2)";
  parent.verdict = "pass";
  c.parents = {parent};
  size_t kept = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    c.seed = seed;
    auto p = g->propose(c).value();
    CHECK(p.genome != parent.genome);
    kept += p.genome.find("vectorise(L1,16)") != std::string::npos ? 1U : 0U;
  }
  CHECK(kept >= 15);
}

TEST_CASE("moves that siblings tried in vain are tried less") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  ancestor parent;
  parent.genome = "vectorise(L1,16)";
  parent.verdict = "pass";
  parent.speedup = 5;
  c.parents = {parent};
  auto adds_jam = [&] {
    int count = 0;
    for (uint64_t seed = 0; seed < 120; ++seed) {
      c.seed = seed;
      auto genome = g->propose(c).value().genome;
      count += genome.find("jam(L0,") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  auto before = adds_jam();
  for (const char* f : {"2", "3", "4", "6", "8", "12", "14", "16"}) {
    auto s = parent;
    s.genome += std::string{"; jam(L0,"} + f + "); restrict";
    s.speedup = 4;
    c.siblings.push_back(s);
    c.siblings.push_back(s);
  }
  CHECK(before >= 10);
  CHECK(adds_jam() < before * 2 / 3);
  for (auto& s : c.siblings)
    s.speedup = 9; // those that paid are not avoided
  CHECK(adds_jam() == before);
}

TEST_CASE("a candidate of the tree is not proposed again, and exhaustion is reported") {
  if (!have_clang())
    return;
  auto n = load_nest("prefix_sum");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  c.draft = true;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    c.seed = seed;
    auto p = g->propose(c);
    REQUIRE(p);
    auto made = genome_fingerprint(p->genome);
    CHECK_FALSE(std::binary_search(c.seen.begin(), c.seen.end(), made));
    c.seen.insert(std::lower_bound(c.seen.begin(), c.seen.end(), made), made);
  }
  c.syntax_tree = nullptr; // the two flag sets beside the baseline are all that is left
  c.seen = {genome_fingerprint("flags(O2)"), genome_fingerprint("flags(Ofast)")};
  std::sort(c.seen.begin(), c.seen.end());
  auto none = g->propose(c);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::unsupported);
}

TEST_CASE("without a syntax tree the flag sets remain and the reason is given") {
  auto n = nest{};
  n.task.entry = "f";
  n.source = "void f(void) {}\n";
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  CHECK(g->describe(c).find("only flag sets: the compiler gave no syntax tree") == 0);
  const auto reading = g->read_reference(c).value();
  CHECK_FALSE(reading.rewritable);
  CHECK(text_of(reading, "f.c", true, 5).find("the compiler gave no syntax tree") == 0);
  auto p = g->propose(c);
  REQUIRE(p);
  CHECK(p->genome == "flags(" + p->flags + ")");
  CHECK(p->source.find(n.source) != std::string::npos);
}

TEST_CASE("description names what stays in order and what is opaque") {
  if (!have_clang())
    return;
  auto g = make_generator("transform").value();
  auto text = g->describe(context_of(load_nest("opaque")));
  CHECK(text.find("2 counted loops, 1 of them free of dependences") == 0);
  CHECK(text.find("line 13: L0 stays in order: holds 'switch (x[i] & 3) {'") != std::string::npos);
  const auto reading = g->read_reference(context_of(load_nest("opaque"))).value();
  CHECK(reading.rewritable);
  CHECK(
      text_of(reading, "opaque.c", true, 3)
      == "opaque.c:14: a switch is left as it is; opaque.c:29: a do loop is left as it is; opaque.c:34: a goto is left "
         "as it is; and 1 more");
}

TEST_CASE("calls that nothing can look into are told, with their lines") {
  if (!have_clang())
    return;
  auto n = load_nest("helper_pure");
  const auto reading = make_generator("transform").value()->read_reference(context_of(n)).value();
  CHECK(text_of(reading, "helper_pure.c", true, 9)
            .find("the body of remembered() cannot stand in its place: a variable of it outlives the call")
        != std::string::npos);
}

TEST_CASE("a loop that ends early is told apart from one that may run to its end") {
  if (!have_clang())
    return;
  const auto reading = make_generator("transform").value()->read_reference(context_of(load_nest("looks_for"))).value();
  const auto said = [&](const std::string& what) {
    return std::any_of(reading.remarks.begin(), reading.remarks.end(), [&](const auto& r) { return r.what == what; });
  };
  CHECK(said("W0 ends early; it may run to its end, many rounds at once"));
  CHECK(said("W6 ends early, or by what it computes: no loop that counts")); // in two places
}

TEST_CASE("genomes survive print and parse, and nonsense is refused") {
  for (const char* text : {"tile(L1,64)", "restrict; flags(Ofast-vec512)", "interchange(L0,L1t); math"})
    CHECK(to_string(parse_genome(text).value()) == text);
  for (const char* text : {"tile(", "tile(L1", "(L1)", "tile(L1,)", "a b(c", "tile(L1))", "x\ny"})
    CHECK_FALSE(parse_genome(text));
  CHECK(parse_genome("")->empty());
}

TEST_CASE("hostile genomes of parents are harmless") {
  if (!have_clang())
    return;
  auto n = load_nest("gemm");
  auto c = context_of(n);
  auto g = make_generator("transform").value();
  ancestor parent;
  parent.verdict = "pass";
  for (const char* genome : {"tile(L0,99999999999999999999)", "jam(L0,1000000)", "jam(L0,0)", "vectorise(L1,7)",
                             "tile(L0,-4)", "*/ evil /*", "split_accumulators", "flags(-o)", "jam", "tile(L0)"}) {
    parent.genome = genome;
    c.parents = {parent};
    auto p = g->propose(c);
    REQUIRE(p);
    CHECK(p->genome.find(genome) == std::string::npos);
  }
}

} // namespace kevolve::test
