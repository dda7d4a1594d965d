package io.pigeonhole.http;

import jakarta.servlet.http.Cookie;
import org.jspecify.annotations.Nullable;

/** What a cookie may consist of, as RFC 6265 has it. A container would refuse it behind the commit. */
final class CookieSyntax {
    private CookieSyntax() {}

    /** Its name was checked when it was made. */
    static void require(Cookie cookie) {
        String value = unquoted(cookie.getValue());
        boolean isLegal = value.chars().allMatch(c -> c > ' ' && c <= '~' && "\",;\\".indexOf(c) < 0);
        if (!isLegal) {
            throw new IllegalArgumentException("the value of the cookie " + cookie.getName()
                    + " has characters that RFC 6265 does not allow, such as a space or a semicolon: encode it");
        }
        requireAttribute(cookie, "Path", cookie.getPath());
        requireAttribute(cookie, "Domain", cookie.getDomain());
    }

    private static void requireAttribute(Cookie cookie, String name, @Nullable String value) {
        boolean isLegal = value == null || value.chars().allMatch(c -> c >= ' ' && c <= '~' && c != ';');
        if (!isLegal) {
            throw new IllegalArgumentException("the " + name + " of the cookie " + cookie.getName()
                    + " has characters that RFC 6265 does not allow, such as a semicolon");
        }
    }

    private static String unquoted(@Nullable String value) {
        if (value == null) {
            return "";
        }
        boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }
}
