#include "forecast/history/prometheus.h"

#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "base/calendar.h"
#include "base/json.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr double kFirstMilliseconds = 1e11;  // larger times are not seconds

using Labels = std::map<std::string, std::string>;  // and the metric as __name__

/// Samples by series, in the order in which they were found.
class RangeResponse {
 public:
  void add(const Labels& labels, double time_s, double value) {
    Json& samples = samples_[labels];
    samples.push_back(Json::array({time_s, shortest(value)}));
  }
  /// What came from one time to another; nothing came between the last one and `from_s`.
  void add_delta(const Labels& labels, double from_s, double time_s, double value) {
    auto& [sum, until_s] = sums_.try_emplace(labels).first->second;
    if (from_s > until_s && from_s < time_s) add(labels, from_s, sum);
    sum += value;
    until_s = time_s;
    add(labels, time_s, sum);
  }
  bool empty() const { return samples_.empty(); }

  std::string text() const {
    Json result = Json::array();
    for (const auto& [labels, samples] : samples_) {
      Json metric = Json::object();
      for (const auto& [name, value] : labels) metric[name] = value;
      result.push_back({{"metric", std::move(metric)}, {"values", samples}});
    }
    return Json({{"data", {{"resultType", "matrix"}, {"result", std::move(result)}}}}).dump();
  }

 private:
  std::map<Labels, Json> samples_;
  struct Sum {
    double value = 0;
    double until_s = 0;
  };
  std::map<Labels, Sum> sums_;  ///< of deltas
};

double in_seconds(double time) { return time >= kFirstMilliseconds ? time / 1e3 : time; }

// A line that is nothing but a time.
std::optional<double> time_alone(const std::string& line) {
  double number = 0;
  if (parse_double(line, &number) && number > 0) return in_seconds(number);
  const auto written = parse_written_time(line);
  if (!written || !written->offset_ns) return std::nullopt;
  return static_cast<double>(written->local_ns - *written->offset_ns) / 1e9;
}

/// One line of the exposition format: name{label="value",...} value [time]. The time is in
/// milliseconds, or, as OpenMetrics has it, in seconds.
class SampleLine {
 public:
  explicit SampleLine(const std::string& line) : line_(line) {}

  /// False for a line that is none.
  bool read(Labels* labels, double* value, std::optional<double>* time_s) {
    const std::size_t end = line_.find_first_of("{ \t");
    if (end == std::string::npos || end == 0) return false;
    (*labels)["__name__"] = line_.substr(0, end);
    at_ = end;
    if (line_[at_] == '{' && !read_labels(labels)) return false;
    std::istringstream rest(line_.substr(at_));
    std::string number;
    std::string stamp;
    std::string more;
    rest >> number >> stamp >> more;
    double time = 0;
    if (!more.empty() || (number != "NaN" && !parse_double(number, value))) return false;
    if (number == "NaN") *value = std::nan("");
    if (stamp.empty()) return true;
    if (!parse_double(stamp, &time)) return false;
    *time_s = in_seconds(time);
    return true;
  }

 private:
  bool read_labels(Labels* labels) {
    ++at_;
    while (at_ < line_.size() && line_[at_] != '}') {
      const std::size_t equals = line_.find('=', at_);
      if (equals == std::string::npos || equals + 1 >= line_.size() || line_[equals + 1] != '"')
        return false;
      std::string value;
      std::size_t i = equals + 2;
      for (; i < line_.size() && line_[i] != '"'; ++i) {
        if (line_[i] == '\\' && i + 1 < line_.size()) ++i;
        value += line_[i];
      }
      (*labels)[line_.substr(at_, equals - at_)] = value;
      at_ = i + 1;
      if (at_ < line_.size() && line_[at_] == ',') ++at_;
    }
    if (at_ >= line_.size()) return false;
    ++at_;
    return true;
  }

  const std::string& line_;
  std::size_t at_ = 0;
};

Result<std::string> from_scrapes(const std::string& text, const std::string& file) {
  RangeResponse response;
  std::istringstream lines(text);
  std::optional<double> scraped_s;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    if (const auto time = time_alone(line)) {
      scraped_s = time;
      continue;
    }
    Labels labels;
    double value = 0;
    std::optional<double> time_s = scraped_s;
    if (!SampleLine(line).read(&labels, &value, &time_s))
      return fail_at(ErrorKind::spec, file, number,
                     "this is neither a time nor a sample of a metric",
                     "for example vllm:prompt_tokens_total{model_name=\"m\"} 1234");
    if (!time_s) {
      return fail_at(ErrorKind::spec, file, number, "no time is known of this sample",
                     "write the time on a line of its own before each scrape: date +%s");
    }
    if (!std::isnan(value)) response.add(labels, *time_s, value);
  }
  return response.text();
}

// The name that a client library of Prometheus would give a sum.
std::string counter_name(std::string name) {
  if (!name.ends_with("_total")) name += "_total";
  return name;
}

std::string attribute_text(const Json& value) {
  if (!value["stringValue"].is_null()) return value["stringValue"].as_string();
  return value["intValue"].is_string() ? value["intValue"].as_string() : value["intValue"].dump();
}

void add_attributes(const Json& attributes, Labels* labels) {
  for (const Json& attribute : attributes)
    (*labels)[attribute["key"].as_string()] = attribute_text(attribute["value"]);
}

double number_of(const Json& value) {
  double number = 0;
  if (value.is_number()) return value.as_double();
  parse_double(value.as_string(), &number);  // 64-bit integers are texts in OTLP JSON
  return number;
}

// AggregationTemporality of OTLP: 1, or its name where a writer keeps names.
bool is_delta(const Json& temporality) {
  return temporality.is_string() ? temporality.as_string() == "AGGREGATION_TEMPORALITY_DELTA"
                                 : temporality.as_integer() == 1;
}

void add_export(const Json& line, RangeResponse* response) {
  for (const Json& resource : line["resourceMetrics"]) {
    for (const Json& scope : resource["scopeMetrics"]) {
      for (const Json& metric : scope["metrics"]) {
        const Json& sum = metric["sum"];
        for (const Json& point : sum["dataPoints"]) {
          Labels labels{{"__name__", counter_name(metric["name"].as_string())}};
          add_attributes(resource["resource"]["attributes"], &labels);
          add_attributes(point["attributes"], &labels);
          const double time_s = number_of(point["timeUnixNano"]) / 1e9;
          const double value =
              number_of(point.contains("asDouble") ? point["asDouble"] : point["asInt"]);
          if (is_delta(sum["aggregationTemporality"])) {
            response->add_delta(labels, number_of(point["startTimeUnixNano"]) / 1e9, time_s, value);
          } else {
            response->add(labels, time_s, value);
          }
        }
      }
    }
  }
}

Result<std::string> from_exports(const std::string& text, const std::string& file) {
  RangeResponse response;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json parsed = Json::parse(line);
    if (!parsed["resourceMetrics"].is_array())
      return fail_at(ErrorKind::spec, file, number, "this line is no export of metrics",
                     "an object with \"resourceMetrics\", as the file exporter of "
                     "OpenTelemetry writes them");
    add_export(parsed, &response);
  }
  return response.text();
}

}  // namespace

Result<std::string> as_range_response(const std::string& text, const std::string& file) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string::npos && (text[begin] == '{' || text[begin] == '[');
  if (!is_json) return from_scrapes(text, file);
  const std::string first_line = text.substr(begin, text.find('\n', begin) - begin);
  if (first_line.find("\"resourceMetrics\"") != std::string::npos) return from_exports(text, file);
  return text;
}

}  // namespace plimsoll
