// Counts allocations: preloaded with LD_PRELOAD, it replaces malloc, calloc, realloc and the like. A realloc counts,
// because it may move the block; a free does not.

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// glibc's own functions under other names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uint64_t allocations;

static void note(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

uint64_t gatehouse_benchmark_allocations(void) {
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *found = memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *block = found;
    return 0;
}
