extension Gatekeeper {
    /// Who sent this access token, where the role it names is at least the demanded one.
    ///
    /// - Parameter demand: the name of a role, as an operator wrote it; nil where anybody will do.
    package func authenticate(
        _ accessToken: ArraySlice<UInt8>?, atLeast demand: String?
    ) throws(Refusal) -> Caller {
        guard let demand else { return try authenticate(accessToken) }
        let least = try role(demanded: demand)
        let caller = try authenticate(accessToken)
        guard caller.role >= least else { throw .insufficientRole }
        return caller
    }

    /// What is misspelt was meant to keep somebody out, and nobody knows whom: so everybody.
    private func role(demanded name: String) throws(Refusal) -> Role {
        guard let role = Role(rawValue: name) else {
            notice(.unknownRoleDemanded(name))
            throw .insufficientRole
        }
        return role
    }
}
