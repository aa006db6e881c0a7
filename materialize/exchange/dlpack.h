/*
 * DLPack's structures, as its version 1 defines them. Declared here because distributions ship older headers; the names
 * are those of DLPack, so that either declaration can stand for the other at a link.
 *
 * Source: the DLPack specification, version 1.1 (structure layout, flags, type codes).
 */
#ifndef ZC_MATERIALIZE_EXCHANGE_DLPACK_H
#define ZC_MATERIALIZE_EXCHANGE_DLPACK_H

#include <stdint.h>

enum { ZC_DLPACK_MAJOR = 1, ZC_DLPACK_MINOR = 1 };

/* Device and type codes that zerocast knows. */
enum { ZC_DL_CPU = 1 };
enum { ZC_DL_INT = 0, ZC_DL_UINT = 1, ZC_DL_FLOAT = 2, ZC_DL_BFLOAT = 4, ZC_DL_COMPLEX = 5, ZC_DL_BOOL = 6 };

#define ZC_DL_FLAG_READ_ONLY UINT64_C(1)
#define ZC_DL_FLAG_IS_COPIED UINT64_C(2)

typedef struct {
    int32_t device_type;
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* elements; NULL: row-major */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif
