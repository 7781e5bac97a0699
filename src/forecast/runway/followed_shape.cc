// The burstiness and the spread of lengths that routes take from a history.
#include "base/lists.h"
#include "base/text.h"
#include "forecast/runway/demand_growth.h"

namespace plimsoll {

void follow_shape(History* history, ForecastRequest* request) {
  std::vector<std::string> said;
  const TrafficShape& shape = history->shape;
  if (shape.arrival_cv && !request->says_arrivals) {
    request->load.arrival = arrivals_of(*shape.arrival_cv);
    said.push_back("arrivals " + three_digits(*shape.arrival_cv));
  }
  const auto follow_lengths = [&](const std::optional<double>& cv,
                                  std::optional<double> Route::*member, const char* what) {
    if (!cv || request->says_lengths) return;
    bool is_followed = false;
    for (std::vector<Route>* routes : {&request->baseline, &request->forecast}) {
      for (Route& route : *routes) {
        if (route.*member) continue;
        route.*member = cv;
        is_followed = true;
      }
    }
    if (is_followed) said.push_back(what + three_digits(*cv));
  };
  follow_lengths(shape.prompt_cv, &Route::prompt_cv, "prompts ");
  follow_lengths(shape.output_cv, &Route::output_cv, "answers ");
  if (!said.empty()) {
    history->notes.push_back("coefficients of variation are those of the history: " +
                             join(said, ", "));
  }
}

}  // namespace plimsoll
