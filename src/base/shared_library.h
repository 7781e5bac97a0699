// A shared library that is loaded when it is first needed, for functions that a program rarely
// calls: linked, it would cost every start more than a short run takes.
#pragma once

namespace plimsoll {

class SharedLibrary {
 public:
  /// Loads a file by its name, as the dynamic linker finds it. Stays loaded until the program ends.
  explicit SharedLibrary(const char* file);

  /// False where the library is not installed or has no such function, and in the static program.
  template <class Function>
  bool find(const char* name, Function* function) const {
    *function = reinterpret_cast<Function>(address_of(name));
    return *function != nullptr;
  }

 private:
  void* address_of(const char* name) const;

  void* handle_ = nullptr;
};

}  // namespace plimsoll
