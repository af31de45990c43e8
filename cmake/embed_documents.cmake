# cmake -DOUT=file.cpp -DSOURCE=tree -P embed_documents.cmake: every document of the knowledge base, with its id, as a C++
# function. The id is the name of the target's folder, or "any", and the file's name without its ending.
file(GLOB files RELATIVE ${SOURCE} ${SOURCE}/backends/*/knowledge/*.md ${SOURCE}/actors/knowledge/documents/*.md)
list(SORT files)
set(arrays "constexpr unsigned char none[] = {0};\n")
set(rows)
set(count 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  if(file MATCHES "^backends/([^/]+)/")
    set(id "${CMAKE_MATCH_1}/${name}")
  else()
    set(id "any/${name}")
  endif()
  file(READ ${SOURCE}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char text_${count}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${id}\", \"${file}\", {reinterpret_cast<const char*>(text_${count}), sizeof text_${count}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_documents.cmake.
#include \"actors/knowledge/shipped.hpp\"

namespace kevolve::knowledge {

namespace {

${arrays}
} // namespace

std::span<const shipped_document> shipped_documents() {
  static const shipped_document documents[] = {
${rows}    {{}, {}, {reinterpret_cast<const char*>(none), 0}},
  };
  return {documents, ${count}};
}

} // namespace kevolve::knowledge
")
