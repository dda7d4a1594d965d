package io.pigeonhole.jackson;

/** Characters that JSON writes as escapes. */
final class Escapes {
    private static final int LENGTH = "\\uXXXX".length();

    private Escapes() {}

    /**
     * Returns a document in which each escape of half a character is followed by the one of the other half.
     *
     * @throws IllegalArgumentException if one is not: UTF-8 has no halves, so whatever writes the text would write {@code ?}
     */
    static String requireWhole(String document) {
        int at = document.indexOf('\\');
        while (at >= 0) {
            int unit = unitAt(document, at);
            int length = unit < 0 ? 2 : LENGTH;
            if (unit >= 0 && Character.isSurrogate((char) unit)) {
                int next = unitAt(document, at + LENGTH);
                if (next < 0 || !Character.isSurrogatePair((char) unit, (char) next)) {
                    throw new IllegalArgumentException(
                            "the document has half a character, an escape from \\ud800 to \\udfff without its other"
                                    + " half, at character " + (at + 1));
                }
                length = 2 * LENGTH;
            }
            at = document.indexOf('\\', at + length);
        }
        return document;
    }

    /** The UTF-16 unit of the escape that begins there, or -1 where none does. */
    private static int unitAt(String document, int at) {
        if (!document.startsWith("\\u", at) || at + LENGTH > document.length()) {
            return -1;
        }
        int unit = 0;
        for (int i = at + 2; i < at + LENGTH; i++) {
            int digit = Character.digit(document.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            unit = unit * 16 + digit;
        }
        return unit;
    }
}
