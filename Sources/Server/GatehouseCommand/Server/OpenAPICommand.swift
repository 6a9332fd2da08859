import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseWeb

struct OpenAPICommand: Command {
    let words = ["openapi"]
    let summary = "Print the description of the API."
    let discussion = """
        Prints the OpenAPI 3.1 document that the server answers at /api/openapi.json, byte for byte.
        """
    let options = [
        Option(
            name: "--clients",
            help: "that at /api/openapi-clients.json, without the operations that only the machine itself reaches")
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        // The document ends with a newline, which the line adds again.
        let document = arguments.has("--clients") ? PublishedDocument.openAPIForClients : .openAPI
        let text = String(decoding: document.bytes.dropLast(), as: UTF8.self)
        StandardStream.output.line(text)
        return .done
    }
}
