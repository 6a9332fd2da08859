import TestSupport

/// Services of the operator that ask about users and tokens.
enum ServiceFixture {
    static let token = "k9Vh2mQxT4bLr7Wc1ZpE6sYdN8fGjA3u"
    static let otherToken = "Tq5Hn0RwJ8vKx2LzD6cMg9PbF4yStU7e"

    static let setting = """
        # The knowledge base, and a shop.
        knowledge-base \(token)

        shop \(otherToken)
        """
}
