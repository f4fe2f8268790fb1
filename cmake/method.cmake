# firn_method(TARGET NAME CLASS HEADER): adds a method to a target, for every device that is built. HEADER defines
# firn::FIRN_LANES::CLASS, derived from MethodStep (solver/particles/method_step.h); the target gets
# `MethodMakers firn::NAME_makers()` from it, and brings the method's tables itself. HEADER is a path below solver/, or a
# whole one. FIRN_NAME_CUDA_SOURCE, in the cache, is what nvcc compiles.
function(firn_method target name class header)
    set(FIRN_METHOD ${name})
    set(FIRN_CLASS ${class})
    set(FIRN_HEADER ${header})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/methods)
    set(widths 1)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        list(APPEND widths 4 8)
    endif()
    set(FIRN_DECLARATIONS "")
    set(FIRN_MAKERS "")
    foreach(FIRN_WIDTH 1 4 8)
        if(NOT FIRN_WIDTH IN_LIST widths)
            list(APPEND FIRN_MAKERS nullptr)
            continue()
        endif()
        string(APPEND FIRN_DECLARATIONS
            "namespace lanes${FIRN_WIDTH} {\nstd::unique_ptr<MethodDevice> make_${name}(int threads);\n}\n")
        list(APPEND FIRN_MAKERS lanes${FIRN_WIDTH}::make_${name})
        set(source ${folder}/${name}_lanes${FIRN_WIDTH}.cpp)
        configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/method/lanes.cpp.in ${source} @ONLY)
        target_sources(${target} PRIVATE ${source})
        # Eight lanes: this one file may use AVX2 and FMA. It is entered only after the processor was asked at run time,
        # and must not define inline functions that other files share: the linker keeps one copy of each and could keep
        # the AVX2 one (tests/isa_symbols.sh watches that).
        if(FIRN_WIDTH EQUAL 8)
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma" SKIP_PRECOMPILE_HEADERS ON)
        endif()
    endforeach()
    if(FIRN_NVCC)
        string(APPEND FIRN_DECLARATIONS "namespace cuda {\nstd::unique_ptr<MethodDevice> make_${name}(int device);\n}\n")
        list(APPEND FIRN_MAKERS cuda::make_${name})
        configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/method/cuda.cu.in ${folder}/cuda_${name}.cu @ONLY)
        firn_cuda_object(cuda_${name} ${folder}/cuda_${name}.cu
            -I${PROJECT_SOURCE_DIR}/solver -I${PROJECT_SOURCE_DIR}/solver/include)
        target_sources(${target} PRIVATE ${FIRN_CUDA_FOLDER}/cuda_${name}.o)
        set(FIRN_${name}_CUDA_SOURCE ${folder}/cuda_${name}.cu CACHE INTERNAL "")
    else()
        list(APPEND FIRN_MAKERS nullptr)
    endif()
    list(JOIN FIRN_MAKERS ", " FIRN_MAKERS)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/method/makers.cpp.in ${folder}/${name}_makers.cpp @ONLY)
    target_sources(${target} PRIVATE ${folder}/${name}_makers.cpp)
endfunction()
