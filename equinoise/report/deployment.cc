// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/deployment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/markdown.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRegistrySchema =
    "opendp/deployments-registry-data, schemas/deployments-schema.yaml, 057e5d81";

/// Bounded or unbounded DP; these words do not cover all relations.
std::string boundedness(const Protection& protection) {
  switch (protection.relation) {
    case Relation::kZeroOut:
      return fmt::format(
          "the number of {} is public, as in bounded DP; what {} is removed, as in unbounded DP",
          protection.unit.plural(),
          protection.unit.is_row() ? "one record adds" : "all rows of one unit add");
    case Relation::kAddRemove:
      return "unbounded DP";
    case Relation::kReplaceOne:
      return "bounded DP";
  }
  throw Error(ErrorKind::kRuntime, "report.deployment", "not a relation");
}

/// "within one group by sex"; "" if no groups are public.
std::string within_groups(const Protection& protection, std::string_view words) {
  if (protection.public_groups.empty()) return "";
  return fmt::format("{} group by {}", words, fmt::join(protection.public_groups, ", "));
}

/// The set of possible tables.
std::string possible_tables(const Deployment& deployment) {
  const Protection& protection = *deployment.protection;
  const std::string tables =
      fmt::format("Tables that fit the public schema of data set {}", deployment.dataset);
  if (protection.relation == Relation::kAddRemove) return tables + ".";
  return fmt::format("{}, all of one number of {}{}.", tables, protection.unit.plural(),
                     within_groups(protection, ", and of the same numbers in each"));
}

std::string variant_of(const Deployment& deployment) {
  if (deployment.rho) return "Zero-concentrated DP";
  return deployment.privacy->delta.value() > 0 ? "Approximate DP" : "Pure DP";
}

Json parameters_of(const Deployment& deployment) {
  Json json = {{"epsilon", deployment.privacy->epsilon.value()},
               {"delta", deployment.privacy->delta.value()}};
  if (deployment.rho) json["rho"] = *deployment.rho;
  return json;
}

std::string parameter_details(const Deployment& deployment) {
  const Guarantee& privacy = *deployment.privacy;
  std::string text =
      fmt::format("Epsilon at this delta by the accountant {}, rounded up, under the relation {}.",
                  to_string(privacy.accountant), to_string(privacy.relation));
  if (deployment.rho) text += " Rho bounds the same release.";
  if (deployment.groups_differ)
    text += " Members of different groups have different guarantees, at most this one.";
  for (const std::string& condition : deployment.conditions)
    text += fmt::format(" Condition: {}.", condition);
  return fmt::format(
      "{} {} Neither the software nor this release has been audited by a third party.", text,
      kNotCovered);
}

std::string composition_of(const Deployment& deployment) {
  std::string text =
      fmt::format("The mechanisms of this release are added up by the accountant {}.",
                  to_string(deployment.privacy->accountant));
  if (!deployment.composition.empty()) text += " " + deployment.composition;
  if (!deployment.ledger)
    return text + " What other releases from the same records cost is not part of it.";
  const LedgerStatement& ledger = *deployment.ledger;
  text += fmt::format(
      " Releases that were paid from the account of data set {}, kept by {}, are added up in it; "
      "what others from the same records cost is not part of it. Its budget is epsilon {} at delta "
      "{}, of which {} was spent before this release and {} after it.",
      ledger.dataset, ledger.budget.accountant, format_epsilon(ledger.budget.epsilon),
      ledger.budget.delta.value(), format_epsilon(ledger.spent_before.epsilon),
      format_epsilon(ledger.spent_after.epsilon));
  const std::string assumption = account_assumption(ledger.budget);
  return assumption.empty() ? text : text + " " + assumption;
}

