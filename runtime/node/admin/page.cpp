#include "runtime/node/admin/page.hpp"

#include "runtime/node/admin/call.hpp"
#include "runtime/node/page/embedded.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Only our own files run or are loaded, nothing may frame the page, and no text can become markup: writing to innerHTML
// and the like throws.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

void reply_file(const call_ptr& c, const page_file& file) {
  api_response out;
  out.content_type = std::string{file.content_type};
  out.body = std::string{file.bytes};
  out.headers = {{"Content-Security-Policy", content_policy},
                 {"Referrer-Policy", "no-referrer"},
                 {"X-Frame-Options", "DENY"},
                 {"Cross-Origin-Opener-Policy", "same-origin"},
                 {"Cross-Origin-Resource-Policy", "same-origin"}};
  c->reply(std::move(out));
}

} // namespace

void add_page_routes(std::vector<route>& table) {
  for (const auto& file : page_files()) {
    auto proxy = file.name == "index.html";
    route r;
    r.method = "GET";
    r.pattern = proxy ? std::string{"/"} : "/page/" + std::string{file.name};
    r.id = proxy ? std::string{"page"} : "page_" + std::string{file.name};
    std::replace(r.id.begin(), r.id.end(), '.', '_');
    r.summary = proxy ? "The web page" : "A file of the web page";
    r.open = true;
    r.produces = {std::string{file.content_type.substr(0, file.content_type.find(';'))}};
    r.handler = [&file](const call_ptr& c) { reply_file(c, file); };
    table.push_back(std::move(r));
  }
}

} // namespace kevolve
