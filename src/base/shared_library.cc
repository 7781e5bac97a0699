#include "base/shared_library.h"

#include <dlfcn.h>

namespace plimsoll {

#ifdef PLIMSOLL_STATIC

SharedLibrary::SharedLibrary(const char*) {}
void* SharedLibrary::address_of(const char*) const { return nullptr; }

#else

SharedLibrary::SharedLibrary(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

void* SharedLibrary::address_of(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

#endif

}  // namespace plimsoll
