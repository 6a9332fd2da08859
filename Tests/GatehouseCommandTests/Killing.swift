/// A debugger in front of a command, which kills it as it is about to make a system call.
enum Killing {
    /// - Parameter count: at the first call of that name, the second, and so on.
    static func at(_ call: String, _ count: Int) -> [String] {
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call] + [
            "-e", "inject=\(call):signal=SIGKILL:when=\(count)",
        ]
    }
}
