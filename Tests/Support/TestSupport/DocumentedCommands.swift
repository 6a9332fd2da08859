/// Which test runs the commands of a section of the documentation. A section with commands must have an entry.
package enum DocumentedCommands: Sendable, Equatable {
    /// In a checkout beside `./deploy/run`, in bash and in zsh: `PastedCommandsTests`.
    case besideRun
    /// On a booted Debian with the package, by this file of `Tests/ProductionTests`, which names the section.
    case onServer(by: String)
    /// On a PostgreSQL server in a temporary folder: `PostgreSQLPagesTests`.
    case onPostgreSQL
    /// By no test.
    case notRun(because: String)

    private static let catalogue = "Sources/Server/Gatehouse/Gatehouse.docc/"
    private static let onServer = DocumentedCommands.onServer(by: "ServerPagesTests")

    /// By page and section.
    package static let table: [String: [String: DocumentedCommands]] = [
        "README.md": [
            "A login by curl": .besideRun,
            "In production": onServer,
        ],
        "nginx/README.md": [
            "In a folder, without root": .besideRun,
            "In production": .notRun(because: "gatehouse-nginx does these steps, which its tests run"),
            "A certificate": .notRun(because: "needs a public name and a certificate authority"),
            "Test the webroot": onServer, "For the machine itself": onServer,
            "In a server block of your own": .onServer(by: "NginxTests"),
        ],
        catalogue + "API.md": [
            "OpenAPI": .besideRun, "The examples": .besideRun, "Sign in with Apple": .besideRun,
            "Sign in with a code": .besideRun, "Sign in by one tap": .besideRun,
            "Sign in through a browser": .besideRun, "Get a nonce": .besideRun,
            "Phone binding": .besideRun,
            "Development login": .besideRun, "The current user": .besideRun, "Change the profile": .besideRun,
            "Guests": .besideRun, "Linked accounts": .besideRun, "Export": .besideRun, "Delete the account": .besideRun,
            "Refresh": .besideRun, "Sessions": .besideRun, "Log out": .besideRun, "Public keys": .besideRun,
        ],
        catalogue + "OtherClients.md": ["A session that is bound to the device": .besideRun],
        catalogue + "DevelopmentServer.md": [
            "Settings": .besideRun, "Signing in through a browser": .besideRun,
            "Your page, your service, your receiver": .besideRun, "Develop without Apple": .besideRun,
            "Passkeys by curl": .besideRun,
        ],
        catalogue + "Console.md": ["Faults": .besideRun],
        catalogue + "Passkeys.md": ["Files for phones": .besideRun],
        catalogue + "AccessTokens.md": ["Python": .besideRun],
        catalogue + "Attributes.md": [
            "Setting them": .notRun(because: "AttributesTests and UsersAttributesTests do the same")
        ],
        catalogue + "Services.md": [
            "A token for the service": onServer, "Try it": .besideRun, "Users": .besideRun,
            "Introspection": .besideRun,
            "Without a token": .notRun(because: "needs libfcgi-bin; LocalUserTests connects as root"),
        ],
        catalogue + "Operations.md": [
            "Overview": onServer, "Installing": onServer, "The first login": .onServer(by: "InstallationTests"),
            "Checking": onServer, "Health": onServer, "Managing users": .besideRun, "Upgrading": onServer,
            "Another folder for the database": .onServer(by: "MovingTests"),
            "Moving to another machine": .onServer(by: "MovingTests"),
        ],
        catalogue + "Packages.md": [
            "Installing from the repository": .onServer(by: "RepositoryTests"),
            "Verifying by hand": .onServer(by: "ReleaseFileTests"),
            "Processors": .notRun(because: "needs an arm64 machine"),
            "Making a release": .notRun(because: "makes the owner's key; ReleaseFileTests uses another one"),
        ],
        catalogue + "Configuration.md": [
            "Changing settings on a server": onServer, "Keys": onServer,
            "Rotating keys on a server": onServer, "A stolen refresh secret": onServer,
            "Sealed data that no key opens": onServer,
        ],
        catalogue + "Providers.md": [
            "Overview": onServer, "When a token is refused": .besideRun, "When Apple's token is refused": .besideRun,
        ],
        catalogue + "AppTransfer.md": [
            "Before the transfer": .notRun(because: "needs another team; AppleTransferTests runs these commands"),
            "On the day": .notRun(because: "needs another team; AppleTransferTests runs these commands"),
        ],
        catalogue + "Codes.md": [
            "Phone codes in ten minutes": .notRun(because: "needs a gateway and a phone"),
            "One-tap sign-in": .notRun(because: "needs a receiver and an account at a vendor"),
        ],
        catalogue + "UserImport.md": ["Overview": .besideRun],
        catalogue + "Events.md": ["Receivers": onServer, "The secret": onServer],
        catalogue + "Backups.md": [
            "Backing up": onServer, "The daily backup of the package": onServer, "Restoring": onServer,
            "A database that was removed": onServer,
            "PostgreSQL": .onPostgreSQL, "A base backup": .onPostgreSQL, "Restoring to a point in time": .onPostgreSQL,
            "Replication": .notRun(because: "needs another machine; ReplicationTests replicates with these files"),
        ],
        catalogue + "PostgreSQL.md": [
            "Installing": .onPostgreSQL, "Rotating keys": .onPostgreSQL, "Moving an existing database": .onPostgreSQL,
        ],
        catalogue + "Observability.md": ["Lines that journald drops": onServer],
        catalogue + "Containers.md": [
            "Overview": .notRun(because: "ComposeTests does these steps with images made on this machine"),
            "On a Mac": .notRun(because: "needs Docker and images of a registry"),
            "In production": .notRun(because: "ProductionComposeTests does these steps"),
            "The console on a Mac": .notRun(because: "needs Docker and images of a registry"),
        ],
        catalogue + "Benchmarks.md": ["Overview": .notRun(because: "takes 20 minutes on an idle machine")],
        catalogue + "Testing.md": [
            "Overview": .notRun(because: "runs this test"),
            "A new user's machine": .notRun(because: "CI runs these commands"),
        ],
    ]

    package static func of(_ block: DocumentationPage.Block) -> DocumentedCommands? {
        // It serves in the foreground until Ctrl-C. RunScriptServerTests and RunScriptSettingsTests give it these options.
        if block.text.contains("./deploy/run") { return .notRun(because: "starts the server that the others need") }
        return table[block.page]?[block.section]
    }
}
