#include "profile/profile.h"

#include <filesystem>
#include <iterator>
#include <numeric>

#include "base/calendar.h"
#include "base/file.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr char kProfileFile[] = "fitted_profile.json";
constexpr char kMetadataFile[] = "metadata.json";
constexpr char kMemoryFile[] = "model_memory.json";

// Wide, but no sum over a batch leaves 63 bits.
constexpr IntRange kTokens{1, 10'000'000};
constexpr IntRange kCachedTokens{0, 10'000'000};
constexpr IntRange kNewTokens{1, 100'000};
constexpr IntRange kBatch{1, 10'000};
constexpr IntRange kDegree{1, 1024};
// An hour: a longer step is a wrong unit.
constexpr NumberRange kStepMs{0, 3.6e6, true};

ProfileRow read_row(SpecMap map) {
  ProfileRow row;
  const std::string type = map.choice("type", {"prefill", "decode"});
  if (type == "decode") {
    row.phase = ProfilePhase::decode;
    row.tokens = map.integer("kv_cache", kCachedTokens);
    row.new_tokens = map.optional_integer("new_tokens", kNewTokens).value_or(1);
  } else if (type == "prefill") {
    row.tokens = map.integer("seq_len", kTokens);
  } else {
    map.keys();  // nobody can say which of them belong here
  }
  row.batch_size = map.integer("batch_size", kBatch);
  row.ms = map.number("mean_ms", kStepMs);
  if (const auto median = map.optional_number("median_ms", kStepMs)) row.ms = *median;
  map.optional_number("std_ms", kNonNegative);
  map.optional_number("peak_memory_mb", kNonNegative);  // as `python -m plimsoll.profile` adds it
  return row;
}

OperatorProfile read_operators(SpecMap top) {
  OperatorProfile out;
  top.optional_text("model_name");
  SpecMap operators = top.map("operators");
  for (const char* name : {"attention_prefill", "attention_decode", "layernorm", "embedding"}) {
    operators.number(name, kNonNegative);
  }
  out.mlp_s = operators.number("mlp", kNonNegative);
  if (auto links = top.optional_map("communication")) {
    for (const char* name :
         {"allreduce_time_per_gb", "allgather_time_per_gb", "send_recv_time_per_gb"}) {
      links->optional_number(name, kNonNegative);
    }
  }
  if (auto memory = top.optional_map("memory")) {
    memory->optional_number("model_size_gb", kNonNegative);
    out.kv_mb_per_token =
        memory->optional_number("kv_cache_per_token_mb", kNonNegative).value_or(0);
  }
  return out;
}

/// Of several files, all that is wrong.
class Errors {
 public:
  template <class T>
  void add(Result<T> read) {
    if (read) return;
    Error& error = read.error();
    if (all_.diagnostics.empty()) all_.kind = error.kind;
    all_.diagnostics.insert(all_.diagnostics.end(),
                            std::make_move_iterator(error.diagnostics.begin()),
                            std::make_move_iterator(error.diagnostics.end()));
  }
  Result<Profile> finish(Profile profile) {
    if (!all_.diagnostics.empty()) return tl::unexpected<Error>(std::move(all_));
    return profile;
  }

 private:
  Error all_;
};

using Parser = Result<void> (*)(const std::string& text, const std::string& file, Profile* out);

Result<void> read_part(const fs::path& path, Parser parse, Profile* out) {
  TRY(text, read_file(path.string()));
  return parse(text, path.string(), out);
}

// The metadata may name the profile by a path in another place: it lies beside.
fs::path profile_beside(const fs::path& metadata) {
  std::string name;
  if (auto spec = SpecFile::read(metadata.string())) {
    SpecMap top = spec->top();
    name = fs::path(top.optional_text("fitted_profile").value_or("")).filename().string();
  }
  return metadata.parent_path() / (name.empty() ? kProfileFile : name);
}

std::string name_of(const ProfileRow& row) {
  const std::string size = std::to_string(row.tokens) + " x " + std::to_string(row.batch_size);
  if (row.phase == ProfilePhase::prefill) return "prefill " + size;
  return "decode " + size +
         (row.new_tokens > 1 ? " for " + std::to_string(row.new_tokens) + " tokens" : "");
}

}  // namespace

Result<void> parse_fitted_profile(const std::string& text, const std::string& file, Profile* out) {
  TRY(spec, SpecFile::parse(text, file, SpecFile::Top::map_or_list));
  if (!spec.is_list()) {
    out->operators = read_operators(spec.top());
  } else {
    for (SpecMap row : spec.top_maps()) out->rows.push_back(read_row(row));
  }
  TRY_TO(spec.finish(true));
  if (spec.is_list() && out->rows.empty()) {
    return fail_in(ErrorKind::spec, file, "the profile has no rows", "measure at least one step");
  }
  return {};
}

// What else profilers note there is nobody's business here.
Result<void> parse_profile_metadata(const std::string& text, const std::string& file,
                                    Profile* out) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  top.accept_foreign_keys();
  out->model = top.text("model_name");
  if (auto hardware = top.optional_map("hardware")) {
    out->gpu = hardware->optional_text("gpu").value_or("");
  }
  out->tp = top.optional_integer("tensor_parallel", kDegree).value_or(0);
  if (const auto dtype = top.optional_text("dtype")) out->dtype = *dtype;
  out->date = top.optional_text("profiling_date").value_or("");
  if (!out->date.empty() && !parse_written_time(out->date)) {
    top.error("profiling_date", "\"" + out->date + "\" is not a date",
              "for example 2026-11-21 or 2026-11-21T08:30:00Z");
  }
  out->notes = top.optional_prose("notes").value_or("");
  TRY_TO(spec.finish(true));
  return {};
}

