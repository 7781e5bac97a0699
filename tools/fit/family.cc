#include "fit/family.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fit/search.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr std::size_t kSearchedObservations = 4000;
constexpr double kHuber = 0.03;
constexpr double kPull = 3e-5;  // to what is usual, over the square of a share of the range
constexpr double kSame = 0.01;
constexpr double kNothing = 1e-4;

// A row of the first set, made from the nearest one where it is not there yet.
template <class Row>
std::function<Row&(Device&)> row_of(Device* device, std::map<std::string, Row> KernelSet::*rows,
                                    const std::string& key) {
  std::map<std::string, Row>& own = device->kernels.sets.front().*rows;
  if (own.count(key) == 0) {
    const Row* nearest = device->kernels.find(rows, {key, "bf16", "bf16/bf16", "nvlink", "pcie"});
    own[key] = nearest != nullptr ? *nearest : Row{};
  }
  return [rows, key](Device& d) -> Row& { return (d.kernels.sets.front().*rows)[key]; };
}

template <class Row>
Parameter parameter(const char* name, const std::function<Row&(Device&)>& row, double Row::*member,
                    double low, double high, double usual) {
  return {name, [row, member](Device& d) -> double& { return row(d).*member; }, low, high, usual};
}

template <class Row, class Part>
Parameter nested(const char* name, const std::function<Row&(Device&)>& row, Part Row::*part,
                 double Part::*member, double low, double high, double usual) {
  return {name, [=](Device& d) -> double& { return row(d).*part.*member; }, low, high, usual};
}

constexpr double kLeast = 0.01;  // of a fraction

double loss_of(const Device& device, const std::vector<const OperatorSample*>& observations) {
  double sum = 0;
  for (const OperatorSample* o : observations) {
    const double r = std::abs(std::log(std::max(o->predicted_us(device), 1e-9) / o->measured_us));
    sum += r < kHuber ? r * r / 2 : kHuber * (r - kHuber / 2);
  }
  return sum / static_cast<double>(observations.size());
}

std::vector<const OperatorSample*> thinned(const std::vector<OperatorSample>& all) {
  const std::size_t every = (all.size() + kSearchedObservations - 1) / kSearchedObservations;
  std::vector<const OperatorSample*> some;
  for (std::size_t i = 0; i < all.size(); i += every) some.push_back(&all[i]);
  return some;
}

}  // namespace

double Parameter::rounded(double value) const {
  if (value < kNothing * high) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  const double units = std::round(value / unit);
  return unit < 1 ? units / std::round(1 / unit) : units * unit;
}

Family gemm_family(Device* device, const std::string& key) {
  using Row = GemmEfficiency;
  const auto row = row_of(device, &KernelSet::gemm, key);
  Family family{"gemm",
                key,
                "",
                {parameter("compute", row, &Row::compute, kLeast, 1, 0.7),
                 parameter("row_padding", row, &Row::row_padding, 0, 128, 32),
                 parameter("depth_padding", row, &Row::depth_padding, 0, 512, 64),
                 parameter("memory", row, &Row::memory, kLeast, 1, 0.8),
                 parameter("launch_us", row, &Row::launch_us, 0, 50, 8),
                 parameter("sharpness", row, &Row::sharpness, 1, 8, 3),
                 parameter("quantise", row, &Row::quantise, 0, 5, 1.5)},
                {}};
  family.parameters.back().fitted = key != "bf16";
  return family;
}

Family prefill_attention_family(Device* device, const std::string& key) {
  using Row = PrefillAttentionEfficiency;
  const auto row = row_of(device, &KernelSet::prefill_attention, key);
  Family family{"prefill_attention",
                key,
                "",
                {parameter("compute", row, &Row::compute, kLeast, 1, 0.7),
                 parameter("query_padding", row, &Row::query_padding, 0, 600, 80),
                 parameter("serial_head_tokens", row, &Row::serial_head_tokens, 0, 40000, 10000),
                 parameter("launch_us", row, &Row::launch_us, 0, 50, 8),
                 parameter("decode_rereads", row, &Row::decode_rereads, 0, 1, 0)},
                {}};
  family.parameters.back().fitted = false;
  return family;
}

Family decode_attention_family(Device* device, const std::string& key) {
  using Row = DecodeAttentionEfficiency;
  const auto row = row_of(device, &KernelSet::decode_attention, key);
  return {"decode_attention",
          key,
          "",
          {parameter("memory", row, &Row::memory, kLeast, 1, 0.8),
           parameter("launch_us", row, &Row::launch_us, 0, 50, 8),
           parameter("head_ns", row, &Row::head_ns, 0, 10, 2)},
          {}};
}

