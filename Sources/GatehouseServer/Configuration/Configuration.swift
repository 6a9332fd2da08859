package import AppleID
package import Gatehouse
package import GatehouseTokens

/// A configuration that has been found good as a whole.
package struct Configuration: Sendable {
    package let environment: AppEnvironment
    package let listen: ListenAddress
    package let database: DatabaseAddress
    package let workers: Int
    package let publicAddress: PublicAddressSetting
    package let logLevel: LogLevel

    package let accessKeys: KeyRing
    package let refreshKeys: KeyRing
    package let tokenIssuer: String
    package let tokenAudience: String
    package let policy: Policy

    package let apple: IdentityTokenPolicy
    package let appleKeysURL: String
    /// Nil where nothing is set that Apple's endpoints would know us by.
    package let appleServer: AppleServerSettings?
    package let vault: DataVault?

    /// What is allowed and yet probably not meant.
    package let warnings: [String]

    /// What it was made of, for comparing it with another one.
    let digests: SettingDigests
}
