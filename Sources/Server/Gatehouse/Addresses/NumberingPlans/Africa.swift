extension NumberingPlan {
    /// Calling codes that begin with 2: Africa, Aruba, Greenland and the Faroe Islands.
    static let africa = """
        AO 244 9
        AW 297 7
        BF 226 8
        BI 257 8
        BJ 229 10 0
        BW 267 7-8
        CD 243 7-9
        CF 236 8
        CG 242 9 0 *
        CI 225 10 0 2
        CM 237 8-9
        CV 238 7
        DJ 253 8
        DZ 213 8-9
        EG 20 8-10
        - 20 8-10 800 900
        EH 212 9 5288 5289
        ER 291 7
        ET 251 9
        FO 298 6
        GA 241 8 0 6 7
        GH 233 9
        GL 299 6
        GM 220 7
        GN 224 8-9
        GQ 240 9
        GW 245 7-9
        IO 246 7
        KE 254 7-10
        KM 269 7
        LR 231 7-9
        LS 266 8
        LY 218 8-9
        MA 212 9 5 6 7
        MG 261 9
        ML 223 8
        MR 222 8
        MU 230 7-8
        MW 265 7-9
        MZ 258 8-9
        NA 264 8-9
        NE 227 8
        NG 234 7-10
        RE 262 9
        RW 250 8-9
        SC 248 7
        SD 249 9
        SH 290 4-5
        SH 247 4-6
        SL 232 8
        SN 221 9
        SO 252 6-9
        SS 211 9
        ST 239 7
        SZ 268 8
        TD 235 8
        TG 228 8
        TN 216 8
        TZ 255 9
        UG 256 9
        YT 262 9 269 639
        ZA 27 9
        - 27 9 80 86 88 90
        ZM 260 9
        ZW 263 7-10
        """
}
