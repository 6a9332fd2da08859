@main
struct GatehouseCommand {
    static func main() {}
}
