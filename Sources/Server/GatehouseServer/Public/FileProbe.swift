import Curl

/// The answer to a request for a file that a server of another party reads, such as Apple's.
package enum FileProbe: Sendable, Equatable {
    case answered(status: Int, type: String?, body: [UInt8])
    case unreachable(String)
}

extension FileProbe {
    /// Apple's servers take no longer file.
    private static let largestFile = 131_072

    /// By the names of DNS, verifying the certificate, and without following a redirect.
    ///
    /// - Parameter authorities: a file of trusted certificates that replaces the system's.
    package init(asking url: String, authorities: String? = nil) {
        do throws(HTTPFault) {
            let answer = try HTTPClient(largestBody: Self.largestFile, authorities: authorities).get(url)
            self = .answered(status: answer.status, type: answer.contentType, body: answer.body)
        } catch { self = .unreachable(error.cause) }
    }
}
