import CFastCGI

/// One request, as long as its handler runs: it cannot be kept, because libfcgi frees the parameters afterwards.
@safe
package struct Request: ~Copyable {
    private let environment: FCGX_ParamArray

    package let body: [UInt8]
    /// The peer sent, or announced, more than `Limits.body`. `body` is empty then, and the connection ends after the answer.
    package let bodyIsTooLarge: Bool

    init(environment: FCGX_ParamArray, body: [UInt8], bodyIsTooLarge: Bool) {
        unsafe self.environment = unsafe environment
        self.body = body
        self.bodyIsTooLarge = bodyIsTooLarge
    }

    /// The parameter of that name; of several, the first, which is the one that the front's configuration set.
    package func parameter(_ name: StaticString) -> String? {
        // A static string ends in a zero byte, as C wants it.
        unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) { name in
            unsafe value(FCGX_GetParam(name, environment))
        }
    }

    /// The same for a name that is put together at run time.
    package func parameter(named name: String) -> String? {
        unsafe value(FCGX_GetParam(name, environment))
    }

    private func value(_ found: UnsafeMutablePointer<CChar>?) -> String? {
        guard let found = unsafe found else { return nil }
        return unsafe String(cString: found)
    }
}
