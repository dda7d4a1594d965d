package io.pigeonhole.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpUpgradeHandler;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request whose body was read for its fingerprint, and can be read again. Used by one thread. */
final class GuardedRequest extends HttpServletRequestWrapper {
    /** Null where the container has read it, as the parts or the parameters of a form. */
    private final byte @Nullable [] body;

    private @Nullable Map<String, String[]> parameters;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;

    GuardedRequest(HttpServletRequest request, byte @Nullable [] body) {
        super(request);
        this.body = body;
    }

    static IllegalStateException noAsync() {
        return new IllegalStateException(
                "a request with an idempotency key is handled on its own thread, in one transaction: it cannot be made"
                        + " asynchronous, upgraded, or written bit by bit. Handle it synchronously, or leave this servlet out of the"
                        + " mapping of IdempotencyFilter");
    }

    @Override
    public ServletInputStream getInputStream() throws java.io.IOException {
        if (body == null) {
            return super.getInputStream();
        }
        if (reader != null) {
            throw new IllegalStateException("getReader was called before");
        }
        ServletInputStream current = stream;
        if (current == null) {
            current = BufferedBody.stream(body);
            stream = current;
        }
        return current;
    }

    @Override
    public BufferedReader getReader() throws java.io.IOException {
        if (body == null) {
            return super.getReader();
        }
        if (stream != null) {
            throw new IllegalStateException("getInputStream was called before");
        }
        BufferedReader current = reader;
        if (current == null) {
            current = new BufferedReader(
                    new InputStreamReader(BufferedBody.stream(body), charset(StandardCharsets.ISO_8859_1)));
            reader = current;
        }
        return current;
    }

    private Charset charset(Charset otherwise) {
        try {
            String name = getCharacterEncoding();
            return name == null ? otherwise : Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return StandardCharsets.ISO_8859_1;
        }
    }

    /** What the request says; a container may refuse to read a type whose charset it does not know. */
    static @Nullable String contentType(HttpServletRequest request) {
        try {
            return request.getContentType();
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return request.getHeader("Content-Type");
        }
    }

    static boolean isForm(@Nullable String contentType) {
        return contentType != null
                && contentType.split(";", 2)[0].strip().equalsIgnoreCase("application/x-www-form-urlencoded");
    }

    /** Null where the container reads them. */
    private @Nullable Map<String, String[]> form() {
        if (body == null || !isForm(contentType(this))) {
            return null;
        }
        Map<String, String[]> current = parameters;
        if (current == null) {
            current = Redispatch.isRedispatched(this)
                    ? FormParameters.added((HttpServletRequest) getRequest(), body, charset(StandardCharsets.UTF_8))
                    : FormParameters.of(getQueryString(), body, charset(StandardCharsets.UTF_8));
            parameters = current;
        }
        return current;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterValues(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        Map<String, String[]> form = form();
        if (form == null) {
            return super.getParameterValues(name);
        }
        String[] values = form.get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        Map<String, String[]> form = form();
        return form == null ? super.getParameterMap() : Collections.unmodifiableMap(form);
    }

    @Override
    public Enumeration<String> getParameterNames() {
        Map<String, String[]> form = form();
        return form == null ? super.getParameterNames() : Collections.enumeration(form.keySet());
    }

    @Override
    public @Nullable RequestDispatcher getRequestDispatcher(String path) {
        RequestDispatcher dispatcher = super.getRequestDispatcher(path);
        return dispatcher == null ? null : new GuardedDispatcher(dispatcher);
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw noAsync();
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        throw noAsync();
    }

    @Override
    public <T extends HttpUpgradeHandler> T upgrade(Class<T> handler) {
        throw noAsync();
    }
}
