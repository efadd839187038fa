// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/runs/kept_runs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/files/write_file.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// The reason why runs of another identity cannot be used, or "".
std::string reason_of(std::string_view name) {
  if (name == "revision") return " (such runs give other results now)";
  if (name == "records") return " (the files hold other records)";
  return "";
}

/// The difference between the kept and the requested identity, or "".
std::string difference(const Json& kept, const Json& asked, const std::string& prefix) {
  const Json none;
  for (const auto& [name, value] : asked.items()) {
    const Json& found = kept.contains(name) ? kept.at(name) : none;
    if (found == value) continue;
    if (found.is_object() && value.is_object()) {
      // The objects may differ in their order only.
      const std::string inside = difference(found, value, prefix + name + ".");
      if (!inside.empty()) return inside;
      continue;
    }
    if (found.is_null())
      return fmt::format("\"{}{}\" of its runs is none instead of {}", prefix, name, value.dump());
    return fmt::format("\"{}{}\" of its runs is {} instead of {}{}", prefix, name, found.dump(),
                       value.dump(), reason_of(name));
  }
  for (const auto& [name, value] : kept.items()) {
    if (!asked.contains(name))
      return fmt::format("\"{}{}\" of its runs is {} instead of none", prefix, name, value.dump());
  }
  return "";
}

}  // namespace

KeptRuns::KeptRuns(std::filesystem::path path, KeptRunsHeader header)
    : path_(std::move(path)), header_(std::move(header)) {
  read();
}

void KeptRuns::hold() {
  lock_.emplace(path_, "--runs");
  read();
}

void KeptRuns::read() {
  runs_.clear();
  places_.clear();
  // Do not suggest to remove a file that may be another one of the user's.
  const auto fail = [&](const std::string& problem, std::string_view or_else = "") {
    throw Error(ErrorKind::kInput, "tasks.runs", "{}: {}; give another --runs{}", path_.string(),
                problem, or_else);
  };
  // Runs that cannot be read must not be repeated and overwritten.
  errno = 0;
  std::ifstream stream(path_);
  if (!stream && errno == ENOENT) return;
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  try {
    Json json = Json::parse(text.str());
    const std::string problem = difference(json.at("identity"), header_.identity, "");
    if (!problem.empty()) fail(problem, ", or remove it");
    for (Json& run : json.at("runs")) {
      Json outcome = std::move(run.at("outcome"));
      run.erase("outcome");
      header_.check_outcome(outcome);
      append({std::move(run), std::move(outcome)});
    }
  } catch (const nlohmann::json::exception&) {
    fail("is not a file of kept runs");
  }
  num_written_ = runs_.size();
}

const Json* KeptRuns::find(const Json& key) const {
  const auto found = places_.find(key.dump());
  return found == places_.end() ? nullptr : &runs_[found->second].outcome;
}

void KeptRuns::append(Run run) {
  places_.try_emplace(run.key.dump(), runs_.size());
  runs_.push_back(std::move(run));
}

void KeptRuns::add(Json key, Json outcome) {
  append({std::move(key), std::move(outcome)});
  const auto start = std::chrono::steady_clock::now();
  if (start < next_) return;
  write();
  const auto end = std::chrono::steady_clock::now();
  next_ = end + 20 * (end - start);
}

void KeptRuns::write() {
  if (num_written_ == runs_.size()) return;
  std::string text = fmt::format("{{\"notice\": {},\n\"identity\": {},\n\"runs\": [",
                                 Json(header_.notice).dump(), header_.identity.dump());
  for (const Run& run : runs_) {
    Json kept = run.key;
    kept["outcome"] = run.outcome;
    text += (text.ends_with('[') ? "\n" : ",\n") + kept.dump();
  }
  std::filesystem::path partial = path_;
  partial += ".partial";
  write_file(partial, text + "\n]}\n", Audience::kOwner);
  move_file(partial, path_);
  num_written_ = runs_.size();
}

}  // namespace equinoise
