// Names of Python packages.
#include "tools/kevolve/bundle/python_package.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace kevolve {

namespace {

constexpr size_t longest = 60;

// Keywords, modules of Python's library, packages of PyTorch's surroundings, namespaces of its operators, and files of
// a bundle: a package must not hide them.
constexpr const char* taken_words = R"(
and as assert async await break case class continue def del elif else except false finally for from global if import in is
lambda match none nonlocal not or pass raise return true try type while with yield
abc aifc argparse array ast asyncio atexit audioop base64 bdb binascii bisect builtins bz2 calendar cgi cgitb chunk cmath cmd
code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg cprofile crypt
csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings ensurepip enum errno faulthandler fcntl
filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html
http imaplib imghdr importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap
marshal math mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath numbers opcode operator optparse os
ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve
shlex shutil signal site smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess
sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter
token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave
weakref webbrowser winreg wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
torch torchvision torchaudio numpy scipy jax triton setuptools pip wheel pytest packaging sympy networkx kevolve ipython
matplotlib aten prim prims quantized quantized_decomposed inductor mkldnn mkl onednn c10d profiler rngprims sparse fbgemm
_c10d_functional higher_order symm_mem streams xnnpack cuda cudnn static_runtime export
b build dist tests kevolve_wheel package reference main
)";

bool is_taken(const std::string& name) {
  std::istringstream words{taken_words};
  for (std::string word; words >> word;)
    if (word == name)
      return true;
  return false;
}

} // namespace

std::string python_name(std::string_view text) {
  std::string out;
  for (const auto x : text) {
    const auto letter = static_cast<unsigned char>(x);
    if (letter < 128 && std::isalnum(letter) != 0)
      out += static_cast<char>(std::tolower(letter));
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  out.resize(std::min(out.size(), longest));
  while (!out.empty() && out.back() == '_')
    out.pop_back();
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0)
    out = "kernel" + std::string{out.empty() ? "" : "_"} + out;
  return is_taken(out) ? out + "_kernel" : out;
}

bool is_python_name(std::string_view text) {
  return python_name(text) == text;
}

} // namespace kevolve
