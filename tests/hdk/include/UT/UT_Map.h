#pragma once
// Fake of <UT/UT_Map.h>: https://www.sidefx.com/docs/hdk/_u_t___map_8h.html

#include <unordered_map>

template <typename K, typename V>
class UT_Map : public std::unordered_map<K, V> {
public:
    using std::unordered_map<K, V>::unordered_map;
};
