#include "base/time_zone.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr const char* kDatabase = "/usr/share/zoneinfo";
constexpr std::int64_t kMostBytes = 1 << 20;
constexpr std::int64_t kDay = 86'400;

tl::unexpected<Error> damaged() {
  return fail(ErrorKind::usage, "the file of the time zone is damaged", "install tzdata again");
}

// Integers of a TZif file, the most significant byte first; 0 beyond its end, which `ok` tells.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : rest_(text) {}

  std::int64_t integer(std::size_t width) {
    std::uint64_t value = 0;
    const std::string_view text = take(width);
    for (const char c : text) value = value << 8 | static_cast<unsigned char>(c);
    const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
  }
  std::string_view take(std::size_t count) {
    ok_ = ok_ && count <= rest_.size();
    const std::string_view taken = rest_.substr(0, ok_ ? count : 0);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

struct Counts {
  std::size_t utc, standard, leaps, changes, types, letters;

  std::size_t bytes_after_changes() const { return letters + leaps * 12 + standard + utc; }
};

std::optional<Counts> read_counts(Bytes* bytes) {
  if (bytes->take(4) != "TZif") return std::nullopt;
  bytes->take(16);
  Counts counts{};
  for (std::size_t* count : {&counts.utc, &counts.standard, &counts.leaps, &counts.changes,
                             &counts.types, &counts.letters}) {
    const std::int64_t value = bytes->integer(4);
    if (value < 0 || value > kMostBytes) return std::nullopt;
    *count = static_cast<std::size_t>(value);
  }
  return bytes->ok() && counts.types > 0 ? std::optional(counts) : std::nullopt;
}

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  };
  return !name.empty() && name.front() != '/' && std::ranges::all_of(name, fits);
}

std::vector<std::string> known_zones() {
  std::vector<std::string> names;
  std::error_code failed;
  const std::filesystem::path root(kDatabase);
  for (auto entry = std::filesystem::recursive_directory_iterator(root, failed);
       !failed && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().lexically_relative(root).string();
    const bool is_zone = name[0] >= 'A' && name[0] <= 'Z' && name.find('.') == std::string::npos;
    if (is_zone && entry->is_regular_file(failed)) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::int64_t TimeZone::Change::in(int year) const {
  using namespace std::chrono;
  const std::chrono::year y{year};
  sys_days date = y / January / 1;
  if (month == 0) {
    date += days{day + (!leap_day_counts && y.is_leap() && day >= 59 ? 1 : 0)};
  } else {
    const weekday on{static_cast<unsigned>(day)};
    const auto of = y / std::chrono::month{static_cast<unsigned>(month)};
    date = week == 5 ? sys_days{of / on[last]} : sys_days{of / on[static_cast<unsigned>(week)]};
  }
  return date.time_since_epoch().count() * kDay + at_s;
}

/// `CET-1CEST,M3.5.0,M10.5.0/3`: what a footer says, part by part.
class TimeZone::Rule {
 public:
  explicit Rule(std::string_view text) : text_(text) {}

  bool read(TimeZone* zone) {
    if (text_.empty()) return true;
    if (!name() || !clock()) return false;
    zone->offsets_.back() = -clock_;
    if (text_.empty()) return true;
    if (!name()) return false;
    zone->summer_s_ = 3600 - clock_;
    if (!text_.starts_with(',')) {
      if (!clock()) return false;
      zone->summer_s_ = -clock_;
    }
    zone->has_summer_ = change(&zone->begin_) && change(&zone->end_);
    return zone->has_summer_ && text_.empty();
  }

 private:
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Of a clock, letters or <...>.
  bool name() {
    const std::size_t end =
        text_.starts_with('<') ? text_.find('>') + 1 : text_.find_first_of("+-0123456789,");
    if (end == 0) return false;
    text_.remove_prefix(std::min(end, text_.size()));
    return true;
  }
  bool number(int* value) {
    *value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && digits < 3; ++digits) {
      if (text_[digits] < '0' || text_[digits] > '9') break;
      *value = *value * 10 + (text_[digits] - '0');
    }
    text_.remove_prefix(digits);
    return digits > 0;
  }
  // [+-]hours[:minutes[:seconds]]
  bool clock() {
    const bool minus = take('-');
    if (!minus) take('+');
    int part = 0;
    if (!number(&part)) return false;
    clock_ = part * 3600;
    for (int unit = 60; unit > 0 && take(':'); unit /= 60) {
      if (!number(&part)) return false;
      clock_ += part * unit;
    }
    if (minus) clock_ = -clock_;
    return true;
  }
  bool change(Change* change) {
    if (!take(',')) return false;
    if (take('M')) {
      if (!number(&change->month) || !take('.') || !number(&change->week) || !take('.') ||
          !number(&change->day))
        return false;
      if (change->month < 1 || change->month > 12 || change->week < 1 || change->week > 5 ||
          change->day > 6)
        return false;
    } else {
      change->leap_day_counts = !take('J');
      if (!number(&change->day)) return false;
      if (!change->leap_day_counts) change->day -= 1;
    }
    if (!take('/')) return true;
    if (!clock()) return false;
    change->at_s = clock_;
    return true;
  }

  std::string_view text_;
  std::int64_t clock_ = 0;
};

Result<TimeZone> TimeZone::parse(std::string_view file) {
  Bytes bytes(file);
  const auto old = read_counts(&bytes);
  if (!old || file[4] < '2') return damaged();
  bytes.take(old->changes * 5 + old->types * 6 + old->letters + old->leaps * 8 + old->standard +
             old->utc);
  const auto counts = read_counts(&bytes);
  if (!counts) return damaged();
  TimeZone zone;
  for (std::size_t i = 0; i < counts->changes; ++i) zone.changes_.push_back(bytes.integer(8));
  const std::string_view types = bytes.take(counts->changes);
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < counts->types; ++i) {
    offsets.push_back(bytes.integer(4));
    bytes.take(2);
  }
  zone.offsets_.push_back(offsets.front());
  for (const char type : types) {
    if (static_cast<unsigned char>(type) >= offsets.size()) return damaged();
    zone.offsets_.push_back(offsets[static_cast<unsigned char>(type)]);
  }
  bytes.take(counts->bytes_after_changes());
  std::string_view footer = bytes.rest();
  if (!bytes.ok() || footer.size() < 2 || footer.front() != '\n' || footer.back() != '\n')
    return damaged();
  if (!std::ranges::is_sorted(zone.changes_)) return damaged();
  footer = footer.substr(1, footer.size() - 2);
  if (!Rule(footer).read(&zone)) return damaged();
  return zone;
}

