#pragma once

// What the engine may know of CUDA: which cards answer. Plain types; where Firn is built without nvcc, nothing answers.

#include <string>

#include "firn/error.h"

namespace firn {

/// The card stopped answering: what it held is gone.
class DeviceLost : public Error {
public:
    using Error::Error;
};

/// A card, or why there is none.
struct CudaAnswer {
    int device = -1;       ///< as CUDA numbers it; -1 = none is usable
    std::string text;      ///< usable: "cuda:0, NVIDIA ... (sm_75, 6.2 GB)"; otherwise one line that says why not
    bool present = false;  ///< there is a card or a driver, so that its owner would like to know why it is not used
};

/// Asks the driver for card `number`, or, if negative, for the first that Firn can use.
CudaAnswer ask_cuda(int number);

}  // namespace firn
