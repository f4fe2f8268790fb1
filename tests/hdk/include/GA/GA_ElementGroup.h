#pragma once
// Fake of <GA/GA_ElementGroup.h>: https://www.sidefx.com/docs/hdk/class_g_a___element_group.html,
// https://www.sidefx.com/docs/hdk/class_g_a___point_group.html and
// https://www.sidefx.com/docs/hdk/class_g_a___element_group_table.html
// Sets of points or primitives with a name. They are not copied with a detail.

#include <GA/GA_Types.h>
#include <UT/UT_StringHolder.h>

#include <map>
#include <memory>
#include <set>
#include <string>

class GA_Primitive;

class GA_API GA_ElementGroup {
public:
    void addOffset(GA_Offset offset) { myMembers.insert(offset); }
    void add(const GA_Primitive* primitive);
    bool contains(GA_Offset offset) const { return myMembers.count(offset) != 0; }
    bool isEmpty() const { return myMembers.empty(); }
    GA_Size entries() const { return static_cast<GA_Size>(myMembers.size()); }

private:
    std::set<GA_Offset> myMembers;
};
class GA_PointGroup : public GA_ElementGroup {};
class GA_PrimitiveGroup : public GA_ElementGroup {};

class GA_API GA_ElementGroupTable {
public:
    template <class Group>
    Group* make(const UT_StringHolder& name) {
        auto made = std::make_shared<Group>();
        myGroups[name.toStdString()] = made;
        return made.get();
    }
    bool destroy(const GA_ElementGroup* group) {
        for (auto it = myGroups.begin(); it != myGroups.end(); ++it) {
            if (it->second.get() != group) continue;
            myGroups.erase(it);
            return true;
        }
        return false;
    }
    bool renameGroup(const UT_StringRef& from, const UT_StringHolder& to) {
        auto group = myGroups.extract(from.toStdString());
        if (group.empty() || myGroups.count(to.toStdString())) return false;
        group.key() = to.toStdString();
        myGroups.insert(std::move(group));
        return true;
    }

private:
    std::map<std::string, std::shared_ptr<GA_ElementGroup>> myGroups;
};
