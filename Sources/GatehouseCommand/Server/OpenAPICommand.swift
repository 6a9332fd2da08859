import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseWeb

struct OpenAPICommand: Command {
    let words = ["openapi"]
    let summary = "Print the description of the API."
    let discussion = """
        Prints the OpenAPI 3.1 document that the server answers at /api/openapi.json, byte for byte. Generators of
        clients read it.
        """

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        // The document ends with a newline, which the line adds again.
        let text = String(decoding: PublishedDocument.openAPI.bytes.dropLast(), as: UTF8.self)
        StandardStream.output.line(text)
        return .done
    }
}
