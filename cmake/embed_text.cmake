# cmake -DOUT=file.cpp -DTEXT=file.md -DHEADER=its/header.hpp -DNAME=function -P embed_text.cmake: a text as a C++ function.
file(READ ${TEXT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "// Made by cmake/embed_text.cmake.
#include \"${HEADER}\"

namespace kevolve {

namespace {

constexpr unsigned char text[] = {
${bytes}};

} // namespace

std::string_view ${NAME}() {
  return {reinterpret_cast<const char*>(text), sizeof text};
}

} // namespace kevolve
")
