/*
 * Graphs as bytes, so that another process can go on with them.
 *
 * What is written are words of 64 bits in the machine's own byte order:
 *
 *   ZC_SERIAL_MAGIC, ZC_SERIAL_VERSION, how many nodes, inputs and results
 *   of each node, operands before those that use them, two words,
 *     kind | op << 8 | dtype << 16 | is_weak << 24 | is_explicit_copy << 25 | is_constant << 26 | operands << 32,
 *     rank | rank of the domain << 8
 *     then its shape, its attributes (graph/attributes.h), and of each operand its number, offset and strides
 *   of each result its node's number, its rank, shape, offset and strides
 *
 * A node is written as the box that is demanded of it (demand.h), as if there were no more; equal nodes are written
 * once. A node whose elements are in memory is written as a leaf: its shape is how many of them are used, its attribute
 * which input they are. Axes along which it does not change are written as broadcast ones, since a leaf knows nothing
 * of them: so what uses it keeps its bits.
 */
#ifndef ZC_RUNTIME_SERIALIZE_SERIALIZE_H
#define ZC_RUNTIME_SERIALIZE_SERIALIZE_H

#include "runtime/graph/attributes.h"
#include "runtime/graph/tensor.h"

#define ZC_SERIAL_MAGIC INT64_C(0x3168706172677a63) /* "czgraph1" */

enum { ZC_SERIAL_VERSION = 1, ZC_SERIAL_HEAD = 5, ZC_SERIAL_NODE = 2 };

#endif
