#pragma once
// Fake of <SIM/SIM_CacheCompression.h>: https://www.sidefx.com/docs/hdk/_s_i_m___cache_compression_8h.html
// The fake never compresses.

enum UT_CompressionType { UT_COMPRESSION_TYPE_NONE, UT_COMPRESSION_TYPE_GZIP, UT_COMPRESSION_TYPE_BLOSC };
