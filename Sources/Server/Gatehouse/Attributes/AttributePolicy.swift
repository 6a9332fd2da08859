import Text

/// The rules for attributes of one installation.
package struct AttributePolicy: Sendable, Equatable {
    /// The names whose values are in access tokens and shown to users. With roles of the operator's own, `roles` is one of them.
    package let names: [String]
    /// The operator's own roles, which `roles` may contain. They have no order: a higher role does not include them.
    package let roles: [String]
    /// As nginx has them: headers do not distinguish cases.
    private let namesInHeaders: [UInt8]

    /// - Parameter listed: of `TOKEN_ATTRIBUTES`.
    package init(listed: [String] = [], roles: [String] = []) {
        names = listed + (roles.isEmpty || listed.contains(Self.roles) ? [] : [Self.roles])
        self.roles = roles
        namesInHeaders = Array(names.joined(separator: ",").lowercased().utf8)
    }

    package static let roles = "roles"
    package static let longest = 4096
    /// Of the part in a token, which each request of the user sends: web servers limit the size of a header.
    package static let longestInToken = 1024
    package static let longestName = 64
    /// A token contains the object once more, and the reader of tokens has a limit of its own.
    package static let deepest = 8

    /// `[A-Za-z][A-Za-z0-9_]*`, because the name is part of a header's.
    package static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.count <= longestName
            && text.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || byte == 0x5F
            }
    }

    /// The header in which a guarded service gets an attribute: `X-User-Attribute-Tenant-Id` for `tenant_id`. Headers do not
    /// distinguish cases, and some servers drop those with an underscore.
    package static func header(of name: some StringProtocol) -> String {
        "X-User-Attribute"
            + name.split(separator: "_", omittingEmptySubsequences: false)
            .map { "-" + $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Whether there is a header that nginx does not set, so that a client can.
    ///
    /// - Parameter list: the names that nginx's configuration has, in lower case, separated by commas; nil for none.
    fileprivate func hasOpenHeader(besides list: ArraySlice<UInt8>?) -> Bool {
        guard let list else { return true }
        guard !list.elementsEqual(namesInHeaders) else { return false }
        let comma = UInt8(ascii: ",")
        return !Set(namesInHeaders.split(separator: comma)).isSubset(of: list.split(separator: comma))
    }

    package func faults(of attributes: Attributes) -> [AttributeFault] {
        var faults: [AttributeFault] = []
        let size = attributes.json.utf8.count
        if size > Self.longest { faults.append(.tooLong(size)) }
        if attributes.depth > Self.deepest { faults.append(.tooDeep) }
        if attributes.hasHugeNumber { faults.append(.number) }
        let badNames = attributes.members.filter { !Self.isName($0.name) || $0.name.hasPrefix(Self.reserved) }
        if !badNames.isEmpty { faults.append(.name) }
        let inToken = attributes.only(names, atMost: .max).json.utf8.count
        if inToken > Self.longestInToken { faults.append(.tooLongForToken(inToken)) }
        if !roles.isEmpty, attributes[Self.roles] != nil {
            let given = attributes.texts(of: Self.roles)
            let areRoles = given?.allSatisfy { name in roles.contains { $0.isBytewise(name) } }
            if areRoles != true || Set(given ?? []).count != given?.count {
                faults.append(.roles)
            }
        }
        return faults
    }

    /// For what Gatehouse may keep itself.
    private static let reserved = "gatehouse"
}

package enum AttributeFault: Sendable, Equatable {
    case tooLong(Int)
    case tooDeep
    case number
    case name
    case tooLongForToken(Int)
    case roles

    /// The member that is wrong; nil for the object as a whole.
    package var member: String? { self == .roles ? AttributePolicy.roles : nil }

    /// Continues the name of the member.
    package var explanation: String {
        switch self {
        case .tooLong(let size):
            "must be at most \(AttributePolicy.longest) bytes of JSON without white space, and has \(size)"
        case .tooDeep: "must have at most \(AttributePolicy.deepest) objects and arrays within each other"
        case .number: "must have no number of 2^63 or more, which would be rounded: a text keeps it"
        case .name:
            """
            must have names of a letter and then letters, digits and _, at most \(AttributePolicy.longestName) in all, that do \
            not begin with gatehouse
            """
        case .tooLongForToken(let size):
            """
            must have at most \(AttributePolicy.longestInToken) bytes of JSON in the members that TOKEN_ATTRIBUTES lists, and \
            has \(size)
            """
        case .roles: "must be a list of names that ROLES has, each once"
        }
    }
}

// MARK: - Changes

/// A change of a user's attributes: they are replaced as a whole.
package struct AttributesChange: Sendable {
    package let user: UserID
    package let attributes: Attributes
    /// The versions that it may replace; nil for any. Two services that change what they have read would otherwise each undo the
    /// other's change.
    package let expected: [Int64]?
    /// Without its detail.
    package let entry: AuditEntry

    package init(
        of user: UserID, to attributes: Attributes, expecting expected: [Int64]?, recording entry: AuditEntry
    ) {
        (self.user, self.attributes, self.expected, self.entry) = (user, attributes, expected, entry)
    }

    /// The names of the members that change, for the audit trail.
    package func entry(changing former: Attributes) -> AuditEntry {
        var entry = entry
        let names = attributes.names(changedFrom: former)
        entry.detail = names.prefix(Self.mostNames).joined(separator: " ") + (names.count > Self.mostNames ? " …" : "")
        return entry
    }

    private static let mostNames = 8
}

package enum AttributesOutcome: Sendable, Equatable {
    /// The change was made, or the user has these attributes already: a request that is repeated because its answer was lost
    /// names the version before. With the user as the change has left them, whatever another service has changed since.
    case done(UserSummary)
    /// The user has this version.
    case conflict(Int64)
    case unknownUser
}

extension AuthService {
    /// The names of attributes that the user may see, with their values; nil if there are none in this installation.
    package func listedAttributes(of user: User) -> Attributes? {
        policy.attributes.names.isEmpty ? nil : user.attributes.only(policy.attributes.names)
    }

    /// Refuses guarded requests while nginx would pass on what clients send as the attributes of a user. Costs nothing without
    /// attributes in tokens.
    ///
    /// - Parameter list: the names in nginx's configuration.
    package func requireAttributeHeaders(_ list: @autoclosure () -> ArraySlice<UInt8>?) throws(Refusal) {
        guard !policy.attributes.names.isEmpty, policy.attributes.hasOpenHeader(besides: list()) else { return }
        throw .storageUnavailable(
            StoreFailure("nginx has not all names of TOKEN_ATTRIBUTES and ROLES: render its configuration with them"))
    }

    /// Replaces the attributes of a user, for a service.
    ///
    /// - Parameter expected: the versions that may be replaced; nil for any.
    package func setAttributes(
        of user: UserID, to attributes: Attributes, expecting expected: [Int64]?, in context: RequestContext
    ) throws(Refusal) -> UserSummary {
        let faults = policy.attributes.faults(of: attributes)
        guard faults.isEmpty else { throw .invalidAttributes(faults) }
        var entry = AuditEntry(.attributesChanged, at: platform.now(), by: .service, userID: user)
        entry.operatorName = context.service
        let outcome = try store.setAttributes(
            AttributesChange(of: user, to: attributes, expecting: expected, recording: entry))
        switch outcome {
        case .unknownUser: throw .unknownUser
        case .conflict(let version): throw .attributesConflict(version)
        case .done(let summary):
            // Also if this was a repetition: the first request may have been killed in between.
            try? revocations.catchUp()
            return summary
        }
    }
}

extension Administration {
    /// The attributes of a user, with their version.
    package func attributes(of user: UserID) throws(Refusal) -> (attributes: Attributes, version: Int64)? {
        try store.summaries(of: [user]).first.map { ($0.user.attributes, $0.attributesVersion) }
    }

    /// Replaces the attributes of a user.
    package func setAttributes(
        of user: UserID, to attributes: Attributes, expecting expected: Int64?
    ) throws(Refusal) -> AttributesOutcome {
        var entry = AuditEntry(.attributesChanged, at: now(), by: .operator, userID: user)
        entry.operatorName = operatorName
        let outcome = try store.setAttributes(
            AttributesChange(of: user, to: attributes, expecting: expected.map { [$0] }, recording: entry))
        store.incrementRevocationCounter()
        return outcome
    }
}