Result<TimeZone> TimeZone::named(const std::string& name) {
  if (name == "UTC") {
    TimeZone utc;
    utc.offsets_ = {0};
    return utc;
  }
  std::error_code failed;
  if (!std::filesystem::is_directory(kDatabase, failed)) {
    return fail(ErrorKind::usage,
                "this machine has no time zone database, in which to look up \"" + name + "\"",
                std::string("install tzdata (") + kDatabase + "), or write times in UTC");
  }
  const std::string path = std::string(kDatabase) + "/" + name;
  if (!is_name(name) || !std::filesystem::is_regular_file(path, failed)) {
    const std::string near = nearest_name(name, known_zones());
    return fail(
        ErrorKind::usage, "unknown time zone \"" + name + "\"",
        near.empty() ? "for example Europe/Berlin, or UTC" : "did you mean \"" + near + "\"?");
  }
  TRY(text, read_system_file(path, kMostBytes));
  return parse(text);
}

std::int64_t TimeZone::offset_at(std::int64_t utc_s) const {
  const auto after = std::ranges::upper_bound(changes_, utc_s) - changes_.begin();
  const std::int64_t offset = offsets_[static_cast<std::size_t>(after)];
  if (!has_summer_ || after != std::ssize(changes_)) return offset;
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_seconds{std::chrono::seconds{utc_s + offset}})};
  const int year = static_cast<int>(date.year());
  const std::int64_t begin = begin_.in(year)-offset;
  const std::int64_t end = end_.in(year)-summer_s_;
  const bool is_summer =
      begin < end ? utc_s >= begin && utc_s < end : utc_s >= begin || utc_s < end;
  return is_summer ? summer_s_ : offset;
}

std::vector<std::int64_t> TimeZone::moments_of(std::int64_t local_s) const {
  std::vector<std::int64_t> moments;
  for (const std::int64_t near : {local_s - kDay, local_s + kDay}) {
    const std::int64_t moment = local_s - offset_at(near);
    const bool is_new = moments.empty() || moments.front() != moment;
    if (is_new && offset_at(moment) == local_s - moment) moments.push_back(moment);
  }
  std::ranges::sort(moments);
  return moments;
}

}  // namespace plimsoll
