extension NumberingPlan {
    /// Calling codes that begin with 8 or 9, and those of south-east Asia that begin with 6. China's are mobile numbers
    /// alone.
    static let asia = """
        AE 971 8-9
        - 971 8-9 600 700 800 900
        AF 93 9
        AZ 994 9
        BD 880 8-10
        BH 973 8
        BN 673 7
        BT 975 7-8
        CN 86 11 13 14 15 16 17 18 19
        GE 995 9
        HK 852 8 2 3 4 5 6 7 8 9
        ID 62 8-12
        - 62 8-12 177 80
        IL 972 8-9 2 3 4 5 7 8 9
        IN 91 10
        IQ 964 8-10
        IR 98 10
        JO 962 8-9
        JP 81 9-10
        - 81 9-10 120 180 570 800 990
        KG 996 9
        KH 855 8-9
        KP 850 8-10
        KR 82 8-11
        - 82 8-11 15 16 18 30 50 60 80
        KW 965 7-8
        LA 856 8-10
        LB 961 7-8
        LK 94 9
        MM 95 7-10
        MN 976 8-10
        MO 853 8
        MV 960 7
        MY 60 8-10
        - 60 8-10 1300 154 1600 1700 1800 600
        NP 977 8-10
        OM 968 8
        PH 63 8-10
        - 63 8-10 1
        PK 92 9-10
        PS 970 8-9
        QA 974 8
        SA 966 8-9
        - 966 8-9 70 80 92
        SG 65 8 3 6 8 9
        SY 963 8-9
        TH 66 8-9
        - 66 8-9 1
        TJ 992 9
        TL 670 7-8
        TM 993 8
        TR 90 10
        - 90 10 444 800 811 822 850 888 900
        TW 886 8-9
        - 886 8-9 20 80
        UZ 998 9
        VN 84 9-10
        - 84 9-10 1
        YE 967 7-9
        """
}
