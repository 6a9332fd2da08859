import Curl
import POSIX

/// The calls of one login. They share one time limit: each gets what the calls before it have left.
struct CallSeries {
    let apiURL: String
    let deadline: MonotonicTime
    let now: @Sendable () -> MonotonicTime
    let get: ProviderCalls.Get
    let post: ProviderCalls.Post

    /// - Parameter path: with its leading slash. Faults name it instead of the address, whose query has secrets.
    func get(_ path: String, _ query: [(String, String)]) throws(CallFault) -> LenientAnswer {
        let (url, timeout) = (apiURL + path, try timeLeft(for: path))
        let response = try sending(path) { () throws(HTTPFault) in try get(url, query, timeout) }
        guard response.status == 200 else { throw .unavailable("\(path): status \(response.status)") }
        guard let answer = LenientAnswer(response.body) else { throw .unreadable(path) }
        return answer
    }

    /// Sends a form and returns the answer, with any status.
    ///
    /// - Parameter name: of the endpoint, for faults.
    func post(
        _ url: String, named name: String, _ form: [(String, String)], _ headers: [(String, String)]
    ) throws(CallFault) -> HTTPResponse {
        let timeout = try timeLeft(for: name)
        return try sending(name) { () throws(HTTPFault) in try post(url, form, headers, timeout) }
    }

    private func timeLeft(for name: String) throws(CallFault) -> Duration {
        let left = deadline.milliseconds - now().milliseconds
        // libcurl takes a timeout of zero for none.
        guard left > 0 else { throw .unavailable("\(name): no time is left") }
        return .milliseconds(left)
    }

    private func sending(
        _ name: String, _ request: () throws(HTTPFault) -> HTTPResponse
    ) throws(CallFault) -> HTTPResponse {
        do throws(HTTPFault) { return try BlockingSection.run(request) } catch {
            throw .unavailable("\(name): \(error)")
        }
    }
}
