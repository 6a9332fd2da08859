package import JSON

/// How one of Apple's endpoints is to misbehave.
package struct FaultOrder: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Does what is asked, and says so late.
        case delay
        /// Takes the request, and says nothing.
        case hang
        case status
        /// 200 with what is no JSON.
        case garbage
        /// 200 with nothing.
        case empty
        /// 200 with a megabyte.
        case huge
        /// To the same address, which is what nobody may follow.
        case redirect
        /// Hangs up.
        case close
    }

    package static let paths = ["/auth/keys", "/auth/token", "/auth/revoke"]
    /// Longer than anybody waits.
    private static let longest: Int64 = 3600

    /// Nil for all of them.
    package var path: String?
    package var kind: Kind
    package var seconds: Int64 = 3
    package var status: Int64 = 500
    /// What stands in `error`, in one word of Apple's.
    package var error = "server_error"
    /// Nil until it is taken back.
    package var times: Int64?

    package init(_ kind: Kind, path: String? = nil, times: Int64? = nil) {
        self.kind = kind
        self.path = path
        self.times = times
    }

    /// Reads the body of `POST /faults`. Members that mean nothing are refused, so that a slip of the pen shows.
    package init(_ json: JSONObject) throws(MintFault) {
        guard let kind = json["fault"]?.string.flatMap(Kind.init(rawValue:)) else { throw Self.fault("fault") }
        self.init(kind)
        for (name, value) in json.members {
            switch (name, value, value.integer) {
            case ("fault", _, _): break
            case ("path", .string(let text), _) where Self.paths.contains(text): path = text
            case ("error", .string(let text), _): error = text
            case ("seconds", _, let number?) where (0...Self.longest).contains(number): seconds = number
            case ("status", _, let number?) where (200...599).contains(number): status = number
            case ("times", _, let number?) where number > 0: times = number
            default: throw Self.fault(name)
            }
        }
    }

    private static func fault(_ name: String) -> MintFault {
        MintFault(
            name: name,
            known: "needed is fault (\(Kind.allCases.map(\.rawValue).joined(separator: ", "))); known are path "
                + "(\(paths.joined(separator: ", "))), seconds (0 to \(longest)), status (200 to 599), error, "
                + "times (1 or more)")
    }
}
