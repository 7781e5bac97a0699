#include "report/measured/calibration.h"

#include "base/json.h"

namespace plimsoll {
namespace {

constexpr int kCalibrationSchema = 1;

Json percent_or_null(double percent) { return percent < 0 ? Json(nullptr) : Json(percent); }

Json errors_json(const CalibrationErrors& e) {
  const auto side = [](std::int64_t n, double before, double after) {
    if (n == 0) return Json(nullptr);
    return Json{{"n", n},
                {"before_percent", percent_or_null(before)},
                {"after_percent", percent_or_null(after)}};
  };
  return {{"metric", e.metric},
          {"fitted", side(e.fitted, e.fitted_before, e.fitted_after)},
          {"held_out", side(e.held_out, e.held_out_before, e.held_out_after)}};
}

}  // namespace

std::string calibration_report_json(const CalibrationReport& report) {
  const Calibration& c = report.calibration;
  Json parameters = Json::object();
  for (std::size_t i = 0; i < c.terms.size(); ++i) {
    const CorrectionTerm& term = correction_terms()[i];
    parameters[std::string(term.name)] = {{"value", c.correction.*term.field},
                                          {"interval90", {c.terms[i].low, c.terms[i].high}},
                                          {"identified", c.terms[i].identified}};
  }
  Json errors = Json::array();
  for (const CalibrationErrors& e : c.errors) errors.push_back(errors_json(e));
  Json improved = nullptr;
  if (c.base != kNoBase) improved = improvement(c);
  const Json out{{"schema_version", kCalibrationSchema},
                 {"base", c.base},
                 {"model", c.model},
                 {"gpu", c.gpu},
                 {"tensor_parallel", c.layout.tp},
                 {"sources", c.sources},
                 {"improvement", std::move(improved)},
                 {"improves", why_not_better(c).empty()},
                 {"parameters", std::move(parameters)},
                 {"errors", std::move(errors)},
                 {"notes", report.notes},
                 {"remarks", report.remarks}};
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
