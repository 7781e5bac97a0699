#include "workload/servegen.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "random/portable_math.h"
#include "random/stream.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

/// The classes in the order in which clients are dealt out to them.
constexpr std::array<SloClass, 5> kDealt{SloClass::critical, SloClass::standard, SloClass::batch,
                                         SloClass::sheddable, SloClass::background};

/// A client in one of its windows.
struct ActiveClient {
  const ServegenClient* client = nullptr;
  const ServegenWindow* window = nullptr;
};

std::vector<ActiveClient> active_at(const ServegenData& data, std::int64_t start_s) {
  std::vector<ActiveClient> active;
  for (const ServegenClient& client : data.clients) {
    for (const ServegenWindow& window : client.windows) {
      if (window.start_s == start_s && window.rate_rps > 0) active.push_back({&client, &window});
    }
  }
  return active;
}

// Fisher and Yates.
void shuffle(RandomStream& stream, std::vector<ActiveClient>* clients) {
  for (std::size_t i = clients->size(); i > 1; --i) {
    const auto j = static_cast<std::size_t>(stream.uniform() * static_cast<double>(i));
    std::swap((*clients)[i - 1], (*clients)[j]);
  }
}

/// Mean and standard deviation of the logarithms.
struct LogMoments {
  double mu = 0;
  double sigma = 0;
};

LogMoments log_moments(const EmpiricalLength& length) {
  double total = 0;
  double sum = 0;
  double squares = 0;
  for (const auto& [tokens, weight] : length.weights) {
    const double x = portable_log(static_cast<double>(std::max(tokens, std::int64_t{1})));
    total += weight;
    sum += weight * x;
    squares += weight * x * x;
  }
  const double mu = sum / total;
  return {mu, std::sqrt(std::max(squares / total - mu * mu, 0.0))};
}

/// The mean of the clients' lognormals; without any, the reference's stand-in.
LengthDistribution mean_lognormal(const std::vector<const EmpiricalLength*>& lengths,
                                  const GaussianLength& otherwise) {
  if (lengths.empty()) return otherwise;
  LognormalLength mean{0, 0};
  for (const EmpiricalLength* length : lengths) {
    const LogMoments moments = log_moments(*length);
    mean.mu += moments.mu / static_cast<double>(lengths.size());
    mean.sigma += moments.sigma / static_cast<double>(lengths.size());
  }
  return mean;
}

/// The process of most clients with the mean of their spreads. The rate stands beside it, so their
/// scales, which imply rates of their own, have no part in it.
ArrivalSpec mean_arrival(const std::vector<ActiveClient>& clients) {
  std::int64_t gammas = 0;
  std::int64_t weibulls = 0;
  for (const ActiveClient& c : clients) {
    gammas += c.window->process == ArrivalProcess::gamma ? 1 : 0;
    weibulls += c.window->process == ArrivalProcess::weibull ? 1 : 0;
  }
  if (gammas + weibulls == 0) return ArrivalSpec{};
  const ArrivalProcess process =
      weibulls > gammas ? ArrivalProcess::weibull : ArrivalProcess::gamma;
  double cv = 0;
  double shape = 0;
  const auto n = static_cast<double>(std::max(gammas, weibulls));
  for (const ActiveClient& c : clients) {
    if (c.window->process != process) continue;
    cv += c.window->cv / n;
    shape += c.window->shape / n;
  }
  return usable_arrival(process, shape, cv);
}

EmpiricalLength pooled(const std::vector<const EmpiricalLength*>& lengths) {
  EmpiricalLength out;
  for (const EmpiricalLength* length : lengths) {
    double total = 0;
    for (const auto& [value, weight] : length->weights) total += weight;
    for (const auto& [value, weight] : length->weights) {
      out.weights.emplace_back(value, weight / total);
    }
  }
  std::sort(out.weights.begin(), out.weights.end());
  std::vector<std::pair<std::int64_t, double>> merged;
  for (const auto& [value, weight] : out.weights) {
    if (merged.empty() || merged.back().first != value) merged.emplace_back(value, 0);
    merged.back().second += weight;
  }
  out.weights = std::move(merged);
  return out;
}

