import Glibc

/// A value that each thread has for itself, from its first look on and until it ends.
///
/// `@unchecked Sendable`: the key is never written after `init`, and what stands behind it is another value for each
/// thread, which no other thread can reach.
@safe
package final class ThreadLocal<Value>: @unchecked Sendable {
    private final class Box {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let key: pthread_key_t
    private let initial: @Sendable () -> Value

    package init(_ initial: @escaping @autoclosure @Sendable () -> Value) {
        var key = pthread_key_t()
        let failure = unsafe pthread_key_create(&key) { box in
            if let box = unsafe box { unsafe Unmanaged<AnyObject>.fromOpaque(box).release() }
        }
        precondition(failure == 0, "there are keys for more than a thousand of these")
        self.key = key
        self.initial = initial
    }

    deinit {
        pthread_key_delete(key)
    }

    /// The calling thread's own. `body` must not look at the same one again.
    package func with<Result>(_ body: (inout Value) -> Result) -> Result {
        body(&box.value)
    }

    private var box: Box {
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<Box>.fromOpaque(known).takeUnretainedValue()
        }
        let box = Box(initial())
        unsafe pthread_setspecific(key, Unmanaged.passRetained(box).toOpaque())
        return box
    }
}
