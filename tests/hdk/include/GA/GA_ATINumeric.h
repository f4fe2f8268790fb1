#pragma once
// Fake of <GA/GA_ATINumeric.h>: https://www.sidefx.com/docs/hdk/class_g_a___a_t_i_numeric.html
// As the real one: pages of 1024 tuples, a page with one value stores it once, and copies share pages until they are
// written. Different pages may be written by different threads.

#include <GA/GA_Attribute.h>
#include <GA/GA_Defaults.h>

#include <cstring>
#include <memory>
#include <vector>

class GA_API GA_ATINumeric : public GA_Attribute {
public:
    GA_ATINumeric(GA_AttributeOwner owner, const UT_StringHolder& name, GA_Storage storage, int tuple_size,
                  const GA_Defaults& defaults);

    static GA_ATINumeric* cast(GA_Attribute* attribute) { return dynamic_cast<GA_ATINumeric*>(attribute); }
    static const GA_ATINumeric* cast(const GA_Attribute* attribute) {
        return dynamic_cast<const GA_ATINumeric*>(attribute);
    }

    GA_Storage getStorage() const override { return myStorage; }
    bool isPageConstant(GA_PageNum page) const { return myPages[static_cast<size_t>(page)]->constant; }
    void hardenAllPages();

    template <typename T>
    T getValue(GA_Offset offset, int component) const {
        T value;
        readBlock(offset, 1, &value, 1, component);
        return value;
    }
    template <typename T>
    void setValue(GA_Offset offset, int component, T value) {
        writeBlock(offset, 1, &value, 1, component);
    }
    /// One component of `count` elements, `stride` numbers apart at the other end.
    template <typename T>
    void readBlock(GA_Offset start, GA_Size count, T* to, int stride, int component) const {
        switch (myStorage) {
            case GA_STORE_INT32:
                return readAs<int32>(start, count, to, stride, component);
            case GA_STORE_INT64:
                return readAs<int64>(start, count, to, stride, component);
            case GA_STORE_REAL64:
                return readAs<fpreal64>(start, count, to, stride, component);
            default:
                return readAs<fpreal32>(start, count, to, stride, component);
        }
    }
    template <typename T>
    void writeBlock(GA_Offset start, GA_Size count, const T* from, int stride, int component) {
        switch (myStorage) {
            case GA_STORE_INT32:
                return writeAs<int32>(start, count, from, stride, component);
            case GA_STORE_INT64:
                return writeAs<int64>(start, count, from, stride, component);
            case GA_STORE_REAL64:
                return writeAs<fpreal64>(start, count, from, stride, component);
            default:
                return writeAs<fpreal32>(start, count, from, stride, component);
        }
    }
    template <typename T>
    void makeConstant(T value, int component) {
        for (GA_PageNum page = 0; page < static_cast<GA_PageNum>(myPages.size()); ++page) {
            for (GA_Offset k = 0; k < GA_PAGE_SIZE; ++k) setValue<T>((page << GA_PAGE_BITS) + k, component, value);
        }
    }

    std::unique_ptr<GA_Attribute> duplicate() const override;
    std::unique_ptr<GA_Attribute> emptyLike() const override;
    void resize(GA_Size elements) override;
    void copyElement(GA_Offset to, const GA_Attribute& src, GA_Offset from) override;
    uint64 contentHash(GA_Size elements) const override;

private:
    struct Page {
        bool constant = true;
        std::vector<unsigned char> bytes;
    };
    size_t tupleBytes() const;
    /// The page alone and hard, so that it can be written.
    Page& own(GA_PageNum page);

    template <typename S, typename T>
    void readAs(GA_Offset start, GA_Size count, T* to, int stride, int component) const {
        const size_t tuple = static_cast<size_t>(getTupleSize());
        for (GA_Size k = 0; k < count;) {
            const GA_Offset offset = start + k;
            const Page& page = *myPages[static_cast<size_t>(GAgetPageNum(offset))];
            const GA_Size in_page = std::min<GA_Size>(count - k, GA_PAGE_SIZE - GAgetPageOff(offset));
            const S* values = reinterpret_cast<const S*>(page.bytes.data()) + component;
            const size_t first = page.constant ? 0 : static_cast<size_t>(GAgetPageOff(offset)),
                         step = page.constant ? 0 : tuple;
            for (GA_Size j = 0; j < in_page; ++j)
                to[(k + j) * stride] = static_cast<T>(values[first * tuple + static_cast<size_t>(j) * step]);
            k += in_page;
        }
    }
    template <typename S, typename T>
    void writeAs(GA_Offset start, GA_Size count, const T* from, int stride, int component) {
        const size_t tuple = static_cast<size_t>(getTupleSize());
        for (GA_Size k = 0; k < count;) {
            const GA_Offset offset = start + k;
            Page& page = own(GAgetPageNum(offset));
            const GA_Size in_page = std::min<GA_Size>(count - k, GA_PAGE_SIZE - GAgetPageOff(offset));
            S* values =
                reinterpret_cast<S*>(page.bytes.data()) + static_cast<size_t>(GAgetPageOff(offset)) * tuple + component;
            for (GA_Size j = 0; j < in_page; ++j)
                values[static_cast<size_t>(j) * tuple] = static_cast<S>(from[(k + j) * stride]);
            k += in_page;
        }
    }

    GA_Storage myStorage;
    GA_Defaults myDefaults;
    std::vector<std::shared_ptr<Page>> myPages;
};
