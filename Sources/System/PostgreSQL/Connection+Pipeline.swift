internal import CPostgreSQL
internal import POSIX
import SQL

extension Connection {
    func enterPipeline() {
        if unsafe PQenterPipelineMode(handle.pointer) != 1 { isGivenUp = true }
    }

    func enqueue(_ sql: String, _ values: [Value]) throws(PostgreSQLError) {
        if pipeline.requests.isEmpty { try limitLockTime() }
        try parameters.fill(values)
        try enqueue(sql, as: execution)
    }

    func enqueue(_ sql: String, _ parameters: [Parameter]) throws(PostgreSQLError) {
        if pipeline.requests.isEmpty { try limitLockTime() }
        try self.parameters.fill(parameters)
        try enqueue(sql, as: execution)
    }

    func enqueue(
        _ sql: String, _ parameters: [Parameter],
        reading read: @escaping (borrowing any SQLRow & ~Copyable) throws -> Void
    ) throws(PostgreSQLError) {
        if pipeline.requests.isEmpty { try limitLockTime() }
        try self.parameters.fill(parameters)
        try enqueue(sql) { .query($0, read: read) }
    }

    /// Shortens `lock_timeout` if the deadline comes sooner: then the server's error arrives first, and the connection stays
    /// usable.
    func limitLockTime() throws(PostgreSQLError) {
        guard let left = deadline?.millisecondsLeft, left < options.lockTimeout.wholeMilliseconds else { return }
        try parameters.fill([Value.text(String(max(1, left * 9 / 10)))])
        try enqueue("SELECT set_config('lock_timeout', ?, TRUE)", as: execution)
    }

    private func execution(of statement: PreparedStatement) -> Pipeline.Request {
        .execute(statement, commits: !isInTransaction)
    }

    /// Queues a statement with the parameters of the buffer, and in front of it the request to prepare it.
    private func enqueue(
        _ sql: String, as request: (PreparedStatement) -> Pipeline.Request
    ) throws(PostgreSQLError) {
        let statement = statements.statement(sql)
        precondition(statement.parameters == parameters.count, "the statement needs one value for each parameter")
        try queue(statement, as: request(statement))
    }

    func queue(_ statement: PreparedStatement, as request: Pipeline.Request) throws(PostgreSQLError) {
        guard isUsable else { throw .closed }
        if isPooled { return try queueUnnamed(statement, as: request) }
        if !statement.isPrepared {
            guard unsafe PQsendPrepare(handle.pointer, statement.name, statement.text, 0, nil) == 1 else {
                throw giveUp(.lost, at: 0)
            }
            statement.isPrepared = true
            pipeline.append(.prepare(statement))
        }
        let isQueued = unsafe PQsendQueryPrepared(
            handle.pointer, statement.name, Int32(parameters.count), parameters.pointers, parameters.lengths,
            parameters.formats, 1)
        pipeline.append(request)
        if isQueued != 1 { throw giveUp(.lost, at: 0) }
    }

    /// The session that prepares a statement need not be the one that executes it later.
    private func queueUnnamed(_ statement: PreparedStatement, as request: Pipeline.Request) throws(PostgreSQLError) {
        let isQueued = unsafe PQsendQueryParams(
            handle.pointer, statement.text, Int32(parameters.count), nil, parameters.pointers, parameters.lengths,
            parameters.formats, 1)
        pipeline.append(request)
        if isQueued != 1 { throw giveUp(.lost, at: 0) }
    }

    /// How much longer to wait for an error that the server sends just before the deadline.
    private static let grace = Duration.milliseconds(200)

    /// Sends what is queued, reads all answers, and returns that of the last statement. If one failed, the first error
    /// is thrown after the rest was read, and the connection is usable.
    func exchange() throws(PostgreSQLError) -> QueryResult {
        guard isUsable else { throw .closed }
        guard unsafe PQpipelineSync(handle.pointer) == 1 else { throw giveUp(.lost, at: 0) }
        pipeline.append(.sync)
        var reader = AnswerReader(timeout: answerTimeout, end: deadline.map { $0 + Self.grace })
        var index = 0
        do throws(PostgreSQLError) {
            while index < pipeline.requests.count {
                try reader.read(pipeline.requests[index], on: handle)
                index += 1
            }
            // Without this call, libpq would regard the pipeline as unfinished.
            guard unsafe PQgetResult(handle.pointer) == nil else { throw .unexpected }
        } catch {
            let isCommitted = reader.failure == nil && pipeline.hasAnsweredCommit(before: index)
            let error = giveUp(error, at: index, mayHaveCommitted: reader.failure == nil)
            if reader.hasChanges { hasChanged = true }
            // The session has ended after it: only the connection is lost, and nothing may be repeated.
            guard isCommitted, let last = reader.takeLast() else { throw error }
            return last
        }
        return try finish(reader)
    }

