// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/request_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/train/training_output.h"
#include "equinoise/tasks/train/training_reference.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";
constexpr int64_t kMaxStates = 1000;

void check_explanations(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.explain_every == 0) return;
  check_interval(kWhere, "explain_every", static_cast<double>(request.explain_every), 1,
                 static_cast<double>(setup.plan.config.num_steps));
  // A limit because all directions and their products are in memory.
  constexpr size_t kMaxValues = size_t{1} << 27;
  const size_t most = std::clamp<size_t>(kMaxValues / setup.plan.facts.num_parameters, 2, 1000);
  check_interval(kWhere, "explain_directions", static_cast<double>(request.explain_directions), 2,
                 static_cast<double>(most));
  if (request.groupings.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--explain-every compares groups; name them with --groups");
  }
}

/// Refuses a checkpoint that the method cannot use.
void check_checkpoint(const TrainRequest& request, const TrainingSetup& setup) {
  if (request.checkpoint_path.empty()) {
    if (request.resume || request.checkpoint_every != 0) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "--resume and --checkpoint-every need --checkpoint FILE");
    }
    return;
  }
  if (setup.plan.is_choice) {
    throw Error(ErrorKind::kUsage, kWhere,
                "private selection cannot be checkpointed: a saved state would reveal how many "
                "candidates were run; drop --checkpoint");
  }
  // Each state is a permanent entry of the ledger, and the ledger is always read as a whole.
  const int64_t least = (setup.plan.config.num_steps + kMaxStates - 1) / kMaxStates;
  if (request.checkpoint_every != 0 && request.checkpoint_every < least) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("checkpoint_every must be at least {}, which saves {} states, got {}",
                            least, kMaxStates, request.checkpoint_every));
  }
}

}  // namespace

void check_request(const TrainRequest& request, const TrainingSetup& setup) {
  if (!request.data.empty()) check_labels(request.labels_path, setup.schema, TableUse::kDescribed);
  check_explanations(request, setup);
  check_checkpoint(request, setup);
  check_reference(request, setup);
  if (!request.out_path.empty())
    OutputFolder::check(request.out_path, request.force, training_output_files());
}

int64_t explanation_bytes(const TrainingSetup& setup, const TrainRequest& request) {
  if (request.explain_every == 0) return 0;
  const auto num_groups = std::ssize(setup.groupings[0].groups);
  return (setup.plan.config.num_steps / request.explain_every + 1) * (256 + 1024 * num_groups) +
         4096 * num_groups;
}

}  // namespace equinoise
