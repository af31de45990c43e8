// A shared library found at run time, and its functions by name.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace kevolve::cuda {

class dynamic_library {
public:
  // Loads the first of these names that can be loaded. It is never unloaded, since vendors' libraries do not support
  // that well.
  explicit dynamic_library(std::initializer_list<std::string> names) {
    for (const auto& name : names) {
      if (name.empty())
        continue;
      handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) {
        name_ = name;
        return;
      }
      why_ = ::dlerror();
    }
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }
  const std::string& why() const { return why_; }

  // Looks up a function. Returns false and records the name if there is none.
  template <class F>
  bool find(F*& out, const char* name) {
    out = handle_ == nullptr ? nullptr : reinterpret_cast<F*>(::dlsym(handle_, name));
    if (out == nullptr && missing_.empty())
      missing_ = name;
    return out != nullptr;
  }
  const std::string& missing() const { return missing_; }

private:
  void* handle_ = nullptr;
  std::string name_;
  std::string why_;
  std::string missing_;
};

} // namespace kevolve::cuda
