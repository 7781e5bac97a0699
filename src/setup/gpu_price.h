// The price of a GPU by the hour: what the user pays, or list prices.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/price.h"
#include "cluster/deployment.h"
#include "planner/purchase.h"
#include "setup/question_specs.h"
#include "setup/run_spec.h"

namespace plimsoll {

/// All prices that are known, read once.
class PriceBook {
 public:
  /// `file` in the form of `catalog/prices.yaml`; empty: none. Errors are those of the file.
  static Result<PriceBook> read(const PriceSpec& prices, const HardwareSpec& hardware,
                                const std::string& file);

  /// For a GPU by its name in the catalog: --gpu-price alone; else the rows of the user's file that
  /// stand, if it has any; else those of the catalog. None of a GPU of
  /// --hardware-config, unless the user says it.
  std::vector<Price> offers_for(const std::string& gpu) const;
  /// All rows of the file.
  const std::vector<Price>& own() const { return own_; }

  /// The GPUs that have a price, in the order of their names.
  std::vector<std::string> gpus() const;

 private:
  std::map<std::string, double> said_;  ///< PriceSpec::by_gpu
  bool is_of_catalog_ = true;
  std::vector<Price> own_;
  std::vector<Price> listed_;
};

/// An error for a price of --gpu-price on a GPU that nobody knows.
Result<void> check_priced_gpus(const PriceSpec& prices, const HardwareSpec& hardware);

/// One for each price of --gpu-price on a GPU that is none of these.
std::vector<std::string> notes_on_unused_prices(const PriceSpec& prices,
                                                const std::vector<std::string>& gpus);

/// The costs of a deployment bought on demand: instances that are alike together, those that answer
/// first.
struct DeploymentBill {
  Bill bill;             ///< empty: a price is missing
  std::string unpriced;  ///< the first GPU without one
};
Result<DeploymentBill> deployment_bill(const PriceSpec& prices, const HardwareSpec& hardware,
                                       const Deployment& deployment);

/// PriceBook::offers_for() with --price-file.
Result<std::vector<Price>> offers_of(const PriceSpec& prices, const HardwareSpec& hardware,
                                     const std::string& gpu);

/// The lowest on demand of these; none where nobody names one.
Result<std::optional<Price>> price_of(const PriceSpec& prices, const HardwareSpec& hardware,
                                      const std::string& gpu);

}  // namespace plimsoll
