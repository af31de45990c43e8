#include "actors/knowledge/text_index.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <set>

namespace kevolve::knowledge {

namespace {

// A word in a heading counts as much as six in the text, one in the title of the document as three.
constexpr const char* schema =
    "CREATE VIRTUAL TABLE sections USING fts5(title, heading, body, tokenize = 'porter unicode61');"
    "INSERT INTO sections(sections, rank) VALUES('rank', 'bm25(3.0, 6.0, 1.0)');";
constexpr const char* insertion = "INSERT INTO sections(rowid, title, heading, body) VALUES(?, ?, ?, ?)";
constexpr const char* search = "SELECT rowid, rank FROM sections WHERE sections MATCH ? ORDER BY rank, rowid";

struct database_closer {
  void operator()(sqlite3* x) const { sqlite3_close(x); }
};
struct statement_closer {
  void operator()(sqlite3_stmt* x) const { sqlite3_finalize(x); }
};
using database = std::unique_ptr<sqlite3, database_closer>;
using statement = std::unique_ptr<sqlite3_stmt, statement_closer>;

statement prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* out = nullptr;
  sqlite3_prepare_v2(db, sql, -1, &out, nullptr);
  return statement{out};
}

// SQLite reads the text until the statement is reset; ours outlives that.
void set_text(const statement& s, int at, const std::string& text) {
  sqlite3_bind_text(s.get(), at, text.data(), static_cast<int>(text.size()), nullptr);
}

} // namespace

struct text_index::parts {
  std::mutex lock;
  database db;
  statement search; // ends before the database does
};

text_index::text_index(std::unique_ptr<parts> p) : parts_(std::move(p)) {}
text_index::text_index(text_index&&) noexcept = default;
text_index& text_index::operator=(text_index&&) noexcept = default;
text_index::~text_index() = default;

result<text_index> text_index::build(const std::vector<indexed_text>& texts) {
  auto p = std::make_unique<parts>();
  sqlite3* db = nullptr;
  const auto opened = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  p->db.reset(db);
  const auto failed = [&](const char* what) {
    return fail(errc::internal, std::string{"the full-text index: "} + what + ": " + sqlite3_errmsg(db));
  };
  if (opened != SQLITE_OK)
    return failed("opening SQLite");
  if (sqlite3_exec(db, schema, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failed("SQLite without FTS5");
  sqlite3_exec(db, "BEGIN", nullptr, nullptr, nullptr);
  const auto insert = prepare(db, insertion);
  for (size_t i = 0; i < texts.size(); ++i) {
    sqlite3_bind_int64(insert.get(), 1, static_cast<sqlite3_int64>(i));
    set_text(insert, 2, texts[i].title);
    set_text(insert, 3, texts[i].heading);
    set_text(insert, 4, texts[i].text);
    if (sqlite3_step(insert.get()) != SQLITE_DONE)
      return failed("adding a section");
    sqlite3_reset(insert.get());
  }
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  p->search = prepare(db, search);
  if (!p->search)
    return failed("preparing a search");
  return text_index{std::move(p)};
}

std::vector<std::string> query_words(std::string_view text, size_t most) {
  static const std::set<std::string, std::less<>> common{"the",  "and",  "that", "this", "with", "for",  "are",
                                                         "was",  "not",  "its",  "from", "has",  "have", "which",
                                                         "more", "less", "than", "what", "into", "each", "one"};
  constexpr size_t shortest = 3;
  std::vector<std::string> out;
  std::set<std::string> seen;
  std::string word;
  const auto end_word = [&] {
    if (word.size() >= shortest && !common.contains(word) && out.size() < most && seen.insert(word).second)
      out.push_back(word);
    word.clear();
  };
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else
      end_word(); // an underscore ends a word, as it does for the tokeniser
  end_word();
  return out;
}

std::vector<text_match> text_index::find(std::string_view words) const {
  std::string query;
  for (const auto& w : query_words(words))
    query += (query.empty() ? "\"" : " OR \"") + w + "\"";
  std::vector<text_match> out;
  if (query.empty())
    return out;
  std::lock_guard guard{parts_->lock};
  const auto& s = parts_->search;
  set_text(s, 1, query);
  while (sqlite3_step(s.get()) == SQLITE_ROW) // the rank of FTS5 is negative, the best first
    out.push_back({static_cast<size_t>(sqlite3_column_int64(s.get(), 0)), -sqlite3_column_double(s.get(), 1)});
  sqlite3_reset(s.get());
  return out;
}

} // namespace kevolve::knowledge
