#include "base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/text.h"

namespace plimsoll {
namespace {

// The number behind a word in a file of lines such as "MemAvailable:  22784848 kB"; with an empty
// word the first one. None if there is no such file, word or number ("max" is no limit).
std::optional<std::int64_t> number_in(const std::string& path, std::string_view word = {}) {
  std::ifstream file(path);
  std::string first;
  std::int64_t number = 0;
  if (word.empty()) return file >> number ? std::optional(number) : std::nullopt;
  while (file >> first) {
    if (first != word) continue;
    return file >> number ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

/// Where the two versions of control groups keep the memory of a container.
struct ControlGroup {
  const char* limit;
  const char* used;
  const char* details;
  const char* cache;  ///< of `used`, what is given up when it is needed
};
constexpr ControlGroup kControlGroups[]{
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
     "inactive_file"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};

std::string size_text(double bytes) { return three_digits(bytes / 1e9) + " GB"; }

}  // namespace

std::optional<std::int64_t> available_memory() {
  std::optional<std::int64_t> least;
  const auto consider = [&](std::int64_t bytes) {
    least = std::min(least.value_or(bytes), std::max<std::int64_t>(bytes, 0));
  };
  if (const auto kib = number_in("/proc/meminfo", "MemAvailable:")) consider(*kib * 1024);
  for (const ControlGroup& group : kControlGroups) {
    const auto limit = number_in(group.limit);
    const auto used = number_in(group.used);
    if (limit && used) {
      consider(*limit - *used + number_in(group.details, group.cache).value_or(0));
    }
  }
  rlimit space{};
  const auto pages = number_in("/proc/self/statm");
  if (pages && getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    consider(static_cast<std::int64_t>(space.rlim_cur) - *pages * sysconf(_SC_PAGESIZE));
  }
  return least;
}

bool is_memory_short(std::optional<std::int64_t> available) {
  constexpr std::int64_t kReserve = 250'000'000;
  return available && *available < kReserve;
}

Result<void> check_memory(double count, double bytes_each, const std::string& things,
                          const std::string& remedy, std::optional<std::int64_t> available) {
  if (!available || count * bytes_each <= static_cast<double>(*available)) return {};
  const auto room = static_cast<std::int64_t>(static_cast<double>(*available) / bytes_each);
  return fail(ErrorKind::io,
              grouped(static_cast<std::int64_t>(count)) + " " + things + " need about " +
                  size_text(count * bytes_each) + " of memory, and " +
                  size_text(static_cast<double>(*available)) + " are left",
              "about " + grouped(room) + " fit: " + remedy);
}

Result<void> check_memory(double count, double bytes_each, const std::string& things,
                          const std::string& remedy) {
  constexpr double kTrifle = 16e6;
  if (count * bytes_each <= kTrifle) return {};
  return check_memory(count, bytes_each, things, remedy, available_memory());
}

Error out_of_memory(const std::string& purpose) {
  return fail(ErrorKind::io, "there was not enough memory for " + purpose,
              "ask for less at once (fewer requests, threads or instances), or allow more memory "
              "(`ulimit -v`, the limit of the container)")
      .value();
}

}  // namespace plimsoll
