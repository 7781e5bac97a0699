#include "cli/caller.h"

#include <utility>

namespace plimsoll {
namespace {

thread_local Caller* t_caller = nullptr;

class Calling {
 public:
  explicit Calling(Caller* caller) : before_(std::exchange(t_caller, caller)) {}
  ~Calling() { t_caller = before_; }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

 private:
  Caller* before_;
};

}  // namespace

int run_command_line(Words words, Caller& caller) {
  const Calling calling(&caller);
  return run_command_line(words);
}

Caller* current_caller() { return t_caller; }

}  // namespace plimsoll
