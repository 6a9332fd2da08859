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
        unsafe value(of: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The same for a name that is put together at run time.
    package func parameter(named name: String) -> String? {
        var name = name
        return name.withUTF8 { unsafe value(of: $0) }
    }

    /// What `FCGX_GetParam` finds, without a call for each parameter that is another one.
    private func value(of name: UnsafeBufferPointer<UInt8>) -> String? {
        var entry = unsafe environment
        while let text = unsafe entry.pointee {
            if let value = unsafe Self.rest(of: text, behind: name) { return unsafe String(cString: value) }
            unsafe entry += 1
        }
        return nil
    }

    /// What follows the name and the equals sign. An entry ends in a zero byte, which is in no name of ours: no byte
    /// behind it is looked at.
    private static func rest(
        of entry: UnsafeMutablePointer<CChar>, behind name: UnsafeBufferPointer<UInt8>
    ) -> UnsafeMutablePointer<CChar>? {
        for index in 0..<name.count {
            guard unsafe UInt8(bitPattern: entry[index]) == name[index] else { return nil }
        }
        guard unsafe entry[name.count] == CChar(bitPattern: UInt8(ascii: "=")) else { return nil }
        return unsafe entry + name.count + 1
    }
}
