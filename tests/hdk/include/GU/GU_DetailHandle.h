#pragma once
// Fake of <GU/GU_DetailHandle.h>: https://www.sidefx.com/docs/hdk/class_g_u___detail_handle.html,
// https://www.sidefx.com/docs/hdk/class_g_u___const_detail_handle.html and
// https://www.sidefx.com/docs/hdk/class_g_u___detail_handle_auto_read_lock.html
// Shared ownership; the fake's locks don't lock.

#include <GU/GU_Detail.h>

#include <memory>

class GU_ConstDetailHandle;

class GU_API GU_DetailHandle {
public:
    void allocateAndSet(GU_Detail* gdp, bool own = true) {
        if (own)
            myGdp.reset(gdp);
        else
            myGdp = std::shared_ptr<GU_Detail>(gdp, [](GU_Detail*) {});
    }
    void clear() { myGdp.reset(); }
    bool isNull() const { return myGdp == nullptr; }
    bool isValid() const { return myGdp != nullptr; }
    explicit operator bool() const { return myGdp != nullptr; }
    const GU_Detail* gdp() const { return myGdp.get(); }
    GU_Detail* gdpNC() const { return myGdp.get(); }
    const GU_Detail* readLock() const { return myGdp.get(); }
    GU_Detail* writeLock() const { return myGdp.get(); }
    void unlock(const GU_Detail*) const {}
    int getRefCount() const { return static_cast<int>(myGdp.use_count()); }

private:
    friend class GU_ConstDetailHandle;
    std::shared_ptr<GU_Detail> myGdp;
};

class GU_API GU_ConstDetailHandle {
public:
    GU_ConstDetailHandle() = default;
    GU_ConstDetailHandle(const GU_DetailHandle& handle) : myGdp(handle.myGdp) {}
    bool isNull() const { return myGdp == nullptr; }
    bool isValid() const { return myGdp != nullptr; }
    explicit operator bool() const { return myGdp != nullptr; }
    const GU_Detail* gdp() const { return myGdp.get(); }
    const GU_Detail* readLock() const { return myGdp.get(); }
    void unlock(const GU_Detail*) const {}
    /// A detail of its own with the same geometry; null of none.
    GU_DetailHandle getWriteableCopy() const;

private:
    std::shared_ptr<const GU_Detail> myGdp;
};

class GU_DetailHandleAutoReadLock {
public:
    explicit GU_DetailHandleAutoReadLock(const GU_ConstDetailHandle& handle)
        : myHandle(handle), myGdp(handle.readLock()) {}
    ~GU_DetailHandleAutoReadLock() { myHandle.unlock(myGdp); }
    GU_DetailHandleAutoReadLock(const GU_DetailHandleAutoReadLock&) = delete;
    GU_DetailHandleAutoReadLock& operator=(const GU_DetailHandleAutoReadLock&) = delete;
    const GU_Detail* getGdp() const { return myGdp; }
    bool isValid() const { return myGdp != nullptr; }
    const GU_Detail* operator->() const { return myGdp; }
    const GU_Detail& operator*() const { return *myGdp; }

private:
    GU_ConstDetailHandle myHandle;
    const GU_Detail* myGdp;
};

class GU_DetailHandleAutoWriteLock {
public:
    explicit GU_DetailHandleAutoWriteLock(const GU_DetailHandle& handle)
        : myHandle(handle), myGdp(handle.writeLock()) {}
    ~GU_DetailHandleAutoWriteLock() { myHandle.unlock(myGdp); }
    GU_DetailHandleAutoWriteLock(const GU_DetailHandleAutoWriteLock&) = delete;
    GU_DetailHandleAutoWriteLock& operator=(const GU_DetailHandleAutoWriteLock&) = delete;
    GU_Detail* getGdp() const { return myGdp; }
    bool isValid() const { return myGdp != nullptr; }
    GU_Detail* operator->() const { return myGdp; }
    GU_Detail& operator*() const { return *myGdp; }

private:
    GU_DetailHandle myHandle;
    GU_Detail* myGdp;
};
