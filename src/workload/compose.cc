#include "workload/compose.h"

#include <algorithm>
#include <filesystem>

#include "base/lists.h"
#include "workload/clients_source.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

bool has_rates(const WorkloadSpec& spec) {
  const auto rated = [](const ClientSpec& client) { return client.concurrency == 0; };
  return !spec.cohorts.empty() || std::ranges::any_of(spec.clients, rated);
}

/// Some clients are active at some times only, and share the rate then.
bool has_windows(const WorkloadSpec& spec) {
  const auto windowed = [](const ClientSpec& client) { return !client.windows.empty(); };
  const auto timed = [](const CohortSpec& cohort) { return cohort.spike || cohort.drain; };
  return std::ranges::any_of(spec.clients, windowed) || std::ranges::any_of(spec.cohorts, timed);
}

class Composer {
 public:
  explicit Composer(std::vector<NamedSpec> parts) : parts_(std::move(parts)) {}

  Result<WorkloadSpec> compose() {
    merge_rates();
    TRY_TO(merge_targets());
    merge_limits();
    part_prefix_groups();
    part_ids();
    complete_classes();
    // Paths count from the folder of a specification: the composed one may lie elsewhere.
    for (NamedSpec& part : parts_) inline_lengths(&part.spec);
    for (NamedSpec& part : parts_) append(part.spec);
    if (!ends(out_)) {
      out_.notes.push_back(
          "nothing ends the composed workload: not every file has num_requests, nor every file a "
          "horizon; run it with --num-requests or --horizon");
    }
    return std::move(out_);
  }

 private:
  void merge_rates() {
    if (parts_.size() == 1) {
      out_.aggregate_rate_rps = parts_[0].spec.aggregate_rate_rps;
      out_.parts = parts_[0].spec.parts;
    } else if (needs_parts()) {
      for (NamedSpec& part : parts_) keep_apart(&part);
      out_.notes.push_back(
          "the files keep rates and horizons of their own: each is one of the \"parts\"");
    } else {
      for (const NamedSpec& part : parts_) out_.aggregate_rate_rps += part.spec.aggregate_rate_rps;
      for (NamedSpec& part : parts_) {
        if (part.spec.aggregate_rate_rps > 0) share_aggregate(&part.spec, out_.aggregate_rate_rps);
      }
    }
  }

  // Weights of one file could share out the aggregate of all only as long as those who are active
  // do not change, and only beside other weights.
  bool needs_parts() const {
    bool any_aggregate = false;
    bool any_absolute = false;
    for (const NamedSpec& part : parts_) {
      const bool aggregate = part.spec.aggregate_rate_rps > 0;
      any_aggregate |= aggregate;
      any_absolute |= !aggregate && has_rates(part.spec);
      if (!part.spec.parts.empty() || (aggregate && has_windows(part.spec))) return true;
      if (part.spec.horizon != parts_[0].spec.horizon) return true;
    }
    return any_aggregate && any_absolute;
  }

  Result<void> merge_targets() {
    std::map<SloClass, std::string> origin;
    for (const NamedSpec& part : parts_) {
      for (const auto& [slo_class, targets] : part.spec.goodput_slo_targets) {
        const auto [known, is_new] = origin.emplace(slo_class, part.file);
        if (is_new) {
          out_.goodput_slo_targets.emplace_back(slo_class, targets);
          continue;
        }
        const auto same = std::pair(slo_class, targets);
        const auto& all = out_.goodput_slo_targets;
        if (contains(all, same)) continue;
        const std::string name =
            slo_class == SloClass::unset ? "no class" : name_of(slo_classes(), slo_class);
        return fail(
            ErrorKind::spec,
            known->second + " and " + part.file + " have different goodput targets for " + name,
            "make them equal, or leave them out of one file");
      }
    }
    return {};
  }

  // Fractions that sum to this file's part of the whole.
  void share_aggregate(WorkloadSpec* spec, double whole) const {
    double sum = 0;
    for_each_member(*spec, [&](ClientSpec& client) {
      if (client.concurrency == 0) sum += client.rate_fraction;
    });
    const double share = spec->aggregate_rate_rps / whole;
    for_each_member(*spec, [&](ClientSpec& client) {
      if (client.concurrency == 0) client.rate_fraction *= share / sum;
    });
  }

