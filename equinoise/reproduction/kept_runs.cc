// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/kept_runs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "equinoise/base/error.h"
#include "equinoise/files/write_file.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// JSON has no number that is not finite; such a figure says that a run diverged.
Json from_numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(std::isfinite(value) ? Json(value) : Json());
  return json;
}

std::vector<double> to_numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) {
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : value.get<double>());
  }
  return values;
}

std::optional<double> to_optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json from_outcome(const ReproductionOutcome& outcome) {
  Json json = {{"accuracy", from_numbers(outcome.accuracy)},
               {"epsilon_by_rdp", nullptr},
               {"epsilon_by_pld", nullptr},
               {"points", Json::array()}};
  if (outcome.epsilon_by_rdp) json["epsilon_by_rdp"] = *outcome.epsilon_by_rdp;
  if (outcome.epsilon_by_pld) json["epsilon_by_pld"] = *outcome.epsilon_by_pld;
  for (const ReproductionPoint& point : outcome.points) {
    json["points"].push_back(
        {{"position", point.position}, {"values", from_numbers(point.values)}});
  }
  return json;
}

ReproductionOutcome to_outcome(const Json& json) {
  ReproductionOutcome outcome;
  outcome.accuracy = to_numbers(json.at("accuracy"));
  outcome.epsilon_by_rdp = to_optional(json.at("epsilon_by_rdp"));
  outcome.epsilon_by_pld = to_optional(json.at("epsilon_by_pld"));
  for (const Json& point : json.at("points"))
    outcome.points.push_back({point.at("position").get<double>(), to_numbers(point.at("values"))});
  return outcome;
}

/// Why runs of another identity are of no use, or "".
std::string reason_of(std::string_view name) {
  if (name == "revision") return " (such runs give other results now)";
  if (name == "records") return " (the files hold other records)";
  return "";
}

/// How what is kept differs from what is asked for, or "".
std::string difference(const Json& kept, const Json& asked, const std::string& prefix) {
  const Json none;
  for (const auto& [name, value] : asked.items()) {
    const Json& found = kept.contains(name) ? kept.at(name) : none;
    if (found == value) continue;
    if (found.is_object() && value.is_object()) return difference(found, value, name + ".");
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

KeptRuns::KeptRuns(std::filesystem::path path, nlohmann::ordered_json identity, bool is_drawn)
    : path_(std::move(path)), identity_(std::move(identity)), is_drawn_(is_drawn) {
  read();
}

void KeptRuns::hold() {
  lock_.emplace(path_, "--runs");
  read();
}

void KeptRuns::read() {
  runs_.clear();
  places_.clear();
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, "tasks.reproduce",
                fmt::format("{}: {}; give another --runs, or remove it", path_.string(), problem));
  };
  // Runs that cannot be read are not to be made again and written over.
  errno = 0;
  std::ifstream stream(path_);
  if (!stream && errno == ENOENT) return;
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  try {
    const Json json = Json::parse(text.str());
    const std::string problem = difference(json.at("identity"), identity_, "");
    if (!problem.empty()) fail(problem);
    for (const Json& run : json.at("runs")) {
      append({run.at("method").get<std::string>(), run.at("seed").get<uint64_t>(),
              run.value("series", ""), to_outcome(run.at("outcome"))});
    }
  } catch (const nlohmann::json::exception&) {
    fail("is not a file of kept runs");
  }
  num_written_ = runs_.size();
}

std::optional<ReproductionOutcome> KeptRuns::find(const std::string& method, uint64_t seed,
                                                  const std::string& series) const {
  const auto found = places_.find({method, seed, series});
  return found == places_.end() ? std::nullopt : std::optional(runs_[found->second].outcome);
}

void KeptRuns::append(Run run) {
  places_.try_emplace({run.method, run.seed, run.series}, runs_.size());
  runs_.push_back(std::move(run));
}

void KeptRuns::add(const std::string& method, uint64_t seed, const std::string& series,
                   const ReproductionOutcome& outcome) {
  append({method, seed, series, outcome});
  const auto start = Clock::now();
  if (start < next_) return;
  write();
  const auto end = Clock::now();
  next_ = end + 20 * (end - start);
}

void KeptRuns::write() {
  if (num_written_ == runs_.size()) return;
  const Json notice = is_drawn_ ? "figures from simulated records, which belong to nobody"
                                : "NOT PRIVATE, DO NOT PUBLISH: figures computed from the "
                                  "records with an insecure random source";
  std::string text = fmt::format("{{\"notice\": {},\n\"identity\": {},\n\"runs\": [", notice.dump(),
                                 identity_.dump());
  for (const Run& run : runs_) {
    Json kept = {{"method", run.method}, {"seed", run.seed}};
    if (!run.series.empty()) kept["series"] = run.series;
    kept["outcome"] = from_outcome(run.outcome);
    text += (text.ends_with('[') ? "\n" : ",\n") + kept.dump();
  }
  std::filesystem::path partial = path_;
  partial += ".partial";
  write_file(partial, text + "\n]}\n", Audience::kOwner);
  move_file(partial, path_);
  num_written_ = runs_.size();
}

}  // namespace equinoise
