/// The supported signature algorithms of RFC 7518 and RFC 8037. `none` is not supported.
///
/// The cases have the exact names of the RFCs, which are compared with `alg`.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum Algorithm: String, Sendable, CaseIterable {
    case HS256
    case RS256
    case ES256
    case EdDSA
}
