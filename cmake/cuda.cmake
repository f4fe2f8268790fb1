# Finds nvcc and compiles for it. nvcc is called directly, one command for each file: the same run leaves the object, the
# PTX that tests execute without a card, and the registers and spills that ptxas counted.
#
#   FIRN_CUDA                  AUTO: with CUDA where nvcc is. ON: nvcc must be there. OFF: without
#   FIRN_CUDA_ARCHITECTURES    "75" by default (newer cards translate its PTX when they first run it); "release" = code for
#                              every architecture from sm_75 to sm_120 that this nvcc knows; or a list such as "75;86;89"
# Sets FIRN_NVCC, FIRN_CUDA_FOLDER and firn_cuda_object().

set(FIRN_CUDA AUTO CACHE STRING "The CUDA device: AUTO (where nvcc is), ON or OFF")
set_property(CACHE FIRN_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FIRN_CUDA_ARCHITECTURES 75 CACHE STRING "Architectures to compile for: a list of numbers, or release")

set(FIRN_NVCC "")
set(FIRN_CUDA_FOLDER ${PROJECT_BINARY_DIR}/cuda)
string(TOUPPER "${FIRN_CUDA}" firn_cuda_wanted)
if(firn_cuda_wanted STREQUAL "AUTO" AND FIRN_SANITIZE)
    return() # the sanitizers look at the CPU's code
endif()
if(NOT firn_cuda_wanted STREQUAL "AUTO" AND NOT firn_cuda_wanted)
    return()
endif()

find_package(CUDAToolkit QUIET)
find_package(Threads QUIET)
if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart_static
        AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.0)
    set(FIRN_NVCC ${CUDAToolkit_NVCC_EXECUTABLE})
elseif(NOT firn_cuda_wanted STREQUAL "AUTO")
    message(FATAL_ERROR "FIRN_CUDA is ON, but nvcc and the static runtime of CUDA 12 or newer were not found. "
        "Set CUDAToolkit_ROOT to the toolkit's folder, or FIRN_CUDA=OFF")
endif()
if(NOT FIRN_NVCC)
    message(STATUS "CUDA: not found, the engine runs on the CPU alone")
    return()
endif()

# What this nvcc can compile for, as numbers.
execute_process(COMMAND ${FIRN_NVCC} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
string(REGEX MATCHALL "[0-9]+" known "${known}")
set(FIRN_CUDA_RELEASE_ARCHITECTURES "")
foreach(architecture 75 80 86 89 90 100 120)
    if(architecture IN_LIST known)
        list(APPEND FIRN_CUDA_RELEASE_ARCHITECTURES ${architecture})
    endif()
endforeach()

# The options that say for which architectures: code for each of them, and the PTX of the newest, which later cards translate.
function(firn_cuda_targets result)
    set(newest 0)
    set(options "")
    foreach(architecture ${ARGN})
        list(APPEND options -gencode arch=compute_${architecture},code=sm_${architecture})
        if(architecture GREATER newest)
            set(newest ${architecture})
        endif()
    endforeach()
    list(APPEND options -gencode arch=compute_${newest},code=compute_${newest})
    set(${result} ${options} PARENT_SCOPE)
endfunction()

if(FIRN_CUDA_ARCHITECTURES STREQUAL "release")
    firn_cuda_targets(FIRN_CUDA_TARGETS ${FIRN_CUDA_RELEASE_ARCHITECTURES})
else()
    firn_cuda_targets(FIRN_CUDA_TARGETS ${FIRN_CUDA_ARCHITECTURES})
endif()
# Divisions and roots to 2 ulp instead of half a one: there is one of each between any two neighbours, and the exact ones take
# twice the instructions. Denormals stay: snow at rest has small numbers.
set(FIRN_CUDA_ARITHMETIC -prec-div=false -prec-sqrt=false)
set(FIRN_CUDA_OPTIONS -std=c++17 -O3 ${FIRN_CUDA_ARITHMETIC} -Xcompiler=-fPIC,-fno-math-errno,-fno-trapping-math)
if(warnings_stop)
    list(APPEND FIRN_CUDA_OPTIONS -Werror all-warnings)
endif()
message(STATUS "CUDA: ${CUDAToolkit_VERSION}, architectures ${FIRN_CUDA_ARCHITECTURES}")

# FIRN_CUDA_FOLDER/NAME.o from SOURCE, and beside it NAME.log, what ptxas said.
function(firn_cuda_object name source)
    file(MAKE_DIRECTORY ${FIRN_CUDA_FOLDER})
    set(object ${FIRN_CUDA_FOLDER}/${name}.o)
    add_custom_command(OUTPUT ${object} ${FIRN_CUDA_FOLDER}/${name}.log
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/nvcc.sh ${FIRN_CUDA_FOLDER}/${name}.log ${FIRN_NVCC} ${FIRN_CUDA_OPTIONS}
            ${FIRN_CUDA_TARGETS} -Xptxas -v ${ARGN} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/nvcc.sh
        DEPFILE ${object}.d
        COMMENT "Compiling ${name} for CUDA"
        VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
endfunction()
