package import Gatehouse

/// Hashes of identities that are readable in tests.
package struct PlainHashes: IdentityHasher {
    package init() {}

    package func hashes(of name: String, by provider: Provider) -> [[UInt8]] {
        [Array("\(provider.rawValue) \(name)".utf8)]
    }
}
