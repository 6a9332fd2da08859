import Foundation
import TestSupport

/// Modules that this machine does not have, as stubs in Tests/Support/StubModules, and GatehouseClient compiled with them.
struct StubModules {
    /// In an order in which each imports only earlier ones.
    static let names = [
        "AuthenticationServices", "Security", "CryptoKit", "UIKit", "SwiftUI", "XCTest", "HTTPTypes", "OpenAPIRuntime",
        "GoogleSignIn", "WechatOpenSDK",
    ]

    /// Compiled once for all tests.
    static let shared = Result { try StubModules() }

    private let folder: TemporaryFolder

    /// For the compiler's option `-I`.
    var path: String { folder.path }

    private init() throws {
        folder = try TemporaryFolder()
        for name in Self.names {
            try Shell.run(
                Self.compiler(module: name, in: folder) + ["\(Executable.root)/Tests/Support/StubModules/\(name).swift"]
            )
        }
        try Shell.run(
            Self.compiler(module: "GatehouseClient", in: folder) + ["-package-name", "gatehouse"] + Self.clientSources()
        )
    }

    /// Not only a type check: the rules for values that leave their actor are checked later.
    private static func compiler(module: String, in folder: TemporaryFolder) -> [String] {
        [
            "swiftc", "-c", "-whole-module-optimization", "-parse-as-library", "-swift-version", "6",
            "-warnings-as-errors", "-I", folder.path, "-module-name", module, "-emit-module", "-emit-module-path",
            folder.file(module + ".swiftmodule"), "-o", folder.file(module + ".o"),
        ]
    }

    private static func clientSources() throws -> [String] {
        let root = Executable.root + "/Sources/Client/GatehouseClient"
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
            .map { "\(root)/\($0)" }
    }

    /// Compiles a file as the module App.
    func compile(_ files: [String]) throws -> Shell.Outcome {
        try Shell.outcome(
            of: [
                "swiftc", "-c", "-whole-module-optimization", "-parse-as-library", "-swift-version", "6",
                "-warnings-as-errors", "-D", "DEBUG", "-module-name", "App", "-I", path, "-o", "/dev/null",
            ] + files)
    }

    /// Builds and runs a program of Tests/Support/StubModules/Programs.
    func run(program: String) throws -> Shell.Outcome {
        let folder = "\(Executable.root)/Tests/Support/StubModules/Programs"
        return try run(["\(folder)/\(program).swift", "\(folder)/Expectations.swift"])
    }

    /// Builds these files as a program, and runs it.
    func run(_ files: [String], arguments: [String] = []) throws -> Shell.Outcome {
        let place = try TemporaryFolder()
        let objects = (Self.names + ["GatehouseClient"]).map { folder.file($0 + ".o") }
        try Shell.run(
            [
                "swiftc", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-D", "DEBUG",
                "-module-name", "App", "-I", path, "-o", place.file("program"),
            ] + files + objects)
        // UserDefaults are files below HOME.
        return try Shell.outcome(
            of: ["timeout", "300", place.file("program")] + arguments,
            environment: ["HOME": place.path, "PATH": "/usr/bin:/bin"])
    }
}
