/// The signature algorithms of RFC 7518 and RFC 8037 that are spoken here. `none` is not among them.
///
/// The cases are spelled as the RFCs spell them, capitals and all, because that spelling is what is compared.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum Algorithm: String, Sendable, CaseIterable {
    case HS256
    case RS256
    case ES256
    case EdDSA
}
