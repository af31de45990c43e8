#include "actors/knowledge/operator_family.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace kevolve::knowledge {

namespace {

constexpr size_t most_families = 3;

// A word that names a family. In a reference it is looked for as a call or a part of a name.
struct family_word {
  std::string_view word; // whole words and their beginnings: "conv" is found in "conv1d"
  std::string_view family;
};

constexpr std::array family_words{
    family_word{"softmax", "softmax"},
    family_word{"lse", "softmax"},
    family_word{"logsumexp", "softmax"},
    family_word{"attention", "attention"},
    family_word{"sdpa", "attention"},
    family_word{"scaled_dot_product", "attention"},
    family_word{"conv", "convolution"},
    family_word{"convolution", "convolution"},
    family_word{"gemm", "matmul"},
    family_word{"matmul", "matmul"},
    family_word{"matrix", "matmul"},
    family_word{"mm", "matmul"},
    family_word{"bmm", "matmul"},
    family_word{"addmm", "matmul"},
    family_word{"linear", "matmul"},
    family_word{"einsum", "matmul"},
    family_word{"pffn", "matmul"},
    family_word{"feed", "matmul"},
    family_word{"factorisation", "matmul"},
    family_word{"norm", "normalisation"},
    family_word{"normalisation", "normalisation"},
    family_word{"normalization", "normalisation"},
    family_word{"layernorm", "normalisation"},
    family_word{"layer_norm", "normalisation"},
    family_word{"rmsnorm", "normalisation"},
    family_word{"rms_norm", "normalisation"},
    family_word{"batch_norm", "normalisation"},
    family_word{"group_norm", "normalisation"},
    family_word{"instance_norm", "normalisation"},
    family_word{"batchnorm", "normalisation"},
    family_word{"groupnorm", "normalisation"},
    family_word{"instancenorm", "normalisation"},
    family_word{"statistics", "reduction"},
    family_word{"sum", "reduction"},
    family_word{"mean", "reduction"},
    family_word{"amax", "reduction"},
    family_word{"argmax", "reduction"},
    family_word{"energy", "reduction"},
    family_word{"reduction", "reduction"},
    family_word{"reduce", "reduction"},
    family_word{"squares", "reduction"},
    family_word{"cumsum", "scan"},
    family_word{"cumprod", "scan"},
    family_word{"prefix", "scan"},
    family_word{"scan", "scan"},
    family_word{"gather", "gather_scatter"},
    family_word{"scatter", "gather_scatter"},
    family_word{"index_select", "gather_scatter"},
    family_word{"index_add", "gather_scatter"},
    family_word{"inverted", "gather_scatter"},
    family_word{"embedding", "embedding"},
    family_word{"lookup", "sort_search"},
    family_word{"bucketize", "sort_search"},
    family_word{"searchsorted", "sort_search"},
    family_word{"sort", "sort_search"},
    family_word{"topk", "sort_search"},
    family_word{"nearest", "sort_search"},
    family_word{"clustering", "sort_search"},
    family_word{"map_id", "sort_search"},
    family_word{"mbdt", "sort_search"},
    family_word{"stencil", "stencil"},
    family_word{"sobel", "stencil"},
    family_word{"laplacian", "stencil"},
    family_word{"jacobi", "stencil"},
    family_word{"five_points", "stencil"},
    family_word{"histogram", "histogram"},
    family_word{"bincount", "histogram"},
    family_word{"jagged", "ragged"},
    family_word{"ragged", "ragged"},
    family_word{"truncate", "ragged"},
    family_word{"quant", "quantised"},
    family_word{"int8", "quantised"},
    family_word{"pool", "pooling"},
    family_word{"max_pool", "pooling"},
    family_word{"avg_pool", "pooling"},
    family_word{"transpose", "layout"},
    family_word{"permute", "layout"},
    family_word{"layout", "layout"},
    family_word{"pack", "layout"},
    family_word{"dropout", "random"},
    family_word{"rand", "random"},
    family_word{"loss", "loss"},
    family_word{"cross_entropy", "loss"},
    family_word{"kl_div", "loss"},
    family_word{"nll", "loss"},
    family_word{"lstm", "recurrent"},
    family_word{"gru", "recurrent"},
    family_word{"rnn", "recurrent"},
    family_word{"recurrent", "recurrent"},
    family_word{"sparse", "sparse"},
    family_word{"csr", "sparse"},
    family_word{"spmm", "sparse"},
    family_word{"spmv", "sparse"},
    family_word{"elementwise", "elementwise"},
    family_word{"relu", "elementwise"},
    family_word{"gelu", "elementwise"},
    family_word{"silu", "elementwise"},
    family_word{"swish", "elementwise"},
    family_word{"sigmoid", "elementwise"},
    family_word{"tanh", "elementwise"},
    family_word{"scholes", "elementwise"},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty())
      out.push_back(word);
    word.clear();
  };
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      end_word();
  end_word();
  return out;
}