  // The file's main part gets the name of the file; parts that it has get its horizon too.
  void keep_apart(NamedSpec* file) {
    WorkloadSpec& spec = file->spec;
    std::vector<PartSpec> own{{"", spec.aggregate_rate_rps, spec.horizon}};
    own.insert(own.end(), spec.parts.begin(), spec.parts.end());
    std::map<std::string, std::string> renamed;
    for (const PartSpec& part : own) {
      bool used = false;
      for_each_member(spec, [&](ClientSpec& client) { used |= client.part == part.name; });
      if (!used) continue;
      const std::string stem = part.name.empty() ? stem_of(file->file) : part.name;
      std::string name = stem;
      for (int i = 2; out_.part(name) != nullptr; ++i) name = stem + "-" + std::to_string(i);
      renamed[part.name] = name;
      out_.parts.push_back({name, part.aggregate_rate_rps, std::min(part.horizon, spec.horizon)});
    }
    for_each_member(spec, [&](ClientSpec& client) { client.part = renamed[client.part]; });
  }

  void merge_limits() {
    out_.category = parts_.front().spec.category;
    std::int64_t requests = 0;
    Time horizon;
    for (const NamedSpec& part : parts_) {
      if (!out_.seed) out_.seed = part.spec.seed;
      const std::int64_t more = part.spec.num_requests;
      requests = requests == kUnlimited || more == kUnlimited ? kUnlimited : requests + more;
      horizon = std::max(horizon, part.spec.horizon);
    }
    out_.num_requests = requests;
    out_.horizon = horizon;
  }

  void part_ids() {
    std::map<std::string, int> files;  // by id, how many have it
    for (NamedSpec& part : parts_) {
      std::set<std::string> ids;
      for_each_member(part.spec, [&](ClientSpec& client) { ids.insert(client.id); });
      for (const std::string& id : ids) files[id] += 1;
    }
    std::set<std::string> taken;
    std::map<std::string, int> last;  // by stem, the number that its last id ends in
    for (NamedSpec& part : parts_) {
      for_each_member(part.spec, [&](ClientSpec& client) {
        if (client.id.empty() || files[client.id] == 1) return;
        const std::string stem = stem_of(part.file) + "-" + client.id;
        std::string id = stem;
        int& number = last.emplace(stem, 1).first->second;
        while (files.contains(id) || !taken.insert(id).second) {
          id = stem + "-" + std::to_string(++number);
        }
        out_.notes.push_back("client \"" + client.id + "\" of " + part.file + " is now \"" + id +
                             "\": another file has one of that name");
        client.id = id;
      });
    }
  }

  // A group of one name and one length is one group: its clients share their prefix across the
  // files.
  void part_prefix_groups() {
    std::map<std::string, std::int64_t> tokens;  // of groups by their names in the result
    for (NamedSpec& part : parts_) {
      std::map<std::string, std::string> renamed;
      for_each_member(part.spec, [&](ClientSpec& client) {
        const std::string group = client.prefix_group;
        if (group.empty()) return;
        if (!renamed.contains(group)) {
          const std::int64_t length =
              client.prefix_tokens == 0 ? kDefaultPrefixTokens : client.prefix_tokens;
          std::string name = group;
          const std::string stem = stem_of(part.file) + "-" + group;
          for (int i = 1; tokens.emplace(name, length).first->second != length; ++i) {
            name = i == 1 ? stem : stem + "-" + std::to_string(i);
          }
          if (name != group) {
            out_.notes.push_back("prefix group \"" + group + "\" of " + part.file + " is now \"" +
                                 name + "\": another file has one of another length");
          }
          renamed[group] = name;
        }
        client.prefix_group = renamed[group];
      });
    }
  }

  // Either all have a class or none: standard is what no class is served like.
  void complete_classes() {
    bool any = false;
    for (NamedSpec& part : parts_) {
      for_each_member(part.spec,
                      [&](ClientSpec& client) { any |= client.slo_class != SloClass::unset; });
    }
    if (!any) return;
    for (NamedSpec& part : parts_) {
      bool changed = false;
      for_each_member(part.spec, [&](ClientSpec& client) {
        if (client.slo_class != SloClass::unset) return;
        client.slo_class = SloClass::standard;
        changed = true;
      });
      if (changed) {
        out_.notes.push_back("clients of " + part.file +
                             " without an SLO class are now standard, because others have classes");
      }
    }
  }

  void append(WorkloadSpec& spec) {
    std::move(spec.clients.begin(), spec.clients.end(), std::back_inserter(out_.clients));
    std::move(spec.cohorts.begin(), spec.cohorts.end(), std::back_inserter(out_.cohorts));
    out_.notes.insert(out_.notes.end(), spec.notes.begin(), spec.notes.end());
  }

  std::vector<NamedSpec> parts_;
  WorkloadSpec out_;
};

}  // namespace

Result<WorkloadSpec> compose(std::vector<NamedSpec> parts) {
  return Composer(std::move(parts)).compose();
}

}  // namespace plimsoll
