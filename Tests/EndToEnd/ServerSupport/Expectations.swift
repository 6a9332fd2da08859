import JSON
import Testing

/// Expects that a measurement is below the bound. The machine may be busy with other tests, so one of five attempts counts.
func expectTime(
    below bound: Duration, _ subject: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    measuring measure: () throws -> Duration
) rethrows {
    var times: [Duration] = []
    repeat { times.append(try measure()) } while times.last! >= bound && times.count < 5
    #expect(times.last! < bound, "\(subject) \(times)", sourceLocation: sourceLocation)
}

/// Expects a problem document with this status and code.
func expectProblem(
    _ response: TestResponse, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(response.code == code, sourceLocation: sourceLocation)
    #expect(response.header("content-type") == "application/problem+json", sourceLocation: sourceLocation)
    #expect(response["status"] == .integer(Int64(status)), sourceLocation: sourceLocation)
    #expect(response["requestId"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(response["requestId"]?.string == response.header("x-request-id"), sourceLocation: sourceLocation)
}