// A word of five letters or more may go on ("quant", "quantised"). A shorter one may be followed by digits ("conv1d"),
// or stand before or after an underscore.
bool names(std::string_view found, std::string_view word) {
  constexpr size_t long_enough = 5;
  for (size_t at = found.find(word); at != std::string_view::npos; at = found.find(word, at + 1)) {
    const auto before = at == 0 || found[at - 1] == '_';
    const auto rest = found.substr(at + word.size());
    const bool ends =
        rest.empty() || rest.front() == '_' || std::isdigit(static_cast<unsigned char>(rest.front())) != 0;
    if (before && (ends || word.size() >= long_enough))
      return true;
  }
  return false;
}

// The figures of a reference in C that its family can be read from.
struct c_structure {
  int depth = 0;            // of the deepest loop nest
  bool product_sum = false; // x += a[…] * b[…] in a nest of three or more
  bool sum = false;         // x += …
  bool indirect = false;    // a[b[…]]
  bool neighbours = false;  // a[i - 1] beside a[i + 1]
  bool array = false;
};

bool holds_product_of_elements(std::string_view statement) {
  const auto star = statement.find('*');
  return star != std::string_view::npos && statement.substr(0, star).find('[') != std::string_view::npos
         && statement.substr(star).find('[') != std::string_view::npos;
}

bool holds_indirect(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth >= 2)
      return true;
  }
  return false;
}

c_structure structure_of(std::string_view source) {
  c_structure out;
  int braces = 0;
  std::vector<int> loops; // depth of braces at which each open loop began
  std::string statement;
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (source.substr(i, 4) == "for " || source.substr(i, 4) == "for(") {
      loops.push_back(braces);
      out.depth = std::max(out.depth, static_cast<int>(loops.size()));
    }
    if (c == '{')
      ++braces;
    if (c == '}') {
      --braces;
      while (!loops.empty() && loops.back() >= braces)
        loops.pop_back();
    }
    if (c != ';' && c != '{' && c != '}') {
      statement += c;
      continue;
    }
    out.array = out.array || statement.find('[') != std::string::npos;
    if (const auto add = statement.find("+="); add != std::string::npos) {
      const auto right = std::string_view{statement}.substr(add + 2);
      out.sum = out.sum || right.find('[') != std::string_view::npos;
      out.product_sum = out.product_sum || (loops.size() >= 3 && holds_product_of_elements(right));
    }
    out.indirect = out.indirect || holds_indirect(statement);
    out.neighbours = out.neighbours
                     || (statement.find("- 1") != std::string::npos && statement.find("+ 1") != std::string::npos
                         && statement.find('[') != std::string::npos);
    statement.clear();
  }
  return out;
}

} // namespace

std::vector<std::string> operator_families(std::string_view words, std::string_view reference) {
  constexpr int of_the_task = 4; // a word of the task tells more than a call in the reference
  std::map<std::string, int> found;
  const auto count = [&](std::string_view text, int weight) {
    for (const auto& w : words_of(text))
      for (const auto& row : family_words)
        if (names(w, row.word))
          found[std::string{row.family}] += weight;
  };
  count(words, of_the_task);
  std::map<std::string, int> named = std::move(found);
  found.clear();
  count(reference, 1);
  for (const auto& [family, hits] : found)
    named[family] += std::min(hits, of_the_task - 1);
  const auto s = structure_of(reference);
  if (s.product_sum)
    named["matmul"] += 2;
  if (s.indirect)
    named["gather_scatter"] += 2;
  if (s.neighbours)
    named["stencil"] += 1;
  if (named.empty() && s.sum)
    named["reduction"] += 1;
  if (named.empty() && s.array)
    named["elementwise"] += 1;
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [family, hits] : named)
    ranked.emplace_back(-hits, family);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> out;
  for (const auto& [hits, family] : ranked)
    if (out.size() < most_families)
      out.push_back(family);
  return out;
}

} // namespace kevolve::knowledge
