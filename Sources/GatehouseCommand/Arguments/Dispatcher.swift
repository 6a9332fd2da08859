import POSIX

/// Finds the command that the words call, and runs it.
struct Dispatcher {
    let commands: [any Command]

    func run(_ words: [String]) -> ExitStatus {
        if words.isEmpty || words == ["--help"] || words == ["help"] {
            StandardStream.output.line(Help.overview(of: commands))
            return words.isEmpty ? .usage : .done
        }
        let words = words == ["--version"] ? ["version"] : words
        guard
            let command = commands.filter({ words.starts(with: $0.words) }).max(by: { $0.words.count < $1.words.count })
        else { return refuse([absence(of: words[0])], hint: "gatehouse --help") }
        do throws(UsageFaults) {
            let input = try Input(Array(words.dropFirst(command.words.count)), for: command)
            guard !input.has(Option.help.name) else {
                StandardStream.output.line(Help.text(of: command))
                return .done
            }
            return run(command, input)
        } catch {
            return refuse(error.faults, hint: "gatehouse \(command.name) --help")
        }
    }

    private func run(_ command: any Command, _ input: Input) -> ExitStatus {
        do { return try command.run(input) } catch {
            // Where SQLite complains, it repeats names that are written in the file.
            StandardStream.error.line("gatehouse: \(error.message.printableLines)")
            return error.status
        }
    }

    private func absence(of word: String) -> String {
        let longer = commands.filter { $0.words[0] == word }.map(\.name).joined(separator: ", ")
        return "there is no command \(word.prefix(40))" + (longer.isEmpty ? "" : ", but \(longer)")
    }

    private func refuse(_ faults: [String], hint: String) -> ExitStatus {
        for fault in faults { StandardStream.error.line("gatehouse: \(fault)") }
        StandardStream.error.line("Try: \(hint)")
        return .usage
    }
}
