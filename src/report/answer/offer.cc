#include "report/answer/offer.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "catalog/offers.h"

namespace plimsoll {

std::string offer_origin(const Price& price) {
  const std::string seller =
      price.region.empty() ? price.vendor : price.vendor + " " + price.region;
  std::vector<std::string> parts{price.vendor.empty() ? price.source : seller, price.date};
  std::erase(parts, "");
  for (std::string& remark : remarks_on(price)) parts.push_back(std::move(remark));
  return join(parts, ", ");
}

std::string offer_text(const Price& price) {
  return fmt::format("${} per GPU-hour ({})", three_digits(price.usd_per_gpu_hour()),
                     offer_origin(price));
}

std::string remarks_text(const Bill& bill) {
  std::vector<std::string> all;
  for (const BillLine& line : bill.lines) {
    for (std::string& remark : remarks_on(line.price)) {
      if (std::ranges::count(all, remark) == 0) all.push_back(std::move(remark));
    }
  }
  return join(all, ", ");
}

void put_offer(const Price& price, Json* out) {
  Json& to = *out;
  to["usd_per_gpu_hour"] = price.usd_per_gpu_hour();
  to["vendor"] = price.vendor;
  to["region"] = price.region;
  to["instance"] = price.instance;
  to["commitment"] = price.commitment;
  to["kind"] = price.kind;
  to["date"] = price.date;
  to["remarks"] = join(remarks_on(price), "; ");
  to["source"] = price.source;
}

}  // namespace plimsoll
