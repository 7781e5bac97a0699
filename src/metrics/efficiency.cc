#include "metrics/summary.h"

#include <algorithm>

#include "perf/instance_work.h"

namespace plimsoll {
namespace {

// The LM head was needed for every decode step of a request and for the end of its prefill.
WorkDone work_done(const InstanceRecord& r) {
  return {r.steps, r.prefill_tokens + r.decode_tokens, r.decode_tokens + r.completed,
          r.attended_tokens, r.kv_tokens_read};
}

// What was computed, and what the GPUs could have computed meanwhile: of one instance, or of
// several, which may be unlike.
struct DoneAndPossible {
  double flops = 0;
  double bytes = 0;
  double busy_flops = 0;  ///< possible while busy
  double busy_bytes = 0;
  double all_flops = 0;  ///< possible in the whole run
  double all_bytes = 0;
  double joules = 0;  ///< drawn while busy
  double busy_gpu_s = 0;
  double output_tokens = 0;

  DoneAndPossible& operator+=(const DoneAndPossible& other) {
    flops += other.flops;
    bytes += other.bytes;
    busy_flops += other.busy_flops;
    busy_bytes += other.busy_bytes;
    all_flops += other.all_flops;
    all_bytes += other.all_bytes;
    joules += other.joules;
    busy_gpu_s += other.busy_gpu_s;
    output_tokens += other.output_tokens;
    return *this;
  }
  Efficiency efficiency() const {
    return {ratio_or_zero(flops, busy_flops),  ratio_or_zero(flops, all_flops),
            ratio_or_zero(bytes, busy_bytes),  ratio_or_zero(bytes, all_bytes),
            ratio_or_zero(joules, busy_gpu_s), ratio_or_zero(joules, output_tokens)};
  }
};

DoneAndPossible done_by(const InstanceRecord& record, const Pool& pool, double run_s) {
  const InstanceWork& work = *pool.work;
  const WorkDone done = work_done(record);
  const double busy_s = to_seconds(record.busy);
  DoneAndPossible out{.flops = flops_of(work, done),
                      .bytes = bytes_of(work, done),
                      .busy_flops = work.peak_flops * busy_s,
                      .busy_bytes = work.peak_bytes * busy_s,
                      .all_flops = work.peak_flops * run_s,
                      .all_bytes = work.peak_bytes * run_s};
  const Efficiency use = out.efficiency();
  out.joules = work.tdp_w * power_share(use.mbu, use.mfu) * busy_s;
  out.busy_gpu_s = static_cast<double>(pool.gpus) * busy_s;
  return out;
}

}  // namespace

void set_efficiency(const RunRecord& record, const Deployment& deployment, double run_s,
                    Summary* summary) {
  const bool all_known =
      std::ranges::all_of(deployment.pools, [](const Pool& pool) { return pool.work.has_value(); });
  if (!all_known) return;
  DoneAndPossible all;
  std::size_t i = 0;
  for (const Pool& pool : deployment.pools) {
    for (std::int32_t n = 0; n < pool.num_instances; ++n, ++i) {
      DoneAndPossible its = done_by(record.instances[i], pool, run_s);
      its.output_tokens = static_cast<double>(summary->instances[i].total_output_tokens);
      summary->instances[i].efficiency = its.efficiency();
      all += its;
    }
  }
  summary->cluster.efficiency = all.efficiency();
}

}  // namespace plimsoll
