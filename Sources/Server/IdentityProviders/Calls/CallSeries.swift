import Curl
import POSIX

/// The calls of one login. They share one time limit: each gets what the calls before it have left.
struct CallSeries {
    let apiURL: String
    let deadline: MonotonicTime
    let now: @Sendable () -> MonotonicTime
    let get: ProviderCalls.Get

    /// - Parameter path: with its leading slash. Faults name it instead of the address, whose query has secrets.
    func get(_ path: String, _ query: [(String, String)]) throws(CallFault) -> LenientAnswer {
        let left = deadline.milliseconds - now().milliseconds
        // libcurl takes a timeout of zero for none.
        guard left > 0 else { throw .unavailable("\(path): no time is left") }
        let response = try send(path, query, within: .milliseconds(left))
        guard response.status == 200 else { throw .unavailable("\(path): status \(response.status)") }
        guard let answer = LenientAnswer(response.body) else { throw .unreadable(path) }
        return answer
    }

    private func send(
        _ path: String, _ query: [(String, String)], within timeout: Duration
    ) throws(CallFault) -> HTTPResponse {
        do throws(HTTPFault) {
            return try BlockingSection.run { () throws(HTTPFault) in try get(apiURL + path, query, timeout) }
        } catch {
            throw .unavailable("\(path): \(error)")
        }
    }
}
