// Documents of the knowledge base and traces of retrieval as JSON: of the HTTP interface and of the command line.
#pragma once

#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/retrieval.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

json to_json(const knowledge::document& d); // without its sections
json whole_json(const knowledge::document& d);
json to_json(const knowledge::quoted_section& s);
json to_json(const diagnostic& d);
json to_json(const knowledge::code_answer& a);
json to_json(const retrieval_record& r);
json to_json(const report_record& r);

} // namespace kevolve
