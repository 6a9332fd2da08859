import GatehouseServer

extension ServerQuery {
    /// How long commands wait for an answer of the running server.
    enum Patience {
        /// `gatehouse health` ends after three seconds: half a second is left for the start of its process.
        static let health = Duration.milliseconds(2500)
        /// Metrics wait for no store.
        static let metrics = Duration.seconds(3)
        /// Longer than the server takes to notice that its store hangs.
        static let readiness = Duration.seconds(15)
    }
}
