// Memory: how much this program may still take, whether some plan fits into it, and the error of
// running out all the same. Decides whether work is begun and goes on, never a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "base/result.h"

namespace plimsoll {

/// Bytes: the least of what the machine has available and what control groups and `ulimit -v`
/// leave. None where the system does not say.
std::optional<std::int64_t> available_memory();

/// An io error if `count` of `things` ("requests") with so many bytes each are more than
/// `available`: says how many would fit and `remedy`, how to ask for fewer.
Result<void> check_memory(double count, double bytes_each, const std::string& things,
                          const std::string& remedy, std::optional<std::int64_t> available);
/// Refuses what exceeds the memory that is available now; the system is not asked about less than
/// 16 MB.
Result<void> check_memory(double count, double bytes_each, const std::string& things,
                          const std::string& remedy);

/// Whether so little is left that work which takes ever more should end with an error, before the
/// system ends the program: less than a quarter of a GB.
bool is_memory_short(std::optional<std::int64_t> available = available_memory());

/// Thrown in the place of std::bad_alloc by who knows what the memory was for ("simulating 2,000
/// requests"); whoever answers the command line makes an error of it.
class OutOfMemory final : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string purpose)
      : purpose_(std::make_shared<const std::string>(std::move(purpose))) {}
  const char* what() const noexcept override { return purpose_->c_str(); }

 private:
  std::shared_ptr<const std::string> purpose_;  // copies of an exception may not throw
};

/// The io error of it.
Error out_of_memory(const std::string& purpose);

// What the program does with memory that it frees.

/// Up to so many bytes that are freed stay with the program, in each arena of its threads, for what
/// it needs next. Tables of the next run that are paged in anew take a tenth to a fifth of the time
/// of a search. Memory of 32 MiB or more in one piece always goes back to the system. Does nothing
/// where the C library is not glibc.
void keep_freed_memory(std::size_t bytes);

/// Threads share so many arenas, at least two: many of them would each leave pieces of their work
/// in an arena of its own.
void share_arenas(std::size_t arenas);

}  // namespace plimsoll