double mean_of(const EmpiricalLength& length) {
  double total = 0;
  double sum = 0;
  for (const auto& [tokens, weight] : length.weights) {
    total += weight;
    sum += weight * static_cast<double>(tokens);
  }
  return sum / total;
}

double mean_of(const LengthDistribution& made) {
  if (const auto* l = std::get_if<LognormalLength>(&made)) {
    return portable_exp(l->mu + l->sigma * l->sigma / 2);
  }
  return std::get<GaussianLength>(made).mean;
}

/// One kind of length over all requests: as the clients send them, and as their cohorts do.
class LengthShift {
 public:
  /// Of a cohort.
  void add(const std::vector<const EmpiricalLength*>& lengths, const std::vector<double>& rates,
           const LengthDistribution& made) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      rate_ += rates[i];
      measured_ += rates[i] * mean_of(*lengths[i]);
      made_ += rates[i] * mean_of(made);
    }
  }

  void note(std::string_view what, std::vector<std::string>* notes) const {
    constexpr double kWorthNoting = 0.1;
    if (!(std::fabs(made_ - measured_) > kWorthNoting * measured_)) return;
    notes->push_back(
        fmt::format("{} of the cohorts have {} tokens on average, those of their "
                    "clients {}: a cohort takes the mean of its clients' fits, "
                    "however much each of them sends; --as clients keeps them",
                    what, three_digits(made_ / rate_), three_digits(measured_ / rate_)));
  }

 private:
  double rate_ = 0;
  double measured_ = 0;
  double made_ = 0;
};

struct LengthShifts {
  LengthShift input;
  LengthShift output;

  void note(std::vector<std::string>* notes) const {
    input.note("prompts", notes);
    output.note("answers", notes);
  }
};

struct CohortTime {
  Time begin;
  Duration duration;
};

CohortSpec make_cohort(const std::string& id, SloClass slo_class, const CohortTime& time,
                       const std::vector<ActiveClient>& clients, LengthShifts* shifts) {
  CohortSpec cohort;
  cohort.population = static_cast<std::int64_t>(clients.size());
  cohort.member.id = id;
  cohort.member.slo_class = slo_class;
  cohort.member.streaming = true;
  cohort.member.arrival = mean_arrival(clients);
  std::vector<const EmpiricalLength*> inputs;
  std::vector<const EmpiricalLength*> outputs;
  std::vector<double> rates;  // of those with lengths
  double rate = 0;
  for (const ActiveClient& c : clients) {
    rate += c.window->rate_rps;
    const ServegenLengths* lengths = c.client->lengths_at(c.window->start_s);
    if (lengths == nullptr) continue;
    inputs.push_back(&lengths->input);
    outputs.push_back(&lengths->output);
    rates.push_back(c.window->rate_rps);
  }
  cohort.member.input = mean_lognormal(inputs, {512, 128, 1, 8192});
  cohort.member.output = mean_lognormal(outputs, {128, 32, 1, 8192});
  shifts->input.add(inputs, rates, cohort.member.input);
  shifts->output.add(outputs, rates, cohort.member.output);
  cohort.spike = SpikeSpec{time.begin, time.duration, rate};
  return cohort;
}

// Reasoning traffic: Poisson arrivals of single rounds, with the share of reasoning as measured.
void make_reasoning(const std::vector<ActiveClient>& clients, CohortSpec* cohort) {
  std::vector<const EmpiricalLength*> ratios;
  for (const ActiveClient& c : clients) {
    const ServegenLengths* lengths = c.client->lengths_at(c.window->start_s);
    if (lengths != nullptr && lengths->reason_percent) ratios.push_back(&*lengths->reason_percent);
  }
  cohort->member.arrival = ArrivalSpec{};
  cohort->member.closed_loop = false;
  MultiTurnSpec one_round;
  one_round.max_rounds = 1;
  cohort->member.reasoning = ReasoningSpec{{}, one_round};
  if (!ratios.empty()) cohort->member.reasoning->reason_ratio = pooled(ratios);
}

