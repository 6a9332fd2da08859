import Text

/// The address of a request in a proof (`htu`), normalised so that two spellings of one address are equal (RFC 3986,
/// sections 6.2.2 and 6.2.3). Query and fragment are not part of it.
package struct ProofURL: Sendable, Equatable {
    package struct Origin: Sendable, Equatable {
        let scheme: String
        /// With the port, unless it is the scheme's default.
        let authority: String

        /// Equal to none that a proof can have.
        package static let unknown = Origin(known: "", authority: "")

        private init(known scheme: String, authority: String) {
            (self.scheme, self.authority) = (scheme, authority)
        }

        /// Nil for a text that is no origin of http or https.
        package init?(_ text: String) {
            guard let url = ProofURL(text), url.path == [UInt8(ascii: "/")] else { return nil }
            self = url.origin
        }

        fileprivate init?(scheme: String, authority: String) {
            let port: String
            switch scheme {
            case "https": port = ":443"
            case "http": port = ":80"
            default: return nil
            }
            guard !authority.isEmpty, !authority.contains("@") else { return nil }
            self.scheme = scheme
            self.authority =
                if authority.hasSuffix(port) { String(authority.dropLast(port.count)) } else { authority }
        }
    }

    package let origin: Origin
    /// As bytes: texts that only look alike must differ.
    private let path: [UInt8]

    package init(_ origin: Origin, path: String) {
        self.origin = origin
        self.path = Self.normalised(path.utf8)
    }

    /// Nil for a text that is no absolute URL of http or https.
    package init?(_ text: String) {
        let text = text.utf8
        let schemeEnd = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let rest = text[schemeEnd...]
        guard rest.starts(with: "://".utf8) else { return nil }
        let authority = rest.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        let path = text[authority.endIndex...].prefix { !"?#".utf8.contains($0) }
        guard
            let origin = Origin(
                scheme: String(decoding: text[..<schemeEnd], as: UTF8.self).lowercased(),
                authority: String(decoding: authority, as: UTF8.self).lowercased())
        else { return nil }
        self.origin = origin
        self.path = Self.normalised(path)
    }

    /// The same address at another origin.
    package func at(_ origin: Origin) -> ProofURL { ProofURL(origin, normalised: path) }

    private init(_ origin: Origin, normalised path: [UInt8]) {
        (self.origin, self.path) = (origin, path)
    }

    /// Differs from every URL that a proof can have.
    package static let unreadable = ProofURL(.unknown, normalised: [])

    /// Decodes what needs no encoding, and writes the rest in upper case. A path without segments is `/`.
    private static func normalised(_ path: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(path)
        guard !bytes.isEmpty else { return [UInt8(ascii: "/")] }
        var (result, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexadecimalDigit, let low = bytes[index + 2].hexadecimalDigit
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            if byte.isUnreserved { result.append(byte) } else { PercentEncoding.append(byte, to: &result) }
            index += 3
        }
        return result
    }
}