/// Pre: it is private.
Json entry_of(const Deployment& deployment) {
  const Protection& protection = *deployment.protection;
  std::string unprotected = what_is_public(protection);
  if (!deployment.unprotected.empty()) unprotected += " " + deployment.unprotected;
  return {
      {"basic",
       {{"name", nullptr},
        {"data_curators", nullptr},
        {"description", deployment.description},
        {"intended_use", nullptr},
        {"data_product_type", word_of(kDataProducts, deployment.product)},
        {"data_product_region", nullptr},
        {"data_product_sector", nullptr},
        {"publication_date", nullptr}}},
      {"dp_variant",
       {{"variant_name", variant_of(deployment)},
        {"data_domain", possible_tables(deployment)},
        {"unprotected_quantities", unprotected}}},
      {"privacy_loss",
       {{"privacy_unit", protection.unit.name},
        {"privacy_unit_details",
         fmt::format("{} Relation {}: {}{}.", what_is_protected(protection),
                     to_string(protection.relation), boundedness(protection),
                     within_groups(protection, ", within one"))},
        {"number_of_privacy_units",
         deployment.num_records ? Json(*deployment.num_records) : Json(nullptr)},
        {"privacy_parameters", parameters_of(deployment)},
        {"privacy_parameters_details", parameter_details(deployment)}}},
      {"deployment_model",
       {{"model_name", "Central"},
        {"model_name_details",
         "Whoever runs the program reads the records; noise is added before anything that depends "
         "on protected records is released."},
        {"trust_assumptions", nullptr},
        {"actors", nullptr},
        {"release_type", nullptr},
        {"release_type_details", nullptr},
        {"data_source_type", nullptr},
        {"data_source_type_details", nullptr},
        {"access_type", "Non-interactive"},
        {"access_type_details", nullptr}}},
      {"implementation",
       {{"preprocessing_and_hyperparameter_tuning", nullptr},
        {"mechanisms", fmt::format("Equinoise {}, {}: {}.", deployment.version, deployment.method,
                                   fmt::join(deployment.mechanisms, "; "))},
        {"composition", composition_of(deployment)},
        {"post_processing",
         deployment.post_processing.empty() ? Json(nullptr) : Json(deployment.post_processing)},
        {"justification", nullptr},
        {"utility", nullptr},
        {"additional_information", nullptr}}},
      {"administrative",
       {{"evidence_sources", nullptr},
        {"status", nullptr},
        {"registry_authors", nullptr},
        {"tier", nullptr}}}};
}

/// Its texts escaped for Markdown.
Json as_markdown(Json json) {
  if (json.is_string()) return markdown_text(json.get<std::string>());
  if (json.is_object())
    for (Json& value : json) value = as_markdown(std::move(value));
  return json;
}

/// Adds the places of nulls in `json`, which is at `place`.
void add_nulls(const Json& json, const std::string& place, Json& places) {
  if (json.is_null()) places.push_back(place);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items())
    add_nulls(value, place.empty() ? name : place + "." + name, places);
}

/// The event with titles instead of the names of its partitions.
Event with_titles(const Event& event) {
  if (event.events().empty()) return event;
  std::vector<Event> parts;
  for (const Event& part : event.events()) parts.push_back(with_titles(part));
  return event.kind() == Event::Kind::kParallel
             ? Event::parallel(partition_title(event.partition()), event.group_names(),
                               std::move(parts))
             : event.with_events(std::move(parts));
}

}  // namespace

std::string mechanism_of(const Event& event) { return with_titles(event).to_text(); }

nlohmann::ordered_json to_json(const Deployment& deployment) {
  Json json = {{"registry_schema", kRegistrySchema},
               {"status", to_string(deployment.status)},
               {"entry", nullptr},
               {"to_fill_in", Json::array()}};
  if (deployment.status != PrivacyStatus::kPrivate) return json;
  if (!deployment.privacy || !deployment.protection) {
    json["status"] = to_string(PrivacyStatus::kNotPrivate);
    return json;
  }
  json["entry"] = as_markdown(entry_of(deployment));
  add_nulls(json["entry"], "", json["to_fill_in"]);
  return json;
}

}  // namespace equinoise