    private func finish(_ reader: consuming AnswerReader) throws(PostgreSQLError) -> QueryResult {
        pipeline.removeAll()
        isInTransaction = unsafe PQtransactionStatus(handle.pointer) != PQTRANS_IDLE
        if reader.hasChanges { hasChanged = true }
        if let failure = reader.failure {
            // The server does not know a statement, or has prepared it for an earlier schema.
            if ["26000", "0A000"].contains(failure.sqlState) { statements.forgetAll() }
            // A server that became a standby.
            if failure.isConnectionLost { isGivenUp = true }
            throw failure
        }
        guard let last = reader.takeLast() else { throw .unexpected }
        return last
    }

    /// Marks the connection as unusable. Nothing waits for the peer any more.
    func giveUp(_ error: PostgreSQLError, at index: Int, mayHaveCommitted: Bool = true) -> PostgreSQLError {
        var error = error
        // The server ended the session with an error at a statement before the commit, so it did not execute the commit.
        let isTold = !error.sqlState.isEmpty && !pipeline.isCommit(at: index)
        if mayHaveCommitted, !isTold, pipeline.hasCommit(from: index) { error.isOutcomeUnknown = true }
        isGivenUp = true
        isInTransaction = false
        pipeline.removeAll()
        handle.disconnect()
        return error
    }
}

/// Reads the answers to a pipeline: keeps the last statement's result, and the first error.
struct AnswerReader: ~Copyable {
    private(set) var failure: PostgreSQLError?
    private(set) var hasChanges = false
    private var last: QueryResult?
    private let timeout: Duration
    private let end: MonotonicTime?

    /// - Parameters:
    ///   - timeout: for each part of the answers.
    ///   - end: for all of them.
    init(timeout: Duration, end: MonotonicTime?) {
        (self.timeout, self.end) = (timeout, end)
    }

    /// Throws only if the connection cannot be used further.
    mutating func read(_ request: Pipeline.Request, on handle: Handle) throws(PostgreSQLError) {
        switch request {
        case .sync: try readSync(on: handle)
        case .prepare(let statement): try read(statement, isPreparation: true, on: handle)
        case .execute(let statement, _), .commit(let statement): try read(statement, on: handle)
        case .query(let statement, let readRow):
            last = nil
            try read(statement, on: handle)
            if let result = last.take() { note { try result.forEach(readRow) } }
        }
    }

    private mutating func note(_ work: () throws -> Void) {
        do { try work() } catch { failure = failure ?? PostgreSQLError(error) }
    }

    private mutating func read(
        _ statement: PreparedStatement, isPreparation: Bool = false, on handle: Handle
    ) throws(PostgreSQLError) {
        guard let result = try next(on: handle) else { throw .lost }
        guard try next(on: handle) == nil else { throw .unexpected }
        if result.isSkipped {
            if isPreparation { statement.isPrepared = false }
        } else if let error = result.failure {
            try note(error)
            if isPreparation { statement.isPrepared = false }
        } else {
            if result.isChange { hasChanges = true }
            last = consume result
        }
    }

    /// The commit of statements outside of a transaction happens here, and can fail.
    private mutating func readSync(on handle: Handle) throws(PostgreSQLError) {
        for _ in 0..<4 {
            guard let result = try next(on: handle) else { continue }
            if result.isSync { return }
            guard let error = result.failure else { throw .unexpected }
            try note(error)
        }
        throw .unexpected
    }

    private mutating func note(_ error: PostgreSQLError) throws(PostgreSQLError) {
        if error.isSessionEnd { throw error }
        failure = failure ?? error
    }

    private func next(on handle: Handle) throws(PostgreSQLError) -> QueryResult? {
        try handle.nextResult(within: timeout, until: end)
    }

    consuming func takeLast() -> QueryResult? { last }
}
