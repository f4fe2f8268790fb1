#pragma once
// Fake of <UT/UT_VoxelArray.h>: https://www.sidefx.com/docs/hdk/class_u_t___voxel_array.html
// The real one is tiled and compressed; this one is a plain block.

#include <SYS/SYS_Types.h>

#include <memory>
#include <vector>

/// What is outside an array. The fake has these two.
enum UT_VoxelBorderType { UT_VOXELBORDER_CONSTANT, UT_VOXELBORDER_STREAK };

template <typename T>
class UT_VoxelArray {
public:
    void size(int xres, int yres, int zres) {
        myRes[0] = xres;
        myRes[1] = yres;
        myRes[2] = zres;
        myValues.assign(static_cast<size_t>(xres) * static_cast<size_t>(yres) * static_cast<size_t>(zres), T(0));
    }
    int getXRes() const { return myRes[0]; }
    int getYRes() const { return myRes[1]; }
    int getZRes() const { return myRes[2]; }
    bool isValidIndex(int x, int y, int z) const {
        return x >= 0 && x < myRes[0] && y >= 0 && y < myRes[1] && z >= 0 && z < myRes[2];
    }
    /// Outside, what the border says.
    T getValue(int x, int y, int z) const {
        if (isValidIndex(x, y, z)) return myValues[at(x, y, z)];
        if (myBorder == UT_VOXELBORDER_CONSTANT) return myBorderValue;
        const auto within = [](int i, int res) { return i < 0 ? 0 : i < res ? i : res - 1; };
        return myValues[at(within(x, myRes[0]), within(y, myRes[1]), within(z, myRes[2]))];
    }
    void setBorder(UT_VoxelBorderType type, T t) {
        myBorder = type;
        myBorderValue = t;
    }
    int64 getMemoryUsage(bool inclusive) const {
        return static_cast<int64>((inclusive ? sizeof *this : 0) + myValues.capacity() * sizeof(T));
    }
    int numTiles() const { return 1; }
    void collapseAllTiles() {}  // there are no tiles here
    void setValue(int x, int y, int z, T value) { myValues[at(x, y, z)] = value; }

private:
    size_t at(int x, int y, int z) const {
        return (static_cast<size_t>(z) * static_cast<size_t>(myRes[1]) + static_cast<size_t>(y)) *
                   static_cast<size_t>(myRes[0]) +
               static_cast<size_t>(x);
    }
    int myRes[3] = {0, 0, 0};
    UT_VoxelBorderType myBorder = UT_VOXELBORDER_STREAK;
    T myBorderValue = T(0);
    std::vector<T> myValues;
};
typedef UT_VoxelArray<fpreal32> UT_VoxelArrayF;

/// Holds an array for reading; several hosts may share it.
template <typename T>
class UT_VoxelArrayReadHandle {
public:
    explicit UT_VoxelArrayReadHandle(std::shared_ptr<const UT_VoxelArray<T>> array = {}) : myArray(std::move(array)) {}
    const UT_VoxelArray<T>* operator->() const { return myArray.get(); }
    const UT_VoxelArray<T>& operator*() const { return *myArray; }
    bool isValid() const { return myArray != nullptr; }

private:
    std::shared_ptr<const UT_VoxelArray<T>> myArray;
};
typedef UT_VoxelArrayReadHandle<fpreal32> UT_VoxelArrayReadHandleF;

template <typename T>
class UT_VoxelArrayWriteHandle {
public:
    explicit UT_VoxelArrayWriteHandle(std::shared_ptr<UT_VoxelArray<T>> array = {}) : myArray(std::move(array)) {}
    UT_VoxelArray<T>* operator->() const { return myArray.get(); }
    UT_VoxelArray<T>& operator*() const { return *myArray; }

private:
    std::shared_ptr<UT_VoxelArray<T>> myArray;
};
typedef UT_VoxelArrayWriteHandle<fpreal32> UT_VoxelArrayWriteHandleF;
