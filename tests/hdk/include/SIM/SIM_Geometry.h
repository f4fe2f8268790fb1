#pragma once
// Fake of <SIM/SIM_Geometry.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___geometry.html
// and https://www.sidefx.com/docs/hdk/class_s_i_m___geometry_auto_read_lock.html

#include <GU/GU_Detail.h>
#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_API.h>
#include <SIM/SIM_DataUtils.h>
#include <SIM/SIM_OptionsUser.h>

#include <memory>

class SIM_API SIM_Geometry : public SIM_Data, public SIM_OptionsUser {
public:
    GETSET_DATA_FUNCS_S(SIM_NAME_POSITIONPATH, PositionPath)

    GU_ConstDetailHandle getGeometry() const;
    void getTransform(UT_DMatrix4& xform) const;

    void setOwnGeometry(const GU_DetailHandle& gdh);
    GU_ConstDetailHandle getOwnGeometry() const { return geometry_; }
    GU_DetailHandle getOwnGeometry() { return geometry_; }
    void setOwnTransform(UT_DMatrix4* xform);
    const UT_DMatrix4* getOwnTransform() const { return transform_.get(); }
    UT_DMatrix4* getOwnTransform() { return transform_.get(); }

protected:
    explicit SIM_Geometry(const SIM_DataFactory* factory);
    ~SIM_Geometry() override;

    void initializeSubclass() override;
    void makeEqualSubclass(const SIM_Data* source) override;
    void saveIOSubclass(std::ostream& os, SIM_DataThreadedIO* io) const override;
    bool loadIOSubclass(UT_IStream& is, SIM_DataThreadedIO* io) override;
    void interpolateSubclass(const SIM_Data* source1, const SIM_Data* source2, fpreal interp) override;
    int64 getMemorySizeSubclass() const override;

    virtual GU_ConstDetailHandle getGeometrySubclass() const;
    virtual void getTransformSubclass(UT_DMatrix4& xform) const;

private:
    GU_DetailHandle geometry_;
    std::unique_ptr<UT_DMatrix4> transform_;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_CLASSNAME(SIM_Geometry, SIM_Data)
};

class SIM_API SIM_GeometryAutoReadLock {
public:
    /// The documentation does not say what becomes of a null pointer: here it is a crash.
    explicit SIM_GeometryAutoReadLock(const SIM_Geometry* simgeo) : lock_(simgeo->getGeometry()) {}
    SIM_GeometryAutoReadLock(const SIM_GeometryAutoReadLock&) = delete;
    SIM_GeometryAutoReadLock& operator=(const SIM_GeometryAutoReadLock&) = delete;
    const GU_Detail* getGdp() const { return lock_.getGdp(); }

private:
    GU_DetailHandleAutoReadLock lock_;
};
