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
        ("email_changed.sms.en.txt", PackageResources.email_changed_sms_en_txt),
        ("email_changed.sms.zh.txt", PackageResources.email_changed_sms_zh_txt),
        ("email_changed.mail.en.txt", PackageResources.email_changed_mail_en_txt),
        ("email_changed.mail.zh.txt", PackageResources.email_changed_mail_zh_txt),
        ("stale_number_used.sms.en.txt", PackageResources.stale_number_used_sms_en_txt),
        ("stale_number_used.sms.zh.txt", PackageResources.stale_number_used_sms_zh_txt),
        ("stale_number_used.mail.en.txt", PackageResources.stale_number_used_mail_en_txt),
        ("stale_number_used.mail.zh.txt", PackageResources.stale_number_used_mail_zh_txt),
    ]
}
