import FileSystem
import Gatehouse
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
                if !name.kind.channels.contains(name.channel) {
                    warnings.append("\(name.file) is ignored: \(name.kind.name) is sent by mail alone")
                } else if own.insert(name).inserted {
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

/// The name of a template's file: `code.sms.en.txt`, `phone_changed.mail.zh-Hant.html`.
struct TemplateName: Hashable, Sendable {
    enum Format: String, Sendable {
        case text = "txt"
        case html
    }

    let kind: MessageKind
    let channel: CodeChannel
    let language: LanguageTag
    let format: Format

    /// Nil unless the whole name has this form.
    init?(_ file: String) {
        let parts = file.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let kind = MessageKind(named: parts[0]), let channel = Self.channels[parts[1]],
            let language = LanguageTag(parts[2]), let format = Format(rawValue: parts[3]),
            format == .text || channel == .email
        else { return nil }
        self.init(kind: kind, channel: channel, language: language, format: format)
    }

    private init(kind: MessageKind, channel: CodeChannel, language: LanguageTag, format: Format) {
        (self.kind, self.channel, self.language, self.format) = (kind, channel, language, format)
    }

    /// The name of the same template in the other format.
    func inFormat(_ format: Format) -> TemplateName {
        TemplateName(kind: kind, channel: channel, language: language, format: format)
    }

    var file: String {
        "\(kind.name).\(channel == .phone ? "sms" : "mail").\(language.text).\(format.rawValue)"
    }

    /// Whether a file was meant to be a template.
    static func isMeant(_ file: String) -> Bool {
        [Format.text, .html].contains { file.hasSuffix("." + $0.rawValue) }
    }

    private static let channels: [String: CodeChannel] = ["sms": .phone, "mail": .email]
}

/// The templates of this target's folder `Messages`. The build embeds each file as a constant of `PackageResources`.
enum BuiltInMessages {
    static let files: [(name: String, content: [UInt8])] = [
        ("code.sms.en.txt", PackageResources.code_sms_en_txt),
        ("code.sms.zh.txt", PackageResources.code_sms_zh_txt),
        ("code.mail.en.txt", PackageResources.code_mail_en_txt),
        ("code.mail.en.html", PackageResources.code_mail_en_html),
        ("code.mail.zh.txt", PackageResources.code_mail_zh_txt),
        ("code.mail.zh.html", PackageResources.code_mail_zh_html),
        ("phone_changed.sms.en.txt", PackageResources.phone_changed_sms_en_txt),
        ("phone_changed.sms.zh.txt", PackageResources.phone_changed_sms_zh_txt),
        ("phone_changed.mail.en.txt", PackageResources.phone_changed_mail_en_txt),
        ("phone_changed.mail.zh.txt", PackageResources.phone_changed_mail_zh_txt),
        ("email_changed.mail.en.txt", PackageResources.email_changed_mail_en_txt),
        ("email_changed.mail.zh.txt", PackageResources.email_changed_mail_zh_txt),
        ("stale_number_used.mail.en.txt", PackageResources.stale_number_used_mail_en_txt),
        ("stale_number_used.mail.zh.txt", PackageResources.stale_number_used_mail_zh_txt),
        ("new_device.mail.en.txt", PackageResources.new_device_mail_en_txt),
        ("new_device.mail.zh.txt", PackageResources.new_device_mail_zh_txt),
        ("account_linked.mail.en.txt", PackageResources.account_linked_mail_en_txt),
        ("account_linked.mail.zh.txt", PackageResources.account_linked_mail_zh_txt),
        ("account_unlinked.mail.en.txt", PackageResources.account_unlinked_mail_en_txt),
        ("account_unlinked.mail.zh.txt", PackageResources.account_unlinked_mail_zh_txt),
        ("passkey_added.mail.en.txt", PackageResources.passkey_added_mail_en_txt),
        ("passkey_added.mail.zh.txt", PackageResources.passkey_added_mail_zh_txt),
        ("accounts_joined.mail.en.txt", PackageResources.accounts_joined_mail_en_txt),
        ("accounts_joined.mail.zh.txt", PackageResources.accounts_joined_mail_zh_txt),
    ]
}

/// What is wrong with a file of templates.
package struct TemplateFault: Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Error, Sendable, Equatable {
        case unreadable(String)
        case tooLong(limit: Int)
        case notUTF8
        case controlCharacter
        case unknownName
        case sameLanguage
        case unknownPlaceholder(String, allowed: [String])
        case missing(String)
        case empty
        case noSubject
        case noText(String)
        case notInEnglish
    }

    /// The name of the file, or of the folder.
    package let file: String
    package let reason: Reason

    package var description: String { "\(file) \(reason.explanation)" }
}

/// Every fault that was found.
package struct TemplateFaults: Error, Sendable, Equatable {
    package let faults: [TemplateFault]

    init(unsorted faults: [TemplateFault]) {
        self.faults = faults.sorted { ($0.file, $0.description) < ($1.file, $1.description) }
    }
}

extension TemplateFault.Reason {
    fileprivate var explanation: String {
        switch self {
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .notUTF8: "is not UTF-8"
        case .controlCharacter: "contains a control character other than a tab or the end of a line"
        case .unknownName:
            "is not the name of a template: write KIND.CHANNEL.LANGUAGE.txt, such as code.sms.en.txt; a mail may also have "
                + "KIND.mail.LANGUAGE.html; KIND is " + MessageKind.all.map(\.name).joined(separator: ", ")
        case .sameLanguage: "is for the same message and language as another file"
        case .unknownPlaceholder(let name, let allowed):
            "contains \(name): this message may have " + allowed.joined(separator: ", ")
        case .missing(let name): "does not contain \(name)"
        case .empty: "has no text"
        case .noSubject: "must begin with the subject and an empty line"
        case .notInEnglish: "has no text in English"
        case .noText(let file): "needs \(file) beside it, for programs that show no HTML"
        }
    }
}
