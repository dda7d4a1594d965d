package io.pigeonhole.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedResponseTest {
    private final List<String> calls = new ArrayList<>();
    private final GuardedResponse response = new GuardedResponse(container(), 200, 100);

    /** Notes what reaches it. */
    private HttpServletResponse container() {
        return (HttpServletResponse) Proxy.newProxyInstance(
                HttpServletResponse.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (self, method, arguments) -> {
                    if (!method.getName().startsWith("get")) {
                        calls.add(method.getName());
                    }
                    return switch (method.getName()) {
                        case "getCharacterEncoding" -> "ISO-8859-1";
                        case "getStatus" -> 200;
                        default -> null;
                    };
                });
    }

    /** Found by name and parameters, as those of a newer Servlet API are that override them. */
    private void call(String name, Class<?>[] types, Object... arguments) throws ReflectiveOperationException {
        GuardedResponse.class.getMethod(name, types).invoke(response, arguments);
    }

    @Test
    void redirectOfServlet61IsKeptBack() throws Exception {
        response.getOutputStream().write(1);
        call("sendRedirect", new Class<?>[] {String.class, int.class}, "/payments/1", 303);

        assertThat(response.getStatus()).isEqualTo(303);
        assertThat(response.allHeaders()).containsEntry("Location", List.of("/payments/1"));
        assertThat(response.body()).isEmpty();
        assertThat(response.isCommitted()).isTrue();
        assertThat(calls).isEmpty();
    }

    @Test
    void redirectOfServlet61CanKeepItsBody() throws Exception {
        response.getOutputStream().write(1);
        call("sendRedirect", new Class<?>[] {String.class, int.class, boolean.class}, "/payments/1", 308, false);

        assertThat(response.getStatus()).isEqualTo(308);
        assertThat(response.body()).containsExactly(1);
        assertThat(calls).isEmpty();
    }

    @Test
    void redirectOfServlet61IsFoundUnlessItSaysAStatus() throws Exception {
        call("sendRedirect", new Class<?>[] {String.class, boolean.class}, "/payments/1", true);

        assertThat(response.getStatus()).isEqualTo(302);
        assertThat(calls).isEmpty();
    }

    @Test
    void encodingOfServlet61IsThatOfTheWriter() throws Exception {
        response.getWriter().write("\u00eb");
        calls.clear();
        call("setCharacterEncoding", new Class<?>[] {Charset.class}, StandardCharsets.UTF_8);

        assertThat(calls).isEmpty();
        assertThat(response.body()).containsExactly(0xeb);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 99, 100, 102, 199, 600, 1000})
    void statusThatIsNoneIsRefusedAtOnce(int status) {
        assertThatThrownBy(() -> response.setStatus(status)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> response.sendError(status)).isInstanceOf(IllegalArgumentException.class);
        assertThat(response.getStatus()).isEqualTo(200);
        assertThat(response.isCommitted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a;b", "a,b", "a\"b", "a\\b", "\u00e9", "a\r\nb", "\""})
    void cookieThatIsNoneIsRefusedAtOnce(String value) {
        assertThatThrownBy(() -> response.addCookie(new Cookie("c", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cookie c");
    }

    @Test
    void pathOfACookieIsRefusedAtOnceIfItHoldsAnotherAttribute() {
        Cookie cookie = new Cookie("c", "1");
        cookie.setPath("/; Domain=example.com");

        assertThatThrownBy(() -> response.addCookie(cookie)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "\"abc\"", "a=b&c", "eyJh.bGci-_/+=="})
    void cookieIsKeptBack(String value) {
        response.addCookie(new Cookie("c", value));
        assertThat(calls).isEmpty();

        response.copyHeaders(false);
        assertThat(calls).containsExactly("addCookie");
    }

    @Test
    void trailerFieldsAreKeptBack() {
        response.setTrailerFields(() -> Map.of("X-Sum", "1"));
        assertThat(calls).isEmpty();

        response.copyHeaders(false);
        assertThat(calls).containsExactly("setTrailerFields");
    }

    @Test
    void headerThatWasAddedIsAddedToThoseOfOthers() {
        response.addHeader("Vary", "Accept");
        response.setHeader("Cache-Control", "no-store");
        response.addHeader("Cache-Control", "private");
        response.setHeader("Set-Cookie", "c=1");

        response.copyHeaders(false);
        assertThat(calls).containsExactlyInAnyOrder("setHeader", "addHeader", "addHeader", "addHeader");
    }

    @Test
    void overflowIsForgottenWithWhatWasWritten() throws Exception {
        response.getWriter().write("x".repeat(101));
        assertThatThrownBy(response::requireWhole).hasMessageContaining("more than 100 bytes");
        assertThatThrownBy(response::requireWhole).hasMessageContaining("more than 100 bytes");

        response.sendError(500);
        response.requireWhole();
        assertThat(response.body()).isEmpty();
    }
}
