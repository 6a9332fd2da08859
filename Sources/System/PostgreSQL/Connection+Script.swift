internal import CPostgreSQL
internal import POSIX

extension Connection {
    /// Executes a script of statements without parameters, such as a migration. Outside of a transaction the script is
    /// one. `timeout` bounds the time to each answer; the server's `statement_timeout` still applies.
    package func execute(script: String, timeout: Duration? = nil) throws(PostgreSQLError) {
        let limit = timeout ?? answerTimeout
        try outsidePipeline { () throws(PostgreSQLError) in _ = try handle.execute(script, within: limit) }
    }

    /// Runs `body` outside of libpq's pipeline mode, in which it refuses scripts and COPY.
    func outsidePipeline(_ body: () throws(PostgreSQLError) -> Void) throws(PostgreSQLError) {
        if !pipeline.requests.isEmpty { _ = try exchange() }
        guard isUsable else { throw .closed }
        guard unsafe PQexitPipelineMode(handle.pointer) == 1 else { throw giveUp(.unexpected, at: 0) }
        let mayCommit = !isInTransaction
        var failure: PostgreSQLError?
        do throws(PostgreSQLError) { try body() } catch { failure = error }
        if var failure, failure.isSessionEnd || !isUsable {
            if failure.isSessionEnd, failure.sqlState.isEmpty { failure.isOutcomeUnknown = mayCommit }
            throw giveUp(failure, at: 0)
        }
        isInTransaction = unsafe PQtransactionStatus(handle.pointer) != PQTRANS_IDLE
        enterPipeline()
        if let failure { throw failure }
    }
}
