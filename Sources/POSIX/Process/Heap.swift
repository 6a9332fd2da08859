import CLinux
import Glibc

/// The C library's heap.
package enum Heap {
    /// Has all threads share so many arenas, instead of eight for each processor: what one has freed another one can use.
    /// To be called before there are threads.
    package static func shareArenas(_ count: Int) {
        mallopt(Int32(M_ARENA_MAX), Int32(clamping: count))
    }
}
