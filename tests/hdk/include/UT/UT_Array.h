#pragma once
// Fake of <UT/UT_Array.h>: https://www.sidefx.com/docs/hdk/class_u_t___array.html

#include <SYS/SYS_Types.h>

#include <initializer_list>
#include <utility>
#include <vector>

template <typename T>
class UT_Array {
public:
    UT_Array() = default;
    explicit UT_Array(exint capacity) { myItems.reserve(static_cast<size_t>(capacity)); }
    UT_Array(exint capacity, exint size) {
        myItems.reserve(static_cast<size_t>(capacity));
        myItems.resize(static_cast<size_t>(size));
    }
    UT_Array(std::initializer_list<T> items) : myItems(items) {}

    exint size() const { return static_cast<exint>(myItems.size()); }
    exint entries() const { return size(); }
    bool isEmpty() const { return myItems.empty(); }
    void clear() { myItems.clear(); }
    void setSize(exint size) { myItems.resize(static_cast<size_t>(size)); }
    void setCapacity(exint capacity) { myItems.reserve(static_cast<size_t>(capacity)); }
    exint append(const T& item) {
        myItems.push_back(item);
        return size() - 1;
    }
    exint append(T&& item) {
        myItems.push_back(std::move(item));
        return size() - 1;
    }
    T& operator()(exint i) { return myItems[static_cast<size_t>(i)]; }
    const T& operator()(exint i) const { return myItems[static_cast<size_t>(i)]; }
    T& operator[](exint i) { return myItems[static_cast<size_t>(i)]; }
    const T& operator[](exint i) const { return myItems[static_cast<size_t>(i)]; }
    T& last() { return myItems.back(); }
    T* data() { return myItems.data(); }
    const T* data() const { return myItems.data(); }
    exint find(const T& item) const {
        for (exint i = 0; i < size(); ++i)
            if ((*this)(i) == item) return i;
        return -1;
    }
    auto begin() { return myItems.begin(); }
    auto end() { return myItems.end(); }
    auto begin() const { return myItems.begin(); }
    auto end() const { return myItems.end(); }

private:
    std::vector<T> myItems;
};
