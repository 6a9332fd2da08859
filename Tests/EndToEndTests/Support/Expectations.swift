import JSON
import Testing

/// Expects an error in the one shape that they all have.
func expectProblem(
    _ answer: Answer, _ status: Int, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, sourceLocation: sourceLocation)
    #expect(answer.code == code, sourceLocation: sourceLocation)
    #expect(answer.header("content-type") == "application/problem+json", sourceLocation: sourceLocation)
    #expect(answer["status"] == .integer(Int64(status)), sourceLocation: sourceLocation)
    #expect(answer["requestId"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
}
