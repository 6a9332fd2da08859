import JSON
import Testing

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
