extension ProviderKind {
    /// The table of a kind on the Providers page, in Markdown.
    package var markdown: String {
        Settings.markdown(settings.dropFirst().map { ($0.row, $0.defaultValue) })
    }
}
