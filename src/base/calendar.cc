#include "base/calendar.h"

#include <chrono>
#include <cmath>

#include "base/text.h"

namespace plimsoll {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86'400;

// Takes a text apart from its left end; once something did not fit, all that follows fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_.front(); }

  bool skip(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // The number in exactly so many digits, in [min, max].
  std::int64_t digits(std::size_t count, std::int64_t min, std::int64_t max) {
    std::int64_t value = 0;
    ok_ = ok_ && text_.size() >= count;
    for (std::size_t i = 0; ok_ && i < count; ++i) {
      ok_ = text_[i] >= '0' && text_[i] <= '9';
      value = value * 10 + (text_[i] - '0');
    }
    ok_ = ok_ && value >= min && value <= max;
    if (!ok_) return min;
    text_.remove_prefix(count);
    return value;
  }

  void expect(char c) { ok_ = ok_ && skip(c); }
  void refuse() { ok_ = false; }

  std::size_t count_digits() const {
    const std::size_t end = text_.find_first_not_of("0123456789");
    return end == std::string_view::npos ? text_.size() : end;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

// What follows the point of a second, in nanoseconds.
std::int64_t scan_fraction(Scanner& scan) {
  const std::size_t count = scan.count_digits();
  if (count == 0 || count > 9) scan.refuse();
  std::int64_t ns = scan.digits(count, 0, kSecondNs - 1);
  for (std::size_t i = count; i < 9; ++i) ns *= 10;
  return ns;
}

std::int64_t scan_time_of_day(Scanner& scan) {
  std::int64_t seconds = 3600 * scan.digits(2, 0, 23);
  scan.expect(':');
  seconds += 60 * scan.digits(2, 0, 59);
  if (!scan.skip(':')) return seconds * kSecondNs;
  seconds += scan.digits(2, 0, 59);
  return seconds * kSecondNs + (scan.skip('.') ? scan_fraction(scan) : 0);
}

std::optional<std::int64_t> scan_zone(Scanner& scan) {
  if (scan.at_end()) return std::nullopt;
  if (scan.skip('Z')) return 0;
  const std::int64_t sign = scan.peek() == '-' ? -1 : 1;
  scan.expect(sign < 0 ? '-' : '+');
  std::int64_t minutes = 60 * scan.digits(2, 0, 14);
  if (scan.skip(':') || !scan.at_end()) minutes += scan.digits(2, 0, 59);
  return sign * minutes * 60 * kSecondNs;
}

std::string two_digits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

}  // namespace

std::optional<WrittenTime> parse_written_time(std::string_view text) {
  Scanner scan(text);
  const chrono::year year{static_cast<int>(scan.digits(4, 1970, 2200))};
  scan.expect('-');
  const chrono::month month{static_cast<unsigned>(scan.digits(2, 1, 12))};
  scan.expect('-');
  const chrono::day day{static_cast<unsigned>(scan.digits(2, 1, 31))};
  const chrono::year_month_day date = year / month / day;
  if (!date.ok()) return std::nullopt;
  WrittenTime time;
  time.local_ns = chrono::sys_days(date).time_since_epoch().count() * kDaySeconds * kSecondNs;
  if (scan.skip('T') || scan.skip(' ')) {
    time.local_ns += scan_time_of_day(scan);
    time.offset_ns = scan_zone(scan);
  }
  if (!scan.ok() || !scan.at_end()) return std::nullopt;
  return time;
}

std::string iso_time(double seconds_since_1970) {
  constexpr double kYear10000 = 253'402'300'800;
  const double whole = std::round(seconds_since_1970);
  if (!(whole >= 0 && whole < kYear10000)) return shortest(seconds_since_1970);
  const auto seconds = static_cast<std::int64_t>(whole);
  const std::int64_t in_day = seconds % kDaySeconds;
  const chrono::year_month_day date{chrono::sys_days(chrono::days(seconds / kDaySeconds))};
  std::string text = std::to_string(static_cast<int>(date.year())) + "-" +
                     two_digits(static_cast<unsigned>(date.month())) + "-" +
                     two_digits(static_cast<unsigned>(date.day()));
  text += "T" + two_digits(in_day / 3600) + ":" + two_digits(in_day / 60 % 60);
  if (in_day % 60 != 0) text += ":" + two_digits(in_day % 60);
  return text + "Z";
}

}  // namespace plimsoll
