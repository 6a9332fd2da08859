import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    package static func variables() -> [String: String] {
        var result: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
            unsafe entry += 1
        }
        return result
    }

    /// For libraries, which read the environment themselves. Must be called while the process has one thread.
    package static func set(_ name: String, to value: String) {
        unsafe setenv(name, value, 1)
    }
}
