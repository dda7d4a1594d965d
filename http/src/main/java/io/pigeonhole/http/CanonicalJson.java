package io.pigeonhole.http;

import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads JSON and writes it as RFC 8785 has it. Used by one thread. */
final class CanonicalJson {
    private static final int DEEPEST = 200;

    /** No number of more characters is looked at as one. */
    private static final int LONGEST_NUMBER = 400;

    private static final int MOST_DIGITS = 17;

    /** No two numbers of that many digits are read as the same double, but for the least ones. */
    private static final int DISTINCT_DIGITS = 15;

    private final String text;
    private int at;
    private int depth;

    private CanonicalJson(String text) {
        this.text = text;
    }

    static byte[] canonical(@Nullable String contentType, byte[] body) {
        if (contentType == null || !isJson(contentType)) {
            return body;
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
            return new CanonicalJson(text).document().getBytes(StandardCharsets.UTF_8);
        } catch (CharacterCodingException | NotJsonException e) {
            return body;
        }
    }

    private static boolean isJson(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.endsWith("/json") || type.endsWith("+json");
    }

    private static final class NotJsonException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotJsonException() {
            super("no JSON", null, false, false);
        }
    }

    private String document() {
        StringBuilder out = new StringBuilder(text.length());
        value(out);
        blanks();
        if (at != text.length()) {
            throw new NotJsonException();
        }
        return out.toString();
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char next() {
        blanks();
        if (at == text.length()) {
            throw new NotJsonException();
        }
        return text.charAt(at);
    }

    private void expect(char c) {
        if (next() != c) {
            throw new NotJsonException();
        }
        at++;
    }

    private void value(StringBuilder out) {
        switch (next()) {
            case '{' -> object(out);
            case '[' -> array(out);
            case '"' -> write(out, string());
            case 't' -> word(out, "true");
            case 'f' -> word(out, "false");
            case 'n' -> word(out, "null");
            default -> number(out);
        }
    }

    private void word(StringBuilder out, String word) {
        if (!text.startsWith(word, at)) {
            throw new NotJsonException();
        }
        at += word.length();
        out.append(word);
    }

    private void deeper() {
        depth++;
        if (depth > DEEPEST) {
            throw new NotJsonException();
        }
        at++;
    }

    private void object(StringBuilder out) {
        deeper();
        // Strings of Java compare by their UTF-16 code units, as RFC 8785 asks for.
        Map<String, String> members = new TreeMap<>();
        while (next() != '}') {
            if (!members.isEmpty()) {
                expect(',');
                next();
            }
            if (next() != '"') {
                throw new NotJsonException();
            }
            String name = string();
            expect(':');
            StringBuilder value = new StringBuilder();
            value(value);
            if (members.put(name, value.toString()) != null) {
                throw new NotJsonException();
            }
        }
        at++;
        depth--;
        out.append('{');
        String between = "";
        for (Map.Entry<String, String> member : members.entrySet()) {
            out.append(between);
            write(out, member.getKey());
            out.append(':').append(member.getValue());
            between = ",";
        }
        out.append('}');
    }

    private void array(StringBuilder out) {
        deeper();
        out.append('[');
        boolean first = true;
        while (next() != ']') {
            if (!first) {
                expect(',');
                out.append(',');
            }
            value(out);
            first = false;
        }
        at++;
        depth--;
        out.append(']');
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        at++;
        while (true) {
            if (at == text.length()) {
                throw new NotJsonException();
            }
            char c = text.charAt(at++);
            if (c == '"') {
                return string.toString();
            }
            if (c < ' ') {
                throw new NotJsonException();
            }
            string.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        if (at == text.length()) {
            throw new NotJsonException();
        }
        char c = text.charAt(at++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw new NotJsonException();
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
            if (digit < 0) {
                throw new NotJsonException();
            }
            code = code * 16 + digit;
            at++;
        }
        return (char) code;
    }

    private static void write(StringBuilder out, String string) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    // Half of a surrogate pair would become a question mark in UTF-8, as any other half.
                    if (c < ' ' || isHalf(string, i)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isHalf(String string, int i) {
        char c = string.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == string.length() || !Character.isLowSurrogate(string.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(string.charAt(i - 1)));
    }

    private void number(StringBuilder out) {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
        String number = text.substring(start, at);
        out.append(number.length() > LONGEST_NUMBER ? number : canonical(number));
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : ' ';
    }

    private void digits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == start) {
            throw new NotJsonException();
        }
    }

    private static String canonical(String number) {
        BigDecimal exact;
        try {
            exact = new BigDecimal(number);
        } catch (NumberFormatException e) {
            // An exponent that no number has.
            return number;
        }
        if (exact.signum() == 0) {
            return "0";
        }
        double nearest = exact.doubleValue();
        if (nearest == 0 || Double.isInfinite(nearest)) {
            return exact.stripTrailingZeros().toString();
        }
        BigDecimal stripped = exact.stripTrailingZeros();
        return isShortest(stripped, nearest) ? ecmaScript(stripped) : stripped.toString();
    }

    /** Whether a number has the fewest digits that are read as its nearest double, and is the one of them that is nearest to that. */
    private static boolean isShortest(BigDecimal number, double nearest) {
        int digits = number.precision();
        int least = Math.abs(nearest) >= Double.MIN_NORMAL ? DISTINCT_DIGITS : 1;
        if (digits <= DISTINCT_DIGITS && least == DISTINCT_DIGITS) {
            return true;
        }
        if (digits > MOST_DIGITS) {
            return false;
        }
        BigDecimal exact = new BigDecimal(nearest);
        for (int fewer = digits - 1; fewer >= least; fewer--) {
            if (exact.round(new MathContext(fewer)).doubleValue() == nearest) {
                return false;
            }
        }
        return exact.round(new MathContext(digits)).compareTo(number) == 0;
    }

    /** As {@code Number.prototype.toString} of ECMAScript writes it. */
    private static String ecmaScript(BigDecimal number) {
        BigDecimal stripped = number.abs().stripTrailingZeros();
        String digits = stripped.unscaledValue().toString();
        int point = digits.length() - stripped.scale();
        StringBuilder out = new StringBuilder(number.signum() < 0 ? "-" : "");
        if (point > 21 || point <= -6) {
            out.append(digits.charAt(0));
            if (digits.length() > 1) {
                out.append('.').append(digits, 1, digits.length());
            }
            int exponent = point - 1;
            return out.append(exponent < 0 ? "e-" : "e+")
                    .append(Math.abs(exponent))
                    .toString();
        }
        if (point <= 0) {
            return out.append("0.").append("0".repeat(-point)).append(digits).toString();
        }
        if (point >= digits.length()) {
            return out.append(digits)
                    .append("0".repeat(point - digits.length()))
                    .toString();
        }
        return out.append(digits, 0, point)
                .append('.')
                .append(digits, point, digits.length())
                .toString();
    }
}
