#include "store/audit.hpp"

#include "runtime/base/codec.hpp"
#include "store/record.hpp"

#include <utility>

namespace kevolve::audit {

namespace {

std::string hash_of(const audit_record& x) {
  auto bare = x;
  bare.hash.clear();
  return sha256_hex(encode(bare));
}

} // namespace

std::string key(uint64_t number) {
  return std::string{prefix} + record::big_endian(number);
}

void chain(audit_record& x, audit_end& end) {
  x.number = end.number + 1;
  x.before = end.hash;
  x.hash = hash_of(x);
  end = {x.number, x.hash};
}

std::vector<write_op> writes(const std::vector<audit_record>& records, const audit_end& end) {
  std::vector<write_op> out;
  for (const auto& x : records)
    out.push_back(write_op::put(table::index, key(x.number), encode(x)));
  if (!records.empty())
    out.push_back(write_op::put(table::index, std::string{end_key}, encode(end)));
  return out;
}

result<audit_end> read_end(const store& data) {
  auto bytes = data.get(table::index, end_key);
  if (!bytes)
    return tl::unexpected(bytes.error());
  return *bytes ? decode<audit_end>(**bytes) : audit_end{};
}

result<std::vector<audit_record>> read(const store& data, uint64_t after, size_t limit) {
  auto rows = data.scan(table::index, prefix, limit, after == 0 ? std::string{} : key(after));
  if (!rows)
    return tl::unexpected(rows.error());
  std::vector<audit_record> out;
  for (const auto& [where, bytes] : *rows) {
    auto x = decode<audit_record>(bytes);
    if (!x)
      return tl::unexpected(x.error());
    out.push_back(std::move(*x));
  }
  return out;
}

std::string checker::next(std::string_view where, std::string_view payload) {
  auto x = decode<audit_record>(payload);
  if (!x)
    return "not an audit record";
  std::string wrong;
  if (where != key(x->number))
    wrong = "says that it is number " + std::to_string(x->number);
  else if (x->number != at_.number + 1)
    wrong = "follows number " + std::to_string(at_.number) + ": " + std::to_string(x->number - at_.number - 1)
            + " audit records are missing before it";
  else if (x->before != at_.hash)
    wrong = "does not follow the record before it: one of the two was changed";
  else if (x->hash != hash_of(*x))
    wrong = "was changed: its content has another hash";
  at_ = {x->number, x->hash};
  return wrong;
}

std::string checker::finish(std::string_view end_payload) const {
  auto end = end_payload.empty() ? result<audit_end>{audit_end{}} : decode<audit_end>(end_payload);
  if (!end)
    return "not an end of the audit log";
  if (end->number == at_.number && end->hash == at_.hash)
    return {};
  return "the audit log ended with number " + std::to_string(end->number) + " (" + end->hash.substr(0, 12)
         + "), and now ends with " + std::to_string(at_.number) + " (" + at_.hash.substr(0, 12) + ")";
}

} // namespace kevolve::audit
