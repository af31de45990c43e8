# cmake -DOUT=file.cpp -DFOLDER=built -P embed.cmake: the page's built files as a C++ source.
set(types "html:text/html; charset=utf-8|js:text/javascript; charset=utf-8|css:text/css; charset=utf-8|svg:image/svg+xml")
string(REPLACE "|" "\n" types "${types}")

set(arrays "")
set(rows "")
set(count 0)
foreach(name index.html app.js app.css icon.svg)
  string(REGEX MATCH "[a-z]+$" extension ${name})
  string(REGEX MATCH "(^|\n)${extension}:([^\n]+)" found "${types}")
  set(type "${CMAKE_MATCH_2}")
  file(READ ${FOLDER}/${name} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char file_${count}[] = {\n${bytes}};\n")
  string(APPEND rows "      {\"${name}\", \"${type}\", text_of(file_${count}, sizeof(file_${count}))},\n")
  math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUT} "// Made by runtime/node/page/embed.cmake.
#include \"runtime/node/page/embedded.hpp\"

#include <array>
#include <cstddef>

namespace kevolve {

namespace {

${arrays}
std::string_view text_of(const unsigned char* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace

std::span<const page_file> page_files() {
  static const std::array<page_file, ${count}> files{{
${rows}  }};
  return files;
}

} // namespace kevolve
")