Family latent_decode_family(Device* device, const std::string& key) {
  using Row = LatentAttentionEfficiency;
  using Part = Row::Decode;
  const auto row = row_of(device, &KernelSet::latent_attention, key);
  return {"latent_attention",
          key,
          "decode",
          {nested("compute", row, &Row::decode, &Part::compute, kLeast, 1, 0.7),
           nested("memory", row, &Row::decode, &Part::memory, kLeast, 1, 0.8),
           nested("launch_us", row, &Row::decode, &Part::launch_us, 0, 200, 8),
           nested("request_us", row, &Row::decode, &Part::request_us, 0, 1, 0.1),
           nested("head_padding", row, &Row::decode, &Part::head_padding, 0, 64, 4)},
          {}};
}

Family latent_prefill_family(Device* device, const std::string& key) {
  using Row = LatentAttentionEfficiency;
  using Part = Row::Prefill;
  const auto row = row_of(device, &KernelSet::latent_attention, key);
  return {"latent_attention",
          key,
          "prefill",
          {nested("compute", row, &Row::prefill, &Part::compute, kLeast, 1, 0.7),
           nested("launch_us", row, &Row::prefill, &Part::launch_us, 0, 200, 8),
           nested("query_padding", row, &Row::prefill, &Part::query_padding, 0, 600, 80),
           nested("activation", row, &Row::prefill, &Part::activation, 0, 10, 2)},
          {}};
}

Family experts_family(Device* device, const std::string& key) {
  using Row = ExpertEfficiency;
  const auto row = row_of(device, &KernelSet::experts, key);
  return {"experts",
          key,
          "",
          {parameter("compute", row, &Row::compute, kLeast, 1, 0.7),
           parameter("row_padding", row, &Row::row_padding, 0, 128, 32),
           parameter("memory", row, &Row::memory, kLeast, 1, 0.8),
           parameter("launch_us", row, &Row::launch_us, 0, 100, 8),
           parameter("sharpness", row, &Row::sharpness, 1, 8, 3),
           parameter("activation", row, &Row::activation, 0, 10, 2)},
          {}};
}

Family all_reduce_family(Device* device, const std::string& key) {
  using Row = AllReduceEfficiency;
  const auto row = row_of(device, &KernelSet::all_reduce, key);
  return {"all_reduce",
          key,
          "",
          {parameter("launch_us", row, &Row::launch_us, 0, 50, 8),
           parameter("per_gpu_us", row, &Row::per_gpu_us, 0, 10, 0.5),
           parameter("one_shot", row, &Row::one_shot, kLeast, 1, 0.6),
           parameter("two_shot_us", row, &Row::two_shot_us, 0, 50, 3),
           parameter("two_shot", row, &Row::two_shot, kLeast, 1, 0.6)},
          {}};
}

FitErrors errors_of(const Device& device, const Family& family) {
  std::vector<double> errors;
  for (const OperatorSample& o : family.observations) {
    errors.push_back(std::abs(o.predicted_us(device) / o.measured_us - 1));
  }
  Percentiles<double> percentiles(std::move(errors));
  return {percentiles.at(50), percentiles.at(90)};
}

FitErrors fit(Device* device, const Family& family) {
  std::vector<const Parameter*> free;
  std::vector<double> usual;
  for (const Parameter& p : family.parameters) {
    if (!p.fitted) continue;
    free.push_back(&p);
    usual.push_back(p.share_of_range(p.usual));
  }
  const auto put = [&](const std::vector<double>& at) {
    for (std::size_t i = 0; i < free.size(); ++i) {
      free[i]->of(*device) = free[i]->low + at[i] * (free[i]->high - free[i]->low);
    }
  };
  const std::vector<const OperatorSample*> some = thinned(family.observations);
  put(minimise(
      [&](const std::vector<double>& at) {
        put(at);
        double pull = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
          pull += (at[i] - usual[i]) * (at[i] - usual[i]);
        }
        return loss_of(*device, some) + kPull * pull;
      },
      usual));
  for (const Parameter* p : free) p->of(*device) = p->rounded(p->of(*device));
  return errors_of(*device, family);
}

bool differ(const Family& family, Device one, Device other) {
  return std::any_of(family.parameters.begin(), family.parameters.end(), [&](const Parameter& p) {
    const double change = std::abs(p.of(one) - p.of(other));
    return p.shipped && change > kSame * p.of(one) && change > kSame * (p.high - p.low);
  });
}

}  // namespace plimsoll
