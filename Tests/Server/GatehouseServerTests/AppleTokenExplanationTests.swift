import Gatehouse
import GatehouseWeb
import Testing

@Suite("The details of refused Apple tokens")
struct AppleTokenExplanationTests {
    private static let parts: [MalformedToken.Part] = [.header, .claims, .signature]

    private static let faults: [IdentityFault] =
        NonceFault.allCases.map(IdentityFault.nonce)
        + [
            .tooLong(limit: 8192), .notThreeParts, .encodedAgain, .unsupportedHeader(member: "crit"), .isNotification,
            .isNoNotification, .unusable(.header, member: "kid"), .unusable(.claims, member: "sub"),
            .duplicateMember(.claims, PlainName("sub")), .duplicateMember(.claims, nil),
        ].map(IdentityFault.malformed)
        + parts.flatMap { [.notBase64URL($0), .notJSON($0), .notAnObject($0)] }.map(IdentityFault.malformed)
        + IdentityFault.all.filter { $0.reason != .nonce && $0.reason != .malformed }
        + [.audience(PlainName("com.example.other"))]

    @Test("every cause has a sentence of its own")
    func distinct() {
        #expect(Set(Self.faults.map(\.explanation)).count == Self.faults.count)
    }

    @Test("each names the fault and then the remedy, in one line that a terminal can show", arguments: faults)
    func form(fault: IdentityFault) {
        let text = fault.explanation
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
        #expect(text.hasSuffix(".") && text.count < 300, "\(text)")
        #expect(text.contains(". ") || text.contains("; "), "\(text)")
    }
}