void deal_out(const std::string& name, std::vector<ActiveClient> clients, const CohortTime& time,
              bool reasoning, std::uint64_t seed, std::uint64_t number, LengthShifts* shifts,
              WorkloadSpec* spec) {
  RandomStream stream(seed, Purpose::import_order, number);
  shuffle(stream, &clients);
  for (std::size_t k = 0; k < kDealt.size(); ++k) {
    std::vector<ActiveClient> hand;
    for (std::size_t i = k; i < clients.size(); i += kDealt.size()) hand.push_back(clients[i]);
    if (hand.empty()) continue;
    CohortSpec cohort =
        make_cohort(name + "-" + name_of(slo_classes(), kDealt[k]), kDealt[k], time, hand, shifts);
    if (reasoning) make_reasoning(hand, &cohort);
    spec->cohorts.push_back(std::move(cohort));
  }
}

Result<WorkloadSpec> reasoning_cohorts(const ServegenData& data, const ServegenOptions& options) {
  std::vector<std::int64_t> starts;
  for (const ServegenClient& client : data.clients) {
    for (const ServegenWindow& window : client.windows) {
      if (window.rate_rps > 0) starts.push_back(window.start_s);
    }
  }
  std::sort(starts.begin(), starts.end());
  std::int64_t busiest = 0;
  std::ptrdiff_t most = 0;
  for (auto at = starts.begin(); at != starts.end();) {
    const auto end = std::upper_bound(at, starts.end(), *at);
    if (end - at > most) {
      most = end - at;
      busiest = *at;
    }
    at = end;
  }
  if (most == 0) return nothing_active("at any time");
  WorkloadSpec spec;
  spec.category = "reasoning";
  spec.seed = options.seed;
  const CohortTime time{{}, seconds(options.window_duration_s)};
  LengthShifts shifts;
  deal_out("reasoning", active_at(data, busiest), time, true, options.seed, 0, &shifts, &spec);
  shifts.note(&spec.notes);
  spec.horizon = time.begin + time.duration;
  return spec;
}

}  // namespace

Choices<ServegenPeriod> servegen_periods() {
  static constexpr std::array<Choice<ServegenPeriod>, 3> kAll{
      {{"midnight", ServegenPeriod::midnight, "00:00 to 00:30"},
       {"morning", ServegenPeriod::morning, "08:00 to 08:30"},
       {"afternoon", ServegenPeriod::afternoon, "14:00 to 14:30"}}};
  return kAll;
}

Choices<ServegenForm> servegen_forms() {
  static constexpr Choice<ServegenForm> kAll[]{
      {"cohorts", ServegenForm::cohorts, "one cohort per period and SLO class, as in BLIS"},
      {"clients", ServegenForm::clients, "every client as measured, window by window"}};
  return kAll;
}

Result<WorkloadSpec> servegen_cohorts(const ServegenData& data, const ServegenOptions& options) {
  if (data.is_reasoning()) {
    if (options.period) {
      return fail(ErrorKind::usage, "reasoning data has no periods to choose from",
                  "leave out --time: its busiest window is taken");
    }
    return reasoning_cohorts(data, options);
  }
  WorkloadSpec spec;
  spec.category = "language";
  spec.seed = options.seed;
  LengthShifts shifts;
  Time begin;
  for (std::size_t p = 0; p < kServegenPeriodStart.size(); ++p) {
    if (options.period && static_cast<std::size_t>(*options.period) != p) continue;
    RandomStream stream(options.seed, Purpose::import_window, p);
    const auto choice = static_cast<std::int64_t>(
        stream.uniform() * static_cast<double>(kServegenPeriodLength / ServegenWindow::kLength));
    const std::int64_t start = kServegenPeriodStart[p] + choice * ServegenWindow::kLength;
    const CohortTime time{begin, seconds(options.window_duration_s)};
    deal_out(name_of(servegen_periods(), static_cast<ServegenPeriod>(p)), active_at(data, start),
             time, false, options.seed, p, &shifts, &spec);
    spec.horizon = time.begin + time.duration;
    begin = spec.horizon + seconds(options.drain_timeout_s);
  }
  if (spec.cohorts.empty()) return nothing_active("in these periods");
  shifts.note(&spec.notes);
  return spec;
}

}  // namespace plimsoll
