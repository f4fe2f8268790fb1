#pragma once

// What the execution objects of all processors share: values that are summed, and memory of one type.

#include <utility>

#include "particles/lane.h"

namespace firn::FIRN_LANES {

/// Up to N sums or maxima over all particles, one Real each.
template <int N>
struct Values {
    Real v[N];
};

/// A processor's memory of one type. Grows, never shrinks by itself; growing loses the contents. `Memory` brings
/// allocate(bytes), free(memory or nullptr), and `spare`: a buffer that grows a little each step has room for one part
/// in so many more.
template <class T, class Memory>
class BufferIn {
public:
    BufferIn() = default;
    ~BufferIn() { release(); }
    BufferIn(const BufferIn&) = delete;
    BufferIn& operator=(const BufferIn&) = delete;
    BufferIn(BufferIn&& other) noexcept { swap(other); }
    BufferIn& operator=(BufferIn&& other) noexcept {
        swap(other);
        return *this;
    }

    void resize(size_t count) {
        if (count <= capacity_) return;
        release();
        data_ = static_cast<T*>(Memory::allocate(count * sizeof(T)));
        capacity_ = count;
    }
    /// Memory of somebody else's, which has nothing to do with it meanwhile.
    void borrow(T* memory, size_t count) {
        release();
        data_ = memory;
        capacity_ = count;
        borrowed_ = true;
    }
    /// With room to spare.
    void resize_generously(size_t count) {
        if (count > capacity_) resize(count + count / Memory::spare);
    }
    void swap(BufferIn& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        std::swap(borrowed_, other.borrowed_);
    }
    T* data() const { return data_; }
    /// Of its own.
    size_t bytes() const { return borrowed_ ? 0 : capacity_ * sizeof(T); }

private:
    void release() {
        if (!borrowed_) Memory::free(data_);
        data_ = nullptr;
        capacity_ = 0;
        borrowed_ = false;
    }

    T* data_ = nullptr;
    size_t capacity_ = 0;
    bool borrowed_ = false;
};

}  // namespace firn::FIRN_LANES
