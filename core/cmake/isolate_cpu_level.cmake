# Links the objects of one x86-64 level into one object in which every symbol is local but the level's own. Run by
# bascule_add_cpu_level_objects() as a script:
#   cmake -DLD=... -DOBJCOPY=... -DREADELF=... -DNAMESPACE=x86_64_v4 -DOBJECTS=a.o;b.o -DOUTPUT=x.o -DCHECK_CONSTRUCTORS=ON -P ...
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_policy(SET CMP0054 NEW)

# --force-group-allocation dissolves COMDAT groups: the final link would otherwise merge a group with its namesake of
# another level, however local its symbols are.
execute_process(COMMAND "${LD}" -r --force-group-allocation -o "${OUTPUT}.all" ${OBJECTS} COMMAND_ERROR_IS_FATAL ANY)

# A global constructor would run when the library is loaded, on machines too that cannot execute this level's code.
if(CHECK_CONSTRUCTORS)
  execute_process(COMMAND "${READELF}" -S -W "${OUTPUT}.all" OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "\\.(init_array|ctors)")
    file(REMOVE "${OUTPUT}.all")
    message(FATAL_ERROR "A *_cpu.cpp file has a global object with a constructor (or includes <iostream>). It would run at "
      "load time as ${NAMESPACE} code, on every machine. Make it constexpr, or a static inside a function. Objects: "
      "${OBJECTS}")
  endif()
endif()

string(LENGTH "${NAMESPACE}" length)
execute_process(COMMAND "${OBJCOPY}" --wildcard
    "--keep-global-symbol=_ZN7bascule7kernels${length}${NAMESPACE}*"
    "--keep-global-symbol=_ZNK7bascule7kernels${length}${NAMESPACE}*"
    "--keep-global-symbol=_ZN7bascule4simt${length}${NAMESPACE}*"
    "--keep-global-symbol=*_${NAMESPACE}"
    "${OUTPUT}.all" "${OUTPUT}"
  COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${OUTPUT}.all")
