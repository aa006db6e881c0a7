# What `cmake --install` puts where: header, libraries, command, zerocast.pc and the CMake package zerocast::zerocast.
