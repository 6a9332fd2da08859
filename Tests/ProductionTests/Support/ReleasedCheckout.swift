import Foundation
import TestSupport

/// A small checkout with the tag of a version, and a key. Its deploy/package gives the package that the tests have built.
final class ReleasedCheckout: Sendable {
    static let version = "9.9.9"

    /// The folder of a release that was made before.
    static let given = ProcessInfo.processInfo.environment["GATEHOUSE_RELEASE"]

    /// The folder with the files of a release: `GATEHOUSE_RELEASE`, or else one that is made with a throw-away key.
    static let files = Result { () throws -> String in
        if let given { return given }
        let outcome = try shared.get().release()
        guard outcome.status == 0 else { throw Spawn.Failure(description: outcome.errorOutput) }
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    private static let shared = Result { try ReleasedCheckout() }

    private let folder: TemporaryFolder
    private let key: String

    init() throws {
        folder = try TemporaryFolder()
        let arguments = try [Executable.root, folder.path, DebianPackage.first.get(), Self.version]
        let output = try Shell.run(["bash", "-euc", Self.preparation] + arguments)
        key = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private static let preparation = """
        sources=Sources/Server
        cd "$0"
        mkdir -m 700 "$1/keys" "$1/checkout"
        cp --parents -r deploy .gitignore $sources/GatehouseServer/Version.swift \\
            $sources/NumberTable/numbers.txt $sources/Gatehouse/Gatehouse.docc/Releases.md "$1/checkout"
        cd "$1/checkout"
        sed -i "s/source = \\".*\\"/source = \\"$3\\"/" $sources/GatehouseServer/Version.swift
        sed -i "0,/^## /s//## $3, 2026-12-01\\n\\nA version of tests.\\n\\n## /" $sources/Gatehouse/Gatehouse.docc/Releases.md
        cat >deploy/package <<END
        #!/bin/sh -e
        package=\\$4/gatehouse_\\$2-1_$(dpkg --print-architecture).deb
        mkdir -p "\\$4" && cp "$2" "\\$package" && echo "\\$package"
        [ ! -e "\\${0%/*}/differs" ] || readlink -f "\\$0" >>"\\$package"
        END
        export GNUPGHOME=$1/keys
        gpg --batch --quiet --passphrase '' --quick-generate-key 'Tests <test@example.com>' ed25519 sign 1d 2>/dev/null
        key=$(gpg --batch --list-keys --with-colons | awk -F: '/^fpr/ { print $10; exit }')
        git init --quiet
        git config user.name test && git config user.email test@example.com && git config user.signingkey "$key"
        git add . && git commit --quiet -m "$3" && git tag --no-sign "$3"
        echo "$key"
        """

    /// Runs deploy/release after a shell command that changes the checkout.
    func release(after change: String = "true", key: String? = nil, adding added: String = "") throws -> Shell.Outcome {
        try run(change + "\ndeploy/release \(Self.version) --key '\(key ?? self.key)' \(added)")
    }

    /// Runs a script in the checkout, beside the keys.
    func run(_ script: String) throws -> Shell.Outcome {
        let environment = "export GNUPGHOME=\"$0/keys\"\ntrap 'gpgconf --kill all' EXIT\ncd \"$0/checkout\"\n"
        return try Shell.outcome(of: ["bash", "-euc", environment + script, folder.path])
    }
}
