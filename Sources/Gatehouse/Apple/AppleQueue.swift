/// Where what is still to be asked of Apple waits.
package protocol AppleQueue: Sendable {
    /// Takes the first task that is due, for as long as its next attempt is away: should this process end before the task
    /// does, somebody takes it again.
    func takeAppleTask(now: Timestamp) throws(StoreFailure) -> AppleTask?

    /// Has asked, and is not to be asked again.
    func finish(_ task: AppleTask) throws(StoreFailure)

    /// Keeps what Apple has given for a code, and finishes the task. Where the user is not there any more, or has no
    /// account of Apple's, what Apple has given is to be revoked instead, unless it is somebody else's.
    func finish(
        _ exchange: AppleTask, with sealedToken: [UInt8], of subject: String, now: Timestamp
    ) throws(StoreFailure)

    /// How much is waiting.
    func appleTasks() throws(StoreFailure) -> Int
}
