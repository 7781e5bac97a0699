// A situation of a forecast in figures: what is asked of each resource and what there is of it, by
// arithmetic, by simulation, or as it is given. Called by forecast/headroom/headroom.h, which sets
// them side by side.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/sheet.h"
#include "forecast/headroom/simulated.h"

namespace plimsoll {

struct Capacity {
  double value = 0;
  std::optional<Interval> interval;
  Provenance from = Provenance::given;
};

struct Figures {
  ResourceVector routed{};  ///< by routes and simulation, whatever is given
  ResourceVector demand{};
  std::array<std::optional<Capacity>, kResources> capacity{};

  const std::optional<Capacity>& capacity_of(Resource resource) const {
    return capacity[static_cast<std::size_t>(resource)];
  }
  /// None where demand or capacity is not known.
  std::optional<double> used(Resource resource) const;
};

Interval scaled(const Interval& interval, double factor);

class FigureMaker {
 public:
  FigureMaker(const ForecastRequest& request, const std::optional<Served>& served,
              const Simulated& simulated);

  const Figures& baseline() const { return baseline_; }
  const Figures& forecast() const { return forecast_; }
  const Figures& before(const Scenario& scenario) const {
    return scenario.from_baseline ? baseline_ : forecast_;
  }
  /// The figures after a scenario: what was given is moved as what the routes ask for is.
  Figures after(const Scenario& scenario, const Situation& s) const;
  /// The figures of the forecast if these came instead: by arithmetic, on the GPUs of the forecast.
  Figures if_came(std::vector<Flow> flows) const;

 private:
  using Capacities = decltype(Figures::capacity);

  ResourceVector demand_by(const std::vector<Flow>& flows) const;
  void take_provider_limits(const std::vector<Flow>& flows, Capacities* all) const;
  ResourceVector routed_in(const Situation& s, bool from_baseline) const;
  Capacities lines_alone() const;
  std::optional<Capacity> queue_capacity() const;
  Capacities capacities_in(const Situation& s, const std::vector<Change>& changes,
                           const ResourceVector& demand) const;
  Figures figures_of(const Situation& s, bool is_baseline) const;
  void move_given(const Situation& now, const Situation& was, bool from_baseline,
                  Figures* out) const;

  const ForecastRequest& request_;
  const std::optional<Served>& served_;
  const Simulated& simulated_;
  Capacities alone_{};
  Figures baseline_;
  Figures forecast_;
};

}  // namespace plimsoll
