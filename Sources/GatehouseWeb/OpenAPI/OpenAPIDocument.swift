/// The description of the API in OpenAPI 3.1. It is written by hand in `openapi.json`, and the end-to-end tests compare
/// every exchange with it.
package enum OpenAPIDocument {
    /// - Parameter version: the version of the program, which the file does not know.
    package static func bytes(version: String) -> [UInt8] {
        PackageResources.openapi_json.replacing(Array("@VERSION@".utf8), with: Array(version.utf8), maxReplacements: 1)
    }
}
