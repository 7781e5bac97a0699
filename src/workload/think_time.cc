#include "workload/think_time.h"

#include <algorithm>
#include <map>

#include "base/lists.h"
#include "base/text.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr const char* kForms = "constant:value=500ms or lognormal:mu=1.2,sigma=0.8,min=1s,max=60s";

tl::unexpected<Error> invalid_think_time(std::string message, std::string hint = kForms) {
  return fail(ErrorKind::usage, "--think-time-dist: " + std::move(message), std::move(hint));
}

// The keys of "a=1,b=2", each once, each one of those known.
class Settings {
 public:
  static Result<Settings> parse(std::string_view text, const std::vector<std::string>& known) {
    Settings settings;
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      const std::string_view pair = text.substr(0, comma);
      text.remove_prefix(std::min(comma + 1, text.size()));
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) {
        return invalid_think_time("\"" + std::string(pair) + "\" is not of the form key=value");
      }
      const std::string key(pair.substr(0, equals));
      if (!contains(known, key)) {
        return invalid_think_time("unknown key \"" + key + "\"", suggestion(key, known));
      }
      if (!settings.values_.emplace(key, pair.substr(equals + 1)).second) {
        return invalid_think_time("\"" + key + "\" is given twice");
      }
    }
    return settings;
  }

  bool has(const std::string& key) const { return values_.contains(key); }

  Result<std::string> text(const std::string& key) const {
    if (has(key)) return values_.at(key);
    return invalid_think_time("\"" + key + "\" is missing");
  }

  Result<double> number(const std::string& key) const {
    TRY(given, text(key));
    double value = 0;
    if (parse_double(given, &value)) return value;
    return invalid_think_time("\"" + key + "\" must be a number, got \"" + given + "\"");
  }

  Result<Duration> time(const std::string& key) const {
    TRY(given, text(key));
    std::string_view text = given;
    double us_per_unit = 1e3;
    for (const auto& [unit, us] : {std::pair{"us", 1.0}, {"ms", 1e3}, {"s", 1e6}}) {
      if (!text.ends_with(unit)) continue;
      text.remove_suffix(std::string_view(unit).size());
      us_per_unit = us;
      break;
    }
    double value = 0;
    const bool good = parse_double(text, &value) && value >= 0;
    if (good && value * us_per_unit <= to_us(ThinkTime{}.max)) {
      return duration_from_us(value * us_per_unit);
    }
    return invalid_think_time(
        "\"" + key + "\" must be a time of at most 31 days, got \"" + given + "\"",
        "a number with us, ms or s; without a unit it counts milliseconds");
  }

 private:
  std::map<std::string, std::string> values_;
};

Result<ThinkTime> parse_constant(std::string_view text) {
  TRY(settings, Settings::parse(text, {"value"}));
  TRY(value, settings.time("value"));
  return ThinkTime::of(value);
}

Result<ThinkTime> parse_lognormal(std::string_view text) {
  TRY(settings, Settings::parse(text, {"mu", "sigma", "min", "max"}));
  ThinkTime think;
  TRY(mu, settings.number("mu"));
  TRY(sigma, settings.number("sigma"));
  if (sigma <= 0) return invalid_think_time("\"sigma\" must be greater than 0");
  think.mu = mu;
  think.sigma = sigma;
  for (const auto& [key, bound] : {std::pair{"min", &think.min}, {"max", &think.max}}) {
    if (!settings.has(key)) continue;
    TRY(time, settings.time(key));
    *bound = time;
  }
  if (think.min > think.max) return invalid_think_time("\"min\" exceeds \"max\"");
  return think;
}

}  // namespace

Duration ThinkTime::draw(RandomStream stream) const {
  if (sigma == 0) return constant;
  const double drawn = portable_exp(mu + sigma * draw_normal(stream));
  return std::clamp(duration_from_us(1e6 * drawn), min, max);
}

Duration ThinkTime::median() const {
  if (sigma == 0) return constant;
  return std::clamp(duration_from_us(1e6 * portable_exp(mu)), min, max);
}

Result<ThinkTime> parse_think_time(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string form(text.substr(0, colon));
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (form == "constant") return parse_constant(rest);
  if (form == "lognormal") return parse_lognormal(rest);
  return invalid_think_time("unknown distribution \"" + form + "\"",
                            suggestion(form, {"constant", "lognormal"}));
}

}  // namespace plimsoll
