import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import POSIX
import UserFiles

struct UsersConvertFirebaseCommand: Command {
    let words = ["users", "convert", "firebase"]
    let summary = "Convert a file of firebase auth:export for gatehouse users import."
    let discussion = """
        Reads no settings. FILE is what firebase auth:export writes as JSON, to a name that ends in .json; - is standard input.
        A line for each user goes to standard output, and a summary to standard error: how many users were converted, and how
        many lose a way to sign in, by reason. Firebase's CSV is refused, because the name of a user can write columns and
        rows in it.

        Subjects of Apple and Google stay the same. Passwords are not taken: a user with a verified email address signs in with
        a code by mail. An address that was never verified gives no way in.

        Versions of the Firebase command before 2026 leave out the accounts at Apple: update it before you export.

        Exits 1 if the file is not of this form, or OUT exists.
        """
    let parameters = ["FILE"]
    let options = ConversionSummary.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        var conversion = FirebaseConversion(providerNames: try ConversionSummary.providerNames(arguments))
        return try ConversionSummary.run(arguments) { summary in
            let file = try InputFile(arguments.positional[0])
            while true {
                let chunk = try file.next()
                guard !chunk.isEmpty else { break }
                try conversion.convert(chunk) { try summary.add($0) }
            }
            try conversion.finish()
        }
    }
}

struct UsersConvertSupabaseCommand: Command {
    let words = ["users", "convert", "supabase"]
    let summary = "Convert the users of Supabase for gatehouse users import."
    let discussion = """
        Reads no settings. USERS and IDENTITIES are the tables auth.users and auth.identities as CSV with the names of the
        columns, as psql writes them:

          \\copy auth.users TO users.csv CSV HEADER
          \\copy auth.identities TO identities.csv CSV HEADER

        A line for each user goes to standard output, and a summary to standard error: how many users were converted, and how
        many lose a way to sign in, by reason.

        Subjects of Apple and Google stay the same. Passwords are not taken: a user with a verified email address signs in with
        a code by mail. If the project did not demand that users confirm their address, Supabase counts every address as
        verified: the summary tells how many were confirmed without a mail.

        A file that is not exactly CSV by RFC 4180 is refused, and so is one with a row that is longer or shorter than the
        first line.

        Exits 1 if a file is not of this form, or OUT exists.
        """
    let options =
        [
            Option(name: "--users", value: "USERS", help: "the table auth.users", isRequired: true),
            Option(name: "--identities", value: "IDENTITIES", help: "the table auth.identities", isRequired: true),
        ] + ConversionSummary.options

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        var conversion = SupabaseConversion(
            providerNames: try ConversionSummary.providerNames(arguments), now: Platform.system.now())
        return try ConversionSummary.run(arguments) { summary in
            let identities = try InputFile(arguments.value("--identities") ?? "")
            while true {
                let chunk = try identities.next()
                guard !chunk.isEmpty else { break }
                try conversion.addIdentities(chunk)
            }
            try conversion.finishIdentities()
            let users = try InputFile(arguments.value("--users") ?? "")
            while true {
                let chunk = try users.next()
                guard !chunk.isEmpty else { break }
                try conversion.convert(chunk) { try summary.add($0) }
            }
            try conversion.finish { try summary.add($0) }
            summary.confirmedWithoutMail = conversion.confirmedWithoutMail
        }
    }
}
