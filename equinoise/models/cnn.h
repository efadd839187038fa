// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "equinoise/data/schema/schema.h"
#include "equinoise/models/losses/loss.h"
#include "equinoise/models/model.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// A convolutional network on images: convolutions, each with an activation and, if wanted, pooling
/// after it, then fully connected layers; the last one gives the scores of `loss`. Errors: kUsage,
/// naming the option, for what makes no network or does not fit the image.
std::unique_ptr<Model> make_cnn(std::string name, const ImageShape& image,
                                std::unique_ptr<Loss> loss, const NetworkOptions& options);

/// LeNet-5 with the given activation: 6 and 16 channels of 5 x 5, average pooling, 120 and 84
/// units. Without padding, so images of 28 x 28 have 4 x 4 after it.
NetworkOptions lenet_options(const NetworkOptions& options);

}  // namespace equinoise
