import POSIX

/// Finds the command that the words call, and runs it.
struct Dispatcher {
    let commands: [any Command]

    func run(_ words: [String]) -> ExitStatus {
        if words.allSatisfy({ $0 == "help" || $0 == Option.help.name }) {
            StandardStream.output.line(Help.overview(of: commands))
            return words.isEmpty ? .usage : .done
        }
        if let group = group(asked: words) {
            StandardStream.output.line(Help.text(ofGroup: group))
            return .done
        }
        let words = rewritten(words)
        guard
            let command = commands.filter({ words.starts(with: $0.words) }).max(by: { $0.words.count < $1.words.count })
        else { return refuse(nil, [absence(of: words[0])]) }
        do throws(UsageFaults) {
            let input = try Input(Array(words.dropFirst(command.words.count)), for: command)
            guard !input.has(Option.help.name) else {
                StandardStream.output.line(Help.text(of: command))
                return .done
            }
            return run(command, input)
        } catch {
            return refuse(command, error.faults)
        }
    }

    /// Other ways of saying the same: `--version`, and `help` in front of a command.
    private func rewritten(_ words: [String]) -> [String] {
        if words == ["--version"] { return ["version"] }
        return words.first == "help" ? words.dropFirst() + [Option.help.name] : words
    }

    /// The commands that begin with a word that is none by itself, where help on that word is asked for:
    /// `users --help` or `help users`.
    private func group(asked words: [String]) -> [any Command]? {
        guard words.count == 2, let word = words.first(where: { $0 != "help" && $0 != Option.help.name }),
            words[1] == Option.help.name || words.contains("help"), !commands.contains(where: { $0.words == [word] })
        else { return nil }
        let group = commands.filter { $0.words[0] == word }
        return group.isEmpty ? nil : group
    }

    private func run(_ command: any Command, _ input: Input) -> ExitStatus {
        do { return try command.run(input) } catch {
            // Where SQLite complains, it repeats names that are written in the file.
            Complaint(of: command).make(error.message, details: error.details)
            return error.status
        }
    }

    private func absence(of word: String) -> String {
        let longer = commands.filter { $0.words[0] == word }.map(\.name).joined(separator: ", ")
        return "there is no command \(word.prefix(40))" + (longer.isEmpty ? "" : ", but \(longer)")
    }

    private func refuse(_ command: (any Command)?, _ faults: [String]) -> ExitStatus {
        let complaint = Complaint(of: command)
        for fault in faults { complaint.make(fault) }
        complaint.advise("Try: \((["gatehouse"] + (command?.words ?? []) + ["--help"]).joined(separator: " "))")
        return .usage
    }
}
