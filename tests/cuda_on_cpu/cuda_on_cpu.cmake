# firn_cuda_on_cpu(<name> SOURCES <file.cu>... [INCLUDES <folder>...] [DEFINITIONS <word>...] [OPTIONS <nvcc option>...]
#                  [PARTS <n>])
#
# A library <name> that runs CUDA sources on the CPU: nvcc makes PTX and host objects as always, the PTX is translated into
# C++ (in PARTS files for each source, so that several cores can compile them), and a stand-in for the CUDA runtime runs it.
# An executable that links <name> must not link the real runtime. tests/cuda_on_cpu/control.h says what it can be asked.
# Needs FIRN_NVCC and Python 3.

function(firn_cuda_on_cpu name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PARTS" "SOURCES;INCLUDES;DEFINITIONS;OPTIONS")
    if(NOT arg_PARTS)
        set(arg_PARTS 2)
    endif()
    find_package(Python3 COMPONENTS Interpreter REQUIRED QUIET)
    set(tool ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
    set(flags -std=c++17 -O3 -gencode arch=compute_75,code=compute_75 ${arg_OPTIONS})
    foreach(folder ${arg_INCLUDES})
        list(APPEND flags -I${folder})
    endforeach()
    foreach(word ${arg_DEFINITIONS})
        list(APPEND flags -D${word})
    endforeach()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND flags -ccbin ${CMAKE_CXX_COMPILER})
    endif()
    math(EXPR last "${arg_PARTS} - 1")
    set(made "")
    foreach(source ${arg_SOURCES})
        get_filename_component(source ${source} ABSOLUTE)
        get_filename_component(base ${source} NAME_WE)
        set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/${base})
        # One run of nvcc for both, so that names which depend on the run are the same in the object and in the PTX.
        add_custom_command(
            OUTPUT ${folder}/${base}.o ${folder}/${base}.ptx
            COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
            COMMAND ${FIRN_NVCC} ${flags} --keep --keep-dir ${folder} -MD -MF ${folder}/${base}.d -MT ${folder}/${base}.o
                -c ${source} -o ${folder}/${base}.o
            DEPENDS ${source}
            DEPFILE ${folder}/${base}.d
            COMMENT "nvcc ${base}.cu for the CPU"
            VERBATIM)
        set(translated "")
        foreach(part RANGE ${last})
            list(APPEND translated ${folder}/${base}.${part}.cpp)
        endforeach()
        add_custom_command(
            OUTPUT ${translated}
            COMMAND ${Python3_EXECUTABLE} ${tool}/ptx_to_cpp.py ${folder}/${base}.ptx ${folder}/${base}
                ${arg_PARTS}
            DEPENDS ${folder}/${base}.ptx ${tool}/ptx_to_cpp.py
                ${tool}/ptx_parser.py ${tool}/ptx_instructions.py
            COMMENT "Translating the PTX of ${base}.cu"
            VERBATIM)
        set_source_files_properties(${folder}/${base}.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        list(APPEND made ${translated} ${folder}/${base}.o)
    endforeach()
    add_library(${name}_code STATIC ${made})
    set_target_properties(${name}_code PROPERTIES LINKER_LANGUAGE CXX)
    target_include_directories(${name}_code PRIVATE ${tool})
    target_link_libraries(${name}_code PRIVATE firn_cuda_on_cpu_code_options)
    # Kernels register themselves; nobody refers to them, so the linker must be told to keep them.
    add_library(${name} INTERFACE)
    add_dependencies(${name} ${name}_code)
    target_link_libraries(${name} INTERFACE
        -Wl,--whole-archive $<TARGET_FILE:${name}_code> -Wl,--no-whole-archive firn_cuda_on_cpu_runtime)
endfunction()
