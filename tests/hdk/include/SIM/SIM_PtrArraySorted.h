#pragma once
// Fake of <SIM/SIM_PtrArraySorted.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___ptr_array_sorted.html

#include <SYS/SYS_Types.h>

#include <vector>

template <class Pointer>
class SIM_PtrArraySorted {
public:
    exint entries() const { return static_cast<exint>(pointers_.size()); }
    const Pointer& operator()(exint index) const { return pointers_[static_cast<size_t>(index)]; }
    /// Where it went; the same pointer is held once.
    exint add(Pointer pointer);
    void clear() { pointers_.clear(); }

private:
    std::vector<Pointer> pointers_;
};
