// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <map>
#include <typeindex>

namespace equinoise {

/// The options of single methods in a configuration that all methods share. Each method with such
/// options declares a struct of its own type. A struct has its defaults until it is changed.
class OwnOptions {
 public:
  template <typename Own>
  const Own& of() const {
    static const Own defaults;
    const auto found = structs_.find(typeid(Own));
    return found == structs_.end() ? defaults : *std::any_cast<Own>(&found->second);
  }

  template <typename Own>
  Own& of() {
    std::any& value = structs_[typeid(Own)];
    if (!value.has_value()) value = Own();
    return *std::any_cast<Own>(&value);
  }

 private:
  std::map<std::type_index, std::any> structs_;
};

}  // namespace equinoise
