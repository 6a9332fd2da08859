import Foundation
import GatehouseClient

@main
struct GatehouseExample {
    static func main() async throws {}
}
