/// What goes back: a CGI header block, which ends in an empty line, and what follows it.
package struct Response: Sendable {
    package var head: [UInt8]
    package var body: [UInt8]

    package init(head: [UInt8], body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    var count: Int { head.count + body.count }
}
