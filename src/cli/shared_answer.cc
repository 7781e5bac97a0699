#include "cli/shared_answer.h"

#include <cstdint>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/quoting.h"
#include "base/redaction.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "planner/plan_journal.h"
#include "report/answer/decision.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHint = "plan ... --resume FOLDER writes the answer again";

std::string seal_of(const RunFolder& folder) { return folder.file("answer.record"); }

std::int64_t checksum_of(const std::string& text) { return std::int64_t{crc32_of(text)}; }

tl::unexpected<Error> changed(const std::string& file) {
  return fail_in(ErrorKind::spec, file, "this file is damaged: its checksum does not match",
                 std::string(kHint));
}

Result<std::string> sealed_file(const std::string& file, const Json& checksum) {
  TRY(text, read_file(file, kLargestReport));
  if (checksum != Json(checksum_of(text))) return changed(file);
  return text;
}

}  // namespace

std::string unfinished_text(const RunFolder& folder, const std::string& name,
                            const ConsoleSpec& console) {
  const std::vector<std::int64_t> missing = folder.missing();
  const std::int64_t shards = folder.question().shards;
  Decision d;
  d.question = folder.question().head.command;
  d.settle(Answer::unclear);
  d.answer = fmt::format("the plan has no answer yet: {} of {} {} missing", missing.size(),
                         counted(shards, "shard"), missing.size() == 1 ? "is" : "are");
  d.action = "Ask with --resume " + shell_quoted(name) + " once they are there";
  if (!console.json) return decision_text(d) + "\n";
  const Json json{
      {"decision", decision_json(d)}, {"shards", shards}, {"missing", ranges_of(missing)}};
  return json.dump() + "\n";
}

// Files have no keys in them (ReplacementFile).
Result<void> keep_answer(const RunFolder& folder, const SharedAnswer& answer) {
  std::error_code ignored;
  fs::remove(seal_of(folder), ignored);
  TRY_TO(replace_file(folder.result(), answer.report));
  TRY_TO(replace_file(folder.verdict(), answer.verdict));
  const Json seal{{"result", checksum_of(redacted(answer.report))},
                  {"verdict", checksum_of(redacted(answer.verdict))}};
  return replace_file(seal_of(folder), journal_record(seal.dump()));
}

Result<std::optional<SharedAnswer>> answer_in(const RunFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(seal_of(folder), ignored)) return std::nullopt;
  TRY(line, read_file(seal_of(folder)));
  if (line.ends_with('\n')) line.pop_back();
  const auto record = text_of_record(line);
  const Json seal = record ? Json::parse(*record) : Json();
  if (seal.is_null()) return changed(seal_of(folder));
  SharedAnswer answer;
  TRY_SET(answer.report, sealed_file(folder.result(), seal["result"]));
  TRY_SET(answer.verdict, sealed_file(folder.verdict(), seal["verdict"]));
  answer.verdict = trimmed(answer.verdict);
  return answer;
}

}  // namespace plimsoll
