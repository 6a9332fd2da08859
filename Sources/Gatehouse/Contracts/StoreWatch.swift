/// How a store fares, for whoever watches over it.
package protocol StoreWatch: Sendable {
    /// Asked every few seconds, and cheap enough for that. It does not fail: what cannot be told is nil.
    func vitals() -> StoreVitals
}
