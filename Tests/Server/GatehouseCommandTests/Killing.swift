/// A debugger command that kills its child before a system call.
enum Killing {
    /// - Parameter count: 1 for the first call of that name, 2 for the second.
    static func at(_ call: String, _ count: Int) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call] + [
            "-e", "inject=\(call):signal=SIGKILL:when=\(count)",
        ]
    }
}
