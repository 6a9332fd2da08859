import Gatehouse

/// Challenges that are their own verifiers, and proofs that nothing opens.
protocol PlainAuthorizations: WebSignInSecrets {}

extension PlainAuthorizations {
    func text(of random: [UInt8]) -> String { random.map { "\($0)" }.joined(separator: "-") }
    func isCodeVerifier(_ verifier: String, of challenge: String) -> Bool { verifier == challenge }
    func seal(_ proof: WebProof, withCode code: String) -> [UInt8] { [] }
    func open(_ sealed: [UInt8], withCode code: String) -> WebProof? { nil }
}
