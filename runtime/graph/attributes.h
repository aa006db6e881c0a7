/* Attributes of some kinds of nodes beside operation, dtype, shape and operands, as words: two nodes that agree in all
 * of them are the same function of their operands. */
#ifndef ZC_RUNTIME_GRAPH_ATTRIBUTES_H
#define ZC_RUNTIME_GRAPH_ATTRIBUTES_H

#include "runtime/graph/node.h"

typedef struct zc_words {
    const void *at; /* [count] of 64 bits each */
    int count;
} zc_words;

enum { ZC_MOST_ATTRIBUTES = 4 };

/* Lists a node's attributes and returns the number of lists; the words are the node's own. */
int zc_node_attributes(const zc_node *node, zc_words out[ZC_MOST_ATTRIBUTES]);

#endif