// The keys of its document, and those that its program writes instead.
Result<void> parse_model_memory(const std::string& text, const std::string& file, Profile* out) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  top.accept_foreign_keys();
  out->memory_model = top.optional_text("model_name").value_or("");
  out->parameters = top.optional_number("model_params", kPositive).value_or(0);
  if (const auto counted = top.optional_number("num_parameters", kPositive)) {
    out->parameters = *counted;
  }
  out->kv_bytes_per_token = top.optional_number("kv_cache_per_token_bytes", kPositive).value_or(0);
  if (const auto dtype = top.optional_text("dtype")) out->dtype = *dtype;
  out->memory_tp = top.optional_integer("tensor_parallel", kDegree).value_or(1);
  TRY_TO(spec.finish(true));
  return {};
}

Result<Profile> read_profile(const std::string& path) {
  fs::path file = path;
  if (is_folder(path)) {
    file = is_file((file / kMetadataFile).string()) ? file / kMetadataFile : file / kProfileFile;
  }
  if (file.filename() == kMetadataFile) file = profile_beside(file);
  Profile profile;
  profile.path = file.string();
  Errors errors;
  errors.add(read_part(file, parse_fitted_profile, &profile));
  const std::pair<const char*, Parser> beside[]{{kMetadataFile, parse_profile_metadata},
                                                {kMemoryFile, parse_model_memory}};
  for (const auto& [name, parse] : beside) {
    const fs::path there = file.parent_path() / name;
    if (is_file(there.string())) errors.add(read_part(there, parse, &profile));
  }
  return errors.finish(std::move(profile));
}

std::vector<MeasuredSteps> steps_of(const Profile& profile) {
  std::vector<MeasuredSteps> out;
  for (const ProfileRow& row : profile.rows) {
    MeasuredSteps measured{name_of(row), {}, row.new_tokens, row.ms};
    if (row.phase == ProfilePhase::decode) {
      measured.batch.decode_requests = row.batch_size;
      measured.batch.decode_context = row.batch_size * row.tokens;
    } else {
      for (std::int64_t i = 0; i < row.batch_size; ++i) {
        measured.batch.add_prefill(row.tokens, 0, row.tokens);
      }
    }
    out.push_back(std::move(measured));
  }
  return out;
}

double predicted_ms(const MeasuredSteps& measured, const StepTimeModel& model) {
  if (measured.steps == 1) return model.step_us(measured.batch) / 1000;
  std::vector<double> us(static_cast<std::size_t>(measured.steps));
  model.decode_steps_us(measured.batch.decode_requests, measured.batch.decode_context, us);
  return std::accumulate(us.begin(), us.end(), 0.0) / 1000;
}

WorkDone work_of(const MeasuredSteps& measured) {
  const BatchShape& b = measured.batch;
  const std::int64_t steps = measured.steps;
  // Each step finds one token more in the cache of each request, and attends to the newest, too.
  const std::int64_t read =
      steps * b.decode_context + b.decode_requests * (steps * (steps - 1) / 2);
  return WorkDone{.steps = steps,
                  .tokens = b.prefill_tokens + steps * b.decode_requests,
                  .sampled_tokens = b.prefill_requests + steps * b.decode_requests,
                  .attended_tokens = b.prefill_tokens_context +
                                     (b.prefill_tokens_squared + b.prefill_tokens) / 2 + read +
                                     steps * b.decode_requests,
                  .kv_tokens_read = b.prefill_context + read};
}

}  // namespace plimsoll
