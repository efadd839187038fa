// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/guarantee.h"

#include <nlohmann/json.hpp>

namespace equinoise {

nlohmann::ordered_json to_json(const Guarantee& guarantee) {
  return {{"epsilon", guarantee.epsilon.value()},
          {"delta", guarantee.delta.value()},
          {"accountant", to_string(guarantee.accountant)},
          {"relation", to_string(guarantee.relation)}};
}

}  // namespace equinoise
