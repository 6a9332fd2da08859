package import AppleID

/// How Apple's endpoints for developers are reached.
package struct AppleServerSettings: Sendable {
    package let addresses: AppleAddresses
    package let secrets: ClientSecrets
}
