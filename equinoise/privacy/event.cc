#include "equinoise/privacy/event.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.event";

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, kWhere, message);
}

}  // namespace

Event Event::gaussian(double noise_multiplier) {
  check_positive(kWhere, "noise_multiplier", noise_multiplier);
  return {Kind::kGaussian, noise_multiplier, 0, {}};
}

Event Event::zcdp(double rho) {
  check_non_negative(kWhere, "rho", rho);
  return {Kind::kZcdp, rho, 0, {}};
}

Event Event::sampler_error(double delta) {
  if (!(delta >= 0 && delta < 1)) refuse(fmt::format("delta must lie in [0, 1), got {}", delta));
  return {Kind::kSamplerError, delta, 0, {}};
}

Event Event::repeat(int64_t count, Event event) {
  if (count < 1) refuse(fmt::format("count must be >= 1, got {}", count));
  return {Kind::kRepeat, 0, count, {std::move(event)}};
}

Event Event::composed(std::vector<Event> events) {
  return {Kind::kComposed, 0, 0, std::move(events)};
}

Event Event::poisson_sampled(double sample_rate, std::vector<Event> events) {
  if (!(sample_rate > 0 && sample_rate <= 1)) {
    refuse(fmt::format("sample_rate must lie in (0, 1], got {}", sample_rate));
  }
  if (events.empty()) refuse("poisson_sampled needs at least one event");
  return {Kind::kPoissonSampled, sample_rate, 0, std::move(events)};
}

double Event::parameter_of(Kind kind) const {
  if (kind_ != kind) refuse("this kind of event has no such parameter: " + to_text());
  return parameter_;
}

double Event::noise_multiplier() const { return parameter_of(Kind::kGaussian); }
double Event::rho() const { return parameter_of(Kind::kZcdp); }
double Event::delta() const { return parameter_of(Kind::kSamplerError); }
double Event::sample_rate() const { return parameter_of(Kind::kPoissonSampled); }

int64_t Event::count() const {
  parameter_of(Kind::kRepeat);
  return count_;
}

nlohmann::json Event::to_json() const {
  nlohmann::json children = nlohmann::json::array();
  for (const Event& event : events_) children.push_back(event.to_json());
  switch (kind_) {
    case Kind::kGaussian:
      return {{"type", "gaussian"}, {"noise_multiplier", parameter_}};
    case Kind::kZcdp:
      return {{"type", "zcdp"}, {"rho", parameter_}};
    case Kind::kSamplerError:
      return {{"type", "sampler_error"}, {"delta", parameter_}};
    case Kind::kRepeat:
      return {{"type", "repeat"}, {"count", count_}, {"event", children[0]}};
    case Kind::kComposed:
      return {{"type", "composed"}, {"events", children}};
    case Kind::kPoissonSampled:
      return {{"type", "poisson_sampled"}, {"q", parameter_}, {"events", children}};
  }
  refuse("not an event");
}

namespace {

/// Refuses a key that the type does not have, so that a misspelt parameter never passes as a
/// default.
void check_keys(const nlohmann::json& json, const std::set<std::string>& allowed) {
  for (const auto& [key, value] : json.items()) {
    if (key == "type" || key == "note" || allowed.count(key) > 0) continue;
    refuse(
        fmt::format("event {} has no parameter \"{}\"", json.at("type").get<std::string>(), key));
  }
}

template <typename Value>
Value required(const nlohmann::json& json, const std::string& key) {
  try {
    return json.at(key).get<Value>();
  } catch (const nlohmann::json::exception&) {
    refuse(fmt::format("event {} needs a valid \"{}\"", json.at("type").get<std::string>(), key));
  }
}

std::vector<Event> children_of(const nlohmann::json& json) {
  std::vector<Event> events;
  for (const auto& child : required<nlohmann::json>(json, "events")) {
    events.push_back(Event::from_json(child));
  }
  return events;
}

}  // namespace

Event Event::from_json(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
    refuse("an event is a JSON object with a \"type\"");
  }
  const std::string type = json["type"];
  if (type == "gaussian") {
    check_keys(json, {"noise_multiplier"});
    return gaussian(required<double>(json, "noise_multiplier"));
  }
  if (type == "zcdp") {
    check_keys(json, {"rho"});
    return zcdp(required<double>(json, "rho"));
  }
  if (type == "sampler_error") {
    check_keys(json, {"delta"});
    return sampler_error(required<double>(json, "delta"));
  }
  if (type == "repeat") {
    check_keys(json, {"count", "event"});
    return repeat(required<int64_t>(json, "count"),
                  from_json(required<nlohmann::json>(json, "event")));
  }
  if (type == "composed") {
    check_keys(json, {"events"});
    return composed(children_of(json));
  }
  if (type == "poisson_sampled") {
    check_keys(json, {"q", "events"});
    return poisson_sampled(required<double>(json, "q"), children_of(json));
  }
  refuse(fmt::format("unknown event type \"{}\"", type));
}

std::string Event::to_text() const {
  std::string children;
  for (const Event& event : events_) {
    if (!children.empty()) children += ", ";
    children += event.to_text();
  }
  switch (kind_) {
    case Kind::kGaussian:
      return fmt::format("Gaussian, noise multiplier {:.6g}", parameter_);
    case Kind::kZcdp:
      return fmt::format("zCDP, rho {:.6g}", parameter_);
    case Kind::kSamplerError:
      return fmt::format("sampler error, delta {:.3g}", parameter_);
    case Kind::kRepeat:
      return fmt::format("{} x {}", count_, children);
    case Kind::kComposed:
      return fmt::format("[{}]", children);
    case Kind::kPoissonSampled:
      return fmt::format("Poisson batch at rate {:.6g} of [{}]", parameter_, children);
  }
  return "not an event";
}

}  // namespace equinoise
