import Foundation

/// The paths of the checkout and of the programs under test.
package enum Executable {
    /// The root folder of the checkout.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Every user can run it.
    package static let gatehouse = forEveryUser(builtBesideTests("gatehouse"))

    package static let standIn = builtBesideTests("stand-in")

    package static let example = builtBesideTests("gatehouse-example")

    /// What the build has made of a product, or of the resources of a target.
    package static func builtBesideTests(_ name: String) -> String {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent(name).path
    }

    private static let copies = try? TemporaryFolder()

    /// Root's tests also run the program as other users, who cannot enter a checkout or a Swift toolchain in a private folder
    /// such as `/root`. They then get a copy of the program, with the toolchain's libraries, which it also looks for beside
    /// itself.
    private static func forEveryUser(_ program: String) -> String {
        // setpriv itself keeps root's capabilities until it has found the shell.
        let asAnotherUser = [
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", #""$0" version"#,
        ]
        guard getuid() == 0, let copies,
            (try? Shell.outcome(of: asAnotherUser + [program]).status) != 0
        else { return program }
        chmod(copies.path, 0o755)
        let script = """
            libraries=$(ldd "$1" | awk '$3 ~ "^/" && $3 !~ "^(/usr)?/lib" { print $3 }')
            install --mode=755 --target-directory="$2" "$1" $libraries
            """
        guard (try? Shell.run(["sh", "-euc", script, "sh", program, copies.path])) != nil else { return program }
        return copies.file(URL(fileURLWithPath: program).lastPathComponent)
    }
}
