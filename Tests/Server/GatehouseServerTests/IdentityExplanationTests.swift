import Gatehouse
import GatehouseWeb
import Testing

@Suite("The details of refused credentials")
struct IdentityExplanationTests {
    private static let parts: [MalformedToken.Part] = [.header, .claims, .signature]

    private static let faults: [IdentityFault] =
        NonceFault.allCases.map(IdentityFault.nonce)
        + [
            .tooLong(limit: 8192), .notThreeParts, .encodedAgain, .unsupportedHeader(member: "crit"), .isNotification,
            .isNoNotification, .unusable(.header, member: "kid"), .unusable(.claims, member: "sub"),
            .duplicateMember(.claims, PlainName("sub")), .duplicateMember(.claims, nil),
        ].map(IdentityFault.malformed)
        + parts.flatMap { [.notBase64URL($0), .notJSON($0), .notAnObject($0)] }.map(IdentityFault.malformed)
        + IdentityFault.all.filter { ![.nonce, .malformed, .client].contains($0.reason) }
        + [.audience(PlainName("com.example.other"))]

    private static let acme = Provider(rawValue: "ACME") ?? .dev
    /// What Apple's tokens are not checked for.
    private static let otherFaults: [IdentityFault] = [
        .client(nil), .client(PlainName("other")), .accessToken, .claim("hd"), .twoUsers, .malformed(.otherType),
    ]

    @Test("every cause that Apple's tokens have has a sentence of its own")
    func distinct() {
        #expect(Set(Self.faults.map { $0.explanation(by: .apple) }).count == Self.faults.count)
    }

    @Test("every other cause has a sentence of its own, which names the provider or the token")
    func distinctOfProviders() {
        let faults = Self.faults.filter { $0.reason != .nonce } + Self.otherFaults
        let texts = faults.map { $0.explanation(by: Self.acme) }
        #expect(Set(texts).count == faults.count)
        #expect(!texts.contains { $0.contains("Apple") })
    }

    @Test(
        "each names the fault and then the remedy, in one line that a terminal can show",
        arguments: faults + otherFaults, [Provider.apple, acme])
    func form(fault: IdentityFault, provider: Provider) {
        let text = fault.explanation(by: provider)
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
        #expect(text.hasSuffix(".") && text.count < 300, "\(text)")
        #expect(text.contains(". ") || text.contains("; "), "\(text)")
    }
}
