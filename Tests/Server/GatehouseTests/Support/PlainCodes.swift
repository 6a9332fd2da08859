import Gatehouse

/// Codes that are the first digits of their seed, and are their own hash.
protocol PlainCodes: CodeService {}

extension PlainCodes {
    func code(seed: [UInt8], id: String) -> (text: String, hash: [UInt8]) {
        let text = seed.prefix(6).map { "\($0 % 10)" }.joined()
        return (text, hash(ofCode: text, id: id))
    }

    func code(seed: [UInt8], id: String, hashedAs hash: [UInt8]) -> String? {
        let code = code(seed: seed, id: id)
        return code.hash == hash ? code.text : nil
    }

    func hash(ofCode text: String, id: String) -> [UInt8] { Array("\(text) \(id)".utf8) }

    func isCode(_ text: String, id: String, hashedAs hash: [UInt8]) -> Bool { hash == self.hash(ofCode: text, id: id) }
}
