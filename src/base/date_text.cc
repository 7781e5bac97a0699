#include "base/date_text.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace plimsoll {

std::string date_text(double seconds_since_1970) {
  using namespace std::chrono;
  const sys_seconds moment{seconds(std::llround(seconds_since_1970))};
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const auto minute = duration_cast<minutes>(moment - day).count();
  constexpr int kPerHour = 60;
  if (minute != 0) text += fmt::format("T{:02}:{:02}Z", minute / kPerHour, minute % kPerHour);
  return text;
}

}  // namespace plimsoll
