// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit_question.h"

#include <utility>

namespace equinoise {

AuditReport answer(AuditQuestion question, TaskProgress& progress) {
  AuditRequest& request = question.model;
  request.command = question.command;
  request.threads = question.threads;
  if (question.logged.data.empty()) return audit(request, progress);
  PredictionsAuditRequest predictions{std::move(question.logged),
                                      {request.limits, request.ratios},
                                      request.favourable,
                                      request.out_path,
                                      request.force,
                                      request.command};
  LoggedTableRequest& logged = predictions.table;
  logged.schema_path = request.schema_path;
  logged.table = request.table;
  logged.groupings = request.groupings;
  logged.floor = request.floor;
  logged.weight = request.weight_column;
  logged.constraints = request.constraints;
  logged.constraints_path = request.constraints_path;
  return audit_predictions(predictions, progress);
}

}  // namespace equinoise
