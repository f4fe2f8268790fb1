#pragma once
// Double of <UT/UT_VoxelArray.h>: https://www.sidefx.com/docs/hdk/class_u_t___voxel_array.html
// The real one is tiled and compressed; this one is a plain block.

#include <SYS/SYS_Types.h>

#include <memory>
#include <vector>

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
    T getValue(int x, int y, int z) const { return myValues[at(x, y, z)]; }
    void setValue(int x, int y, int z, T value) { myValues[at(x, y, z)] = value; }

private:
    size_t at(int x, int y, int z) const {
        return (static_cast<size_t>(z) * static_cast<size_t>(myRes[1]) + static_cast<size_t>(y)) *
                   static_cast<size_t>(myRes[0]) +
               static_cast<size_t>(x);
    }
    int myRes[3] = {0, 0, 0};
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
