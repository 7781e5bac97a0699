// Rows of catalog/kernels/*.yaml fitted to measured operators. What an observation is compared with
// comes from the classes of perf/operators, the same that a simulation uses: there is one
// definition of each formula.
//
// The loss is Huber's over the logarithms of predicted / measured, so that slow and fast operators
// count alike and the odd kernel does not rule. The search starts at usual values, and a slight
// pull to them decides what the table leaves open: the outcome is a function of the table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/operators/device.h"

namespace plimsoll {

/// One measurement, and what a device with given efficiencies is predicted to take for it.
struct OperatorSample {
  double measured_us = 0;
  std::function<double(const Device&)> predicted_us;
};

struct Parameter {
  std::string name;
  std::function<double&(Device&)> of;
  double low = 0;
  double high = 1;
  double usual = 0.5;   ///< of kernels, roughly
  bool fitted = true;   ///< else kept: whole runs decided it, or nothing here says anything of it
  bool shipped = true;  ///< else it describes the table, not the kernel

  double share_of_range(double value) const { return (value - low) / (high - low); }
  /// To three digits, as the files have it; what is next to nothing of the range is nothing.
  double rounded(double value) const;
};

/// One row (or one half of a row of latent attention): its parameters in the order of the file.
struct Family {
  std::string section;  ///< "gemm"
  std::string key;      ///< "bf16"
  std::string part;     ///< "decode" or "prefill" of latent attention, else empty
  std::vector<Parameter> parameters;
  std::vector<OperatorSample> observations;
};

/// The families of a device whose first kernel set has, or gets, a row `key`. Rows that are not
/// there start as the nearest one that find() gives.
Family gemm_family(Device* device, const std::string& key);
Family prefill_attention_family(Device* device, const std::string& key);
Family decode_attention_family(Device* device, const std::string& key);
Family latent_decode_family(Device* device, const std::string& key);
Family latent_prefill_family(Device* device, const std::string& key);
Family experts_family(Device* device, const std::string& key);
Family all_reduce_family(Device* device, const std::string& key);

/// Absolute errors relative to what was measured.
struct FitErrors {
  double median = 0;
  double p90 = 0;
};

FitErrors errors_of(const Device& device, const Family& family);

/// Leaves the fitted values in the device, to three digits, whatever it had there. Large tables are
/// thinned out evenly for the search; the errors are those of all observations.
FitErrors fit(Device* device, const Family& family);

/// Whether some value of the row does by more than a hundredth of itself and of its range: two
/// machines' logarithms may differ in their last digit.
bool differ(const Family& family, Device one, Device other);

}  // namespace plimsoll
