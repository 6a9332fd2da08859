import FileSystem
import POSIX

/// The files of the templates before they are parsed: those of the operator replace built-in ones.
struct TemplateFiles {
    private(set) var contents: [TemplateName: [UInt8]] = [:]
    private(set) var faults: [TemplateFault] = []
    private(set) var warnings: [String] = []

    init() {
        for (file, content) in BuiltInMessages.files {
            if let name = TemplateName(file) { contents[name] = content } else { add(.unknownName, of: file) }
        }
    }

    /// Adds the files of the operator's folder.
    mutating func read(_ folder: String) {
        var own: Set<TemplateName> = []
        for file in names(in: folder) where !file.hasPrefix(".") {
            if let name = TemplateName(file) {
                if own.insert(name).inserted {
                    read(name, at: folder + "/" + file)
                } else {
                    add(.sameLanguage, of: file)
                }
            } else if TemplateName.isMeant(file) {
                add(.unknownName, of: file)
            } else {
                warnings.append("\(Self.printable(file)) is ignored: the name of a template ends in .txt or .html")
            }
        }
        // The built-in HTML would not say what the operator's text says.
        for name in own where name.format == .text && !own.contains(name.inFormat(.html)) {
            contents[name.inFormat(.html)] = nil
        }
    }

    mutating func add(_ reason: TemplateFault.Reason, of file: String) {
        faults.append(TemplateFault(file: Self.printable(file), reason: reason))
    }

    private mutating func names(in folder: String) -> [String] {
        do throws(POSIXError) { return try File.names(in: folder).sorted() } catch {
            add(.unreadable(error.reason), of: folder)
            return []
        }
    }

    private mutating func read(_ name: TemplateName, at path: String) {
        do throws(POSIXError) {
            contents[name] = try File.readRegular(path, atMost: TemplateText.largestFile)
        } catch {
            add(.unreadable(error.reason), of: name.file)
        }
    }

    /// The name of a file may have any character: one that a terminal acts on is not shown.
    private static func printable(_ name: String) -> String {
        String(name.map { $0.isASCII && !(0x20..<0x7F).contains($0.asciiValue ?? 0) ? "?" : $0 })
    }
}
