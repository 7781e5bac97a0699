#include <algorithm>
#include <optional>

#include "base/text.h"
#include "workload/csv.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

enum Column : std::size_t { timestamp, context_tokens, generated_tokens };

const CsvFormat& azure_format() {
  static const CsvFormat format{{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}, {}, false};
  return format;
}

// Days since 1970-01-01 in the Gregorian calendar, counting years from March so that the leap day
// comes last.
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) year -= 1;
  const std::int64_t months_from_march = (month + 9) % 12;
  const std::int64_t day_of_year = (153 * months_from_march + 2) / 5 + day - 1;
  return year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719'468;
}

std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  const std::int64_t next_month = month % 12 + 1;
  return days_from_civil(year + month / 12, next_month, 1) - days_from_civil(year, month, 1);
}

// The number in text[at, at + digits), -1 if those are not digits.
std::int64_t digits_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (text.size() < at + digits) return -1;
  std::int64_t value = 0;
  for (const char c : text.substr(at, digits)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

// The fraction of a second ".6805900" in nanoseconds; up to nine digits.
std::optional<std::int64_t> parse_fraction(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] != '.' || text.size() < 2 || text.size() > 10) return std::nullopt;
  const std::int64_t digits = digits_at(text, 1, text.size() - 1);
  if (digits < 0) return std::nullopt;
  std::int64_t scale = 1;
  for (std::size_t i = text.size(); i < 10; ++i) scale *= 10;
  return digits * scale;
}

// `2023-11-16 18:15:46.6805900`, taken as UTC, with or without `+00:00`; ns since 1970.
std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  constexpr std::string_view kUtc = "+00:00";
  if (text.size() > kUtc.size() && text.substr(text.size() - kUtc.size()) == kUtc) {
    text.remove_suffix(kUtc.size());
  }
  if (text.size() < 19 || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const std::int64_t year = digits_at(text, 0, 4), month = digits_at(text, 5, 2),
                     day = digits_at(text, 8, 2), hour = digits_at(text, 11, 2),
                     minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (year < 1970 || year > 2200 || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 59) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> fraction = parse_fraction(text.substr(19));
  if (!fraction) return std::nullopt;
  const std::int64_t in_day = (hour * 60 + minute) * 60 + second;
  return (days_from_civil(year, month, day) * 86'400 + in_day) * 1'000'000'000 + *fraction;
}

}  // namespace

Result<Workload> read_azure_trace(LineReader lines) {
  Result<CsvTable> table = CsvTable::open(std::move(lines), azure_format());
  if (!table) return pass_on(table);
  Workload workload;
  Time earliest = kNever;
  for (;;) {
    Result<bool> more = table->next();
    if (!more) return pass_on(more);
    if (!*more) break;
    const std::optional<std::int64_t> ns = parse_timestamp(table->text(timestamp));
    if (!ns) table->error(timestamp, "\"TIMESTAMP\" must look like 2023-11-16 18:15:46.6805900");
    const Time at{ns.value_or(0)};
    if (table->rows() > 1 && at > earliest + kLongestTrace) {
      table->error(timestamp, "\"TIMESTAMP\" lies more than a year after the start of the trace");
    }
    earliest = std::min(earliest, at);
    workload.arrival.push_back(at);
    workload.input_tokens.push_back(
        static_cast<std::int32_t>(table->integer(context_tokens, 1, kMaxTokens)));
    workload.output_tokens.push_back(
        static_cast<std::int32_t>(table->integer(generated_tokens, 0, kMaxTokens)));
  }
  for (Time& arrival : workload.arrival) arrival = Time{} + (arrival - earliest);
  return finish_trace(std::move(workload), table->file());
}

}  // namespace plimsoll
