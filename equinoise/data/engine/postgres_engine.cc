// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/postgres_engine.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

std::unique_ptr<Engine> open_postgres(const EngineUrl& url) {
  throw Error(ErrorKind::kRuntime, "data.postgres",
              fmt::format("{}: this build cannot ask PostgreSQL", url.shown));
}

}  // namespace equinoise
