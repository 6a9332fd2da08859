/// What a server answered to one request, and the certificate that it showed before, as far as it came.
package struct HTTPInspection: Sendable {
    package let outcome: Result<HTTPAnswer, HTTPFault>
    /// In PEM; nil without TLS.
    package let certificate: String?
}
