# cmake -DOUT=file.cpp -DFOLDER=texts -DHEADER=its/header.hpp -DNAME=function -P embed_folder.cmake: the files of a folder
# and of those below it, by their names there, as a C++ function that returns embedded_file values.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(FILTER files EXCLUDE REGEX "__pycache__")
list(SORT files)
set(arrays)
set(rows)
set(count 0)
foreach(file ${files})
  file(READ ${FOLDER}/${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char text_${count}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${file}\", {reinterpret_cast<const char*>(text_${count}), sizeof text_${count}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_folder.cmake.
#include \"${HEADER}\"

namespace kevolve {

namespace {

${arrays}
} // namespace

std::span<const embedded_file> ${NAME}() {
  static const embedded_file files[] = {
${rows}  };
  return files;
}

} // namespace kevolve
")
