#pragma once
// Fake of <SIM/SIM_GeometryCopy.h>: https://www.sidefx.com/docs/hdk/class_s_i_m___geometry_copy.html
// and https://www.sidefx.com/docs/hdk/class_s_i_m___geometry_auto_write_lock.html
// Geometry that a solver may write.

#include <SIM/SIM_API.h>
#include <SIM/SIM_Geometry.h>

enum SIM_DataIdStrategy {
    SIM_DATA_ID_BUMP = 0,     ///< every attribute counts as changed when the lock is released
    SIM_DATA_ID_PRESERVE = 1  ///< whoever locked it bumps what it changed
};

class SIM_API SIM_GeometryCopy : public SIM_Geometry {
public:
    GU_DetailHandle lockGeometry();
    void releaseGeometry(SIM_DataIdStrategy strategy = SIM_DATA_ID_BUMP);
    UT_DMatrix4& lockTransform();
    void releaseTransform();

protected:
    explicit SIM_GeometryCopy(const SIM_DataFactory* factory);
    ~SIM_GeometryCopy() override;

    void makeEqualSubclass(const SIM_Data* source) override;

private:
    int locks_ = 0;

    DECLARE_STANDARD_GETCASTTOTYPE()
    DECLARE_DATAFACTORY(SIM_GeometryCopy, SIM_Geometry, "Geometry Copy", getEmptyDopDescription())
};

class SIM_API SIM_GeometryAutoWriteLock {
public:
    explicit SIM_GeometryAutoWriteLock(SIM_GeometryCopy* simgeo, SIM_DataIdStrategy data_id_strategy = SIM_DATA_ID_BUMP)
        : geometry_(simgeo), strategy_(data_id_strategy), handle_(simgeo->lockGeometry()), gdp_(handle_.writeLock()) {}
    ~SIM_GeometryAutoWriteLock() {
        handle_.unlock(gdp_);
        geometry_->releaseGeometry(strategy_);
    }
    SIM_GeometryAutoWriteLock(const SIM_GeometryAutoWriteLock&) = delete;
    SIM_GeometryAutoWriteLock& operator=(const SIM_GeometryAutoWriteLock&) = delete;

    const GU_DetailHandle& handle() { return handle_; }
    GU_Detail& getGdp() { return *gdp_; }

private:
    SIM_GeometryCopy* geometry_;
    SIM_DataIdStrategy strategy_;
    GU_DetailHandle handle_;
    GU_Detail* gdp_;
};
