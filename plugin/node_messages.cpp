#include "node_messages.h"

#include <exception>
#include <new>

#include "firn/error.h"

namespace firn {

bool cook_reporting_errors(const NodeMessages& messages, const std::function<void()>& cook) {
    try {
        cook();
        return true;
    } catch (const Error& error) {
        messages.error(error.what());
    } catch (const std::bad_alloc&) {
        messages.error("there is not enough memory; use a larger spacing, or fewer particles");
    } catch (const std::exception& error) {
        messages.error(std::string("something that Firn did not expect: ") + error.what());
    } catch (...) {
        messages.error("something that Firn did not expect, and that says nothing of itself");
    }
    return false;
}

}  // namespace firn
