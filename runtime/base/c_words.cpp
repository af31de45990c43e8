#include "runtime/base/c_words.hpp"

namespace kevolve {

const word_set& qualifiers() {
  static const word_set words{"static",       "inline",    "__inline",      "__inline__", "const",
                              "__const",      "volatile",  "__volatile__",  "restrict",   "__restrict",
                              "__restrict__", "_Noreturn", "_Thread_local", "__thread",   "thread_local",
                              "register",     "auto",      "__extension__", "noreturn",   "constexpr"};
  return words;
}

const word_set& type_words() {
  static const word_set words{"void",   "char",     "short",    "int",       "long",       "float",     "double",
                              "signed", "unsigned", "_Bool",    "_Complex",  "__int128",   "_Float16",  "__fp16",
                              "__bf16", "_Float32", "_Float64", "_Float128", "__float128", "__signed__"};
  return words;
}

const word_set& attribute_words() {
  static const word_set words{"__attribute__", "__attribute", "_Alignas", "alignas", "__declspec"};
  return words;
}

const word_set& typeof_words() {
  static const word_set words{"typeof", "__typeof__", "__typeof", "_Atomic", "_BitInt"};
  return words;
}

const word_set& far_reaching() {
  static const word_set words{"alias",          "ifunc",    "constructor", "destructor", "weak",
                              "weakref",        "section",  "__alias__",   "__ifunc__",  "__constructor__",
                              "__destructor__", "__weak__", "__weakref__", "__section__"};
  return words;
}

} // namespace kevolve
