// Entered only after the processor was asked. Without FMA, so that every machine gives the same bits.
#define FIRN_ROWS avx2
#include "leaf_kernel_rows.h"
