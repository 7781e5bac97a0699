#include "base/file.h"
#include "perf/calibration.h"
#include "spec/spec_file.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr IntRange kDegree{1, 1024};
constexpr IntRange kRunCount{0, 1'000'000'000'000};
constexpr NumberRange kPercent{-1, 1e9};
// A microsecond term of more than a quarter of an hour is a wrong unit.
constexpr NumberRange kTermRange{-1e9, 1e9};
constexpr NumberRange kScaleRange{0, 1000, true};

const std::vector<std::string> kMetrics{"ttft_ms", "tpot_ms", "step_ms"};

std::vector<std::string> base_names() {
  std::vector<std::string> names;
  for (const LatencyModel& model : latency_models()) names.push_back(model.name);
  names.emplace_back(kNoBase);
  return names;
}

void read_term(SpecMap map, const CorrectionTerm& term, Calibration* out) {
  const NumberRange range = term.field == &Correction::scale ? kScaleRange : kTermRange;
  out->correction.*term.field = map.number("value", range);
  CalibratedTerm read;
  read.low = map.number("low", kTermRange);
  read.high = map.number("high", kTermRange);
  if (read.low > read.high) map.error("low", "\"low\" is greater than \"high\"");
  read.identified = map.flag("identified");
  out->terms.push_back(read);
}

CalibrationErrors read_errors(SpecMap map) {
  CalibrationErrors errors;
  errors.metric = map.choice("metric", kMetrics);
  errors.fitted = map.integer("fitted", kRunCount);
  errors.held_out = map.integer("held_out", kRunCount);
  errors.fitted_before = map.number("fitted_before_percent", kPercent);
  errors.fitted_after = map.number("fitted_after_percent", kPercent);
  if (errors.held_out > 0 || map.has("held_out_before_percent")) {
    errors.held_out_before = map.number("held_out_before_percent", kPercent);
  }
  if (errors.held_out > 0 || map.has("held_out_after_percent")) {
    errors.held_out_after = map.number("held_out_after_percent", kPercent);
  }
  return errors;
}

void write_term(const CorrectionTerm& term, const Correction& correction,
                const CalibratedTerm& fitted, YamlWriter* out) {
  out->open(term.name);
  out->number("value", correction.*term.field);
  out->number("low", fitted.low);
  out->number("high", fitted.high);
  out->flag("identified", fitted.identified);
  out->close();
}

void write_errors(const CalibrationErrors& errors, YamlWriter* out) {
  out->begin_item();
  out->text("metric", errors.metric);
  out->integer("fitted", errors.fitted);
  out->integer("held_out", errors.held_out);
  out->number("fitted_before_percent", errors.fitted_before);
  out->number("fitted_after_percent", errors.fitted_after);
  if (errors.held_out > 0) {
    out->number("held_out_before_percent", errors.held_out_before);
    out->number("held_out_after_percent", errors.held_out_after);
  }
  out->end_item();
}

}  // namespace

Result<Calibration> read_calibration(const std::string& path) {
  TRY(text, read_file(path));
  return parse_calibration(text, path);
}

Result<Calibration> parse_calibration(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  top.integer("plimsoll_calibration", {kFormat, kFormat});
  Calibration out;
  out.base = top.choice("base", base_names());
  out.model = top.text("model");
  out.gpu = top.text("gpu");
  out.layout.tp = top.integer("tensor_parallel", kDegree);
  out.layout.pp = top.integer("pipeline_parallel", kDegree);
  out.layout.dp = top.integer("data_parallel", kDegree);
  out.layout.ep = top.integer("expert_parallel", {1, 1024 * 1024});
  out.date = top.optional_text("date").value_or("");
  out.sources = top.texts("sources");
  SpecMap terms = top.map("parameters");
  for (const CorrectionTerm& term : correction_terms()) {
    read_term(terms.map(term.name), term, &out);
  }
  for (SpecMap errors : top.maps("errors")) out.errors.push_back(read_errors(errors));
  return spec.finish(std::move(out));
}

std::string calibration_text(const Calibration& calibration) {
  YamlWriter out;
  out.integer("plimsoll_calibration", kFormat);
  out.text("base", calibration.base);
  out.text("model", calibration.model);
  out.text("gpu", calibration.gpu);
  out.integer("tensor_parallel", calibration.layout.tp);
  out.integer("pipeline_parallel", calibration.layout.pp);
  out.integer("data_parallel", calibration.layout.dp);
  out.integer("expert_parallel", calibration.layout.ep);
  if (!calibration.date.empty()) out.text("date", calibration.date);
  std::vector<std::string> sources;
  for (const std::string& source : calibration.sources) sources.push_back(yaml_text(source));
  out.flow("sources", "[", sources, "]");
  out.open("parameters");
  for (std::size_t i = 0; i < correction_terms().size(); ++i) {
    write_term(correction_terms()[i], calibration.correction, calibration.terms[i], &out);
  }
  out.close();
  out.open("errors");
  for (const CalibrationErrors& errors : calibration.errors) write_errors(errors, &out);
  out.close();
  return out.take();
}

}  // namespace plimsoll
