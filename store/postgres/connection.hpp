// A connection to PostgreSQL: statements with parameters, several in one transaction, and notifications. Used by one
// thread at a time. Every call waits, at most for the connection's time limits.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pg_conn;
struct pg_result;

namespace kevolve::postgres {

struct connection_options {
  std::string connection; // libpq's "host=… dbname=…" or a URL, with several hosts if wanted, without a password
  std::string password;   // empty: none, as with a client certificate
  std::string name;       // application_name, which the server's views show
  std::chrono::milliseconds connect_limit{5'000};
  std::chrono::milliseconds statement_limit{5'000}; // below the time after which a silent node is gone
};

// A parameter of a statement: text, or bytes as they are.
struct parameter {
  std::string value;
  bool bytes = false;
};
struct statement {
  std::string text; // with $1, $2, …
  std::vector<parameter> parameters;
};

// The rows of an answer.
class rows {
public:
  explicit rows(pg_result* r);
  const pg_result* raw() const { return result_.get(); }
  size_t size() const;
  bool is_null(size_t row, int column) const;
  std::string text(size_t row, int column) const;  // empty: null
  std::string bytes(size_t row, int column) const; // of a column of type bytea
  int64_t integer(size_t row, int column) const;
  double number(size_t row, int column) const;
  bool truth(size_t row, int column) const;
  std::vector<std::string> list(size_t row, int column) const; // of an array of uuid or of plain words

private:
  std::shared_ptr<pg_result> result_;
};

class connection {
public:
  // Connects to the first host that takes writes. TLS is verified unless the connection string says otherwise or names
  // a local server. errc::unauthorised: refused login or certificate; errc::read_only: no server takes writes;
  // errc::unavailable: no server answers.
  static result<std::unique_ptr<connection>> open(const connection_options& options);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  // Runs one statement. Errors of kevolve's functions keep their meaning: KV401 is errc::unauthorised, KV409
  // errc::conflict, KV410 errc::bad_input, KV411 errc::cancelled. A lost connection is errc::unavailable, a server that
  // takes no writes errc::read_only, a full one errc::no_space, a silent one errc::timed_out.
  result<rows> run(const statement& s);
  // Runs several in one transaction and one round trip; all of them or none count.
  result<std::vector<rows>> run_all(const std::vector<statement>& group);
  // Runs a text of several statements without parameters, such as a migration.
  result<void> run_script(const std::string& text);

  // Asks to be notified on a channel.
  result<void> listen(const std::string& channel);
  struct notification {
    std::string channel;
    std::string payload;
  };
  // Waits until a notification arrives, `wake` (a descriptor) becomes readable, or the time is over: nothing then.
  result<std::optional<notification>> wait(int wake, std::chrono::milliseconds limit);
  bool broken() const; // the server is gone: open another connection

private:
  explicit connection(pg_conn* c);
  failure given_up(failure why);
  failure silent();
  result<pg_result*> next_result();
  result<rows> answer(bool sent);

  pg_conn* conn_;
  std::chrono::milliseconds answer_limit_{0};
  bool broken_ = false; // it did not answer in time
};

// Returns an array as PostgreSQL reads it: {"a","b"}.
std::string array_of(const std::vector<std::string>& items);
// Returns bytea[] as PostgreSQL reads it, of hexadecimal digests.
std::string digests_of(const std::vector<std::string>& hexadecimal);

} // namespace kevolve::postgres
