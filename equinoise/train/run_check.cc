#include "equinoise/train/run_check.h"

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {

void check_table(std::string_view where, const EncodedTable& table, const Model& model) {
  const auto num_records = static_cast<size_t>(table.num_records);
  const size_t num_classes = model.num_outputs() == 1 ? 2 : model.num_outputs();
  const size_t num_targets = table.labels.empty() ? table.targets.size() : table.labels.size();
  const bool fits = table.num_features == model.num_features() && num_targets == num_records &&
                    table.contributes.size() == num_records &&
                    table.dense.size() == num_records * table.num_dense &&
                    table.active.size() == num_records * table.num_active;
  const auto is_one_hot = [&](uint32_t feature) {
    return feature >= table.num_dense && feature < table.num_features;
  };
  if (!fits || !std::ranges::all_of(table.active, is_one_hot) ||
      !std::ranges::all_of(table.labels, [&](uint16_t label) { return label < num_classes; })) {
    throw Error(ErrorKind::kRuntime, where, "the table is not one of the model");
  }
}

void check_run(std::string_view where, const EncodedTable& table, const Model& model,
               const TrainingPlan& plan, const Charge& charge) {
  if (charge.events() != plan.events() || table.num_records != plan.facts.num_records ||
      model.num_parameters() != plan.facts.num_parameters) {
    throw Error(ErrorKind::kRuntime, where, "charge, table or model are not those of the plan");
  }
  check_table(where, table, model);
}

}  // namespace equinoise
