import Foundation
import TestSupport

/// A program from PyPI that reads OpenAPI documents.
enum OpenAPITool: String, CaseIterable {
    case validator = "openapi-spec-validator"
    case schemathesis
    case clientGenerator = "openapi-python-client"

    /// The interpreter that has the packages of these programs.
    static let python = Executable.root + "/.build/python/bin/python"

    var program: String { Executable.root + "/.build/python/bin/" + rawValue }

    static let arePresent = allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.program) }
}
