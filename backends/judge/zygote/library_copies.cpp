#include "backends/judge/zygote/library_copies.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>

namespace kevolve {

namespace {

constexpr uintptr_t page = 4096;

uintptr_t down(uintptr_t x) {
  return x & ~(page - 1);
}
uintptr_t up(uintptr_t x) {
  return down(x + page - 1);
}

using part_visitor = std::function<void(uintptr_t begin, uintptr_t end, int protection)>;

// Visits the parts of a library that kernels read and nobody writes: code, constants, and address tables that are
// read-only after relocation. The first segment is skipped, since it holds the loader's data. Code and constants are
// adjacent and move together as executable, since each move costs a launch some microseconds.
void visit_parts(const dl_phdr_info& info, const part_visitor& visit) {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool first = true;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& p = info.dlpi_phdr[i];
    const auto from = down(info.dlpi_addr + p.p_vaddr);
    const auto to = info.dlpi_addr + p.p_vaddr + p.p_memsz;
    if (p.p_type == PT_LOAD && (p.p_flags & PF_W) == 0) {
      if (!first || (p.p_flags & PF_X) != 0) {
        if (from != end) {
          if (end != begin)
            visit(begin, end, PROT_READ | PROT_EXEC);
          begin = from;
        }
        end = up(to);
      }
      first = false;
    } else if (p.p_type == PT_GNU_RELRO && down(to) > from)
      visit(from, down(to), PROT_READ); // excludes the last page, which may also hold data
  }
  if (end != begin)
    visit(begin, end, PROT_READ | PROT_EXEC);
}

// The program itself has no name, and the kernel's own page has no file. Kernels do not call the libraries that only
// launching needs.
bool kernels_use(const dl_phdr_info& info) {
  const std::string_view name = info.dlpi_name;
  constexpr std::array<std::string_view, 4> others{"vdso", "/ld-linux", "/libffi.", "/libseccomp."};
  return !name.empty() && std::none_of(others.begin(), others.end(), [&](const auto& other) {
    return name.find(other) != std::string_view::npos;
  });
}

} // namespace

void library_copies::release() {
  for (auto*& copy : copies_) {
    if (copy != nullptr)
      munmap(copy, bytes_);
    copy = nullptr;
  }
  parts_.clear();
  bytes_ = 0;
}

bool library_copies::make() {
  release();
  const auto collect = [](dl_phdr_info* info, size_t, void* data) {
    auto& self = *static_cast<library_copies*>(data);
    if (kernels_use(*info))
      visit_parts(*info, [&](uintptr_t begin, uintptr_t end, int protection) {
        self.parts_.push_back({reinterpret_cast<std::byte*>(begin), end - begin, protection, self.bytes_});
        self.bytes_ += end - begin;
      });
    return 0;
  };
  dl_iterate_phdr(collect, this);
  for (auto*& copy : copies_) {
    const auto fd = memfd_create("kevolve-libraries", MFD_CLOEXEC);
    if (fd < 0)
      return false;
    auto* whole = ftruncate(fd, static_cast<off_t>(bytes_)) == 0
                      ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                      : MAP_FAILED;
    if (whole == MAP_FAILED) {
      close(fd);
      return false;
    }
    for (const auto& p : parts_)
      std::memcpy(static_cast<std::byte*>(whole) + p.offset, p.at, p.bytes);
    // Private from here on, so that a child's writes into its copy stay its own.
    bool placed = true;
    for (const auto& p : parts_)
      placed = placed
               && mmap(static_cast<std::byte*>(whole) + p.offset, p.bytes, p.protection, MAP_PRIVATE | MAP_FIXED, fd,
                       static_cast<off_t>(p.offset))
                      != MAP_FAILED;
    copy = static_cast<std::byte*>(whole);
    close(fd);
    if (!placed)
      return false;
  }
  return true;
}

bool library_copies::take(int slot) {
  auto* const own = copies_.at(static_cast<size_t>(slot));
  for (const auto& p : parts_)
    if (mremap(own + p.offset, p.bytes, p.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, p.at) == MAP_FAILED)
      return false;
  for (auto*& copy : copies_) {
    munmap(copy, bytes_);
    copy = nullptr;
  }
  return true;
}

} // namespace kevolve
