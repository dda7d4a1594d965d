package io.pigeonhole.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A response that is kept back until the transaction is committed: nothing of it reaches the client before. Used by one thread.
 */
final class GuardedResponse extends HttpServletResponseWrapper {
    private static final DateTimeFormatter DATE =
            DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final Logger LOG = LoggerFactory.getLogger(GuardedResponse.class);
    private static final Pattern MEDIA_TYPE_OF_JSON =
            Pattern.compile("[^;]*[/+]json\\s*(;|$)", Pattern.CASE_INSENSITIVE);

    private final int largest;
    private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, String> names = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    /** Those that were set, and not only added to what others have set. */
    private final Set<String> replaced = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    private final List<Cookie> cookies = new ArrayList<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final ServletOutputStream stream = new Stream();
    private int status;
    private @Nullable PrintWriter writer;
    /** Of what has forwarded or begun anew, and may write on. */
    private final List<PrintWriter> earlierWriters = new ArrayList<>();

    private String encodingOfWriter = "";
    private boolean encodingIsFixed;
    private @Nullable Locale locale;
    private @Nullable Supplier<Map<String, String>> trailers;
    private boolean streaming;
    private boolean ended;
    private boolean discarding;
    private boolean isTooLarge;
    private boolean isError;
    private @Nullable String errorMessage;

    /** @param status what it has as long as the application sets none */
    GuardedResponse(HttpServletResponse response, int status, int largest) {
        super(response);
        this.largest = largest;
        this.status = status;
    }

    private HttpServletResponse real() {
        return (HttpServletResponse) getResponse();
    }

    /** Whether the application has called {@code sendError}. */
    boolean isError() {
        return isError;
    }

    String errorMessage() {
        return errorMessage == null ? "" : errorMessage;
    }

    /** What was written so far. */
    byte[] body() {
        flushBuffer();
        return body.toByteArray();
    }

    /** Name, and all values of it, with the content type. */
    Map<String, List<String>> allHeaders() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        headers.forEach((name, values) -> all.put(names.getOrDefault(name, name), values));
        String type = getContentType();
        if (type != null) {
            all.put("Content-Type", List.of(type));
        }
        return all;
    }

    /** Throws where the response did not fit, though the application has hidden that. */
    void requireWhole() {
        flushBuffer();
        if (isTooLarge) {
            throw tooLarge();
        }
    }

    private IllegalStateException tooLarge() {
        return new IllegalStateException("the response has more than " + largest
                + " bytes, which are kept back until the transaction is committed: raise largestResponse, or leave this"
                + " servlet out of the mapping of IdempotencyFilter");
    }

    /** The one that a response is, or wraps. */
    static @Nullable GuardedResponse within(ServletResponse response) {
        ServletResponse current = response;
        while (current instanceof ServletResponseWrapper wrapper && !(current instanceof GuardedResponse)) {
            current = wrapper.getResponse();
        }
        return current instanceof GuardedResponse guarded ? guarded : null;
    }

    void beginForward() {
        resetBuffer();
        leaveWriter();
        streaming = false;
    }

    private void leaveWriter() {
        if (writer != null) {
            earlierWriters.add(writer);
        }
        writer = null;
    }

    /** What is written from here on is ignored. */
    void end() {
        flushBuffer();
        ended = true;
    }

    /** Forgets it, also where it has ended: another one is answered. */
    void discard() {
        ended = false;
        isError = false;
        reset();
    }

    /**
     * Hands what was kept back to the container, but for status and body.
     *
     * @param withoutContent whether what describes the content is left out, because another one is sent
     */
    void copyHeaders(boolean withoutContent) {
        headers.forEach((name, values) -> {
            if (!withoutContent || !ResponseRules.isOfContent(name)) {
                copy(name, values);
            }
        });
        cookies.forEach(real()::addCookie);
        Supplier<Map<String, String>> last = trailers;
        if (last != null) {
            sendTrailers(last);
        }
    }

    private void copy(String name, List<String> values) {
        // Cookies of others are never replaced: a session may have begun meanwhile.
        boolean replaces = replaced.contains(name) && !name.equalsIgnoreCase("Set-Cookie");
        String spelled = names.getOrDefault(name, name);
        for (String value : values) {
            if (replaces) {
                real().setHeader(spelled, value);
                replaces = false;
            } else {
                real().addHeader(spelled, value);
            }
        }
    }

    private void sendTrailers(Supplier<Map<String, String>> last) {
        try {
            real().setTrailerFields(last);
        } catch (IllegalStateException e) {
            LOG.debug("the protocol has no trailer fields, so that they are left out", e);
        }
    }

    @Override
    public void setStatus(int sc) {
        if (!ended) {
            status = legal(sc);
        }
    }

    /** The container would refuse it behind the commit. */
    private static int legal(int status) {
        if (!ResponseRules.isStatus(status)) {
            throw new IllegalArgumentException("status " + status + " is not from 200 to 599");
        }
        return status;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void sendError(int sc) {
        sendError(sc, null);
    }

    @Override
    public void sendError(int sc, @Nullable String message) {
        requireOpen();
        legal(sc);
        resetBuffer();
        status = sc;
        isError = true;
        errorMessage = message;
        ended = true;
    }

    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    /** Overrides the method of Servlet 6.1, where there is one. */
    public void sendRedirect(String location, boolean clearBuffer) {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    /** Overrides the method of Servlet 6.1, where there is one. */
    public void sendRedirect(String location, int sc) {
        sendRedirect(location, sc, true);
    }

    /** Overrides the method of Servlet 6.1, where there is one: its wrapper hands it to the container at once. */
    public void sendRedirect(String location, int sc, boolean clearBuffer) {
        requireOpen();
        legal(sc);
        if (clearBuffer) {
            resetBuffer();
        }
        status = sc;
        setHeader("Location", location);
        ended = true;
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the response has ended with sendError or sendRedirect");
        }
    }

    private static boolean isType(String name) {
        return name.equalsIgnoreCase("Content-Type");
    }

    private static boolean isLength(String name) {
        return name.equalsIgnoreCase("Content-Length");
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (isType(name)) {
            setContentType(value);
        } else if (!isLength(name) && !ended) {
            if (value == null) {
                headers.remove(name);
                replaced.remove(name);
                return;
            }
            replaced.add(name);
            names.put(name, name);
            headers.put(name, new ArrayList<>(List.of(value)));
        }
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        if (isType(name)) {
            setContentType(value);
        } else if (!isLength(name) && !ended && value != null) {
            names.putIfAbsent(name, name);
            headers.computeIfAbsent(name, each -> new ArrayList<>()).add(value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, String.valueOf(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, String.valueOf(value));
    }

    private static String date(long millis) {
        return DATE.format(Instant.ofEpochMilli(millis));
    }

    @Override
    public void setDateHeader(String name, long millis) {
        setHeader(name, date(millis));
    }

    @Override
    public void addDateHeader(String name, long millis) {
        addHeader(name, date(millis));
    }

    @Override
    public boolean containsHeader(String name) {
        return headers.containsKey(name) || super.containsHeader(name);
    }

    @Override
    public @Nullable String getHeader(String name) {
        Collection<String> values = getHeaders(name);
        return values.isEmpty() ? null : values.iterator().next();
    }

    @Override
    public Collection<String> getHeaders(String name) {
        List<String> values = headers.get(name);
        if (values == null) {
            return super.getHeaders(name);
        }
        List<String> all = new ArrayList<>(replaced.contains(name) ? List.of() : super.getHeaders(name));
        all.addAll(values);
        return List.copyOf(all);
    }

    @Override
    public Collection<String> getHeaderNames() {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        super.getHeaderNames().forEach(name -> all.put(name, name));
        headers.keySet().forEach(name -> all.put(name, names.getOrDefault(name, name)));
        return List.copyOf(all.values());
    }

    @Override
    public void addCookie(Cookie cookie) {
        CookieSyntax.require(cookie);
        cookies.add((Cookie) cookie.clone());
    }

    @Override
    public void setLocale(@Nullable Locale language) {
        if (ended) {
            return;
        }
        if (writer == null) {
            // The container may know an encoding for it.
            super.setLocale(language);
        }
        locale = language;
        setHeader("Content-Language", language == null ? null : language.toLanguageTag());
    }

    @Override
    public @Nullable Locale getLocale() {
        return locale == null ? super.getLocale() : locale;
    }

    @Override
    public void setTrailerFields(Supplier<Map<String, String>> supplier) {
        trailers = supplier;
    }

    @Override
    public @Nullable Supplier<Map<String, String>> getTrailerFields() {
        return trailers;
    }

    /** Its length is that of what was kept back. */
    @Override
    public void setContentLength(int length) {}

    @Override
    public void setContentLengthLong(long length) {}

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter was called before");
        }
        streaming = true;
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (streaming) {
            throw new IllegalStateException("getOutputStream was called before");
        }
        PrintWriter current = writer;
        if (current == null) {
            Charset charset = charset();
            if (!(charset.equals(StandardCharsets.UTF_8) && isJson(getContentType()))) {
                // So that the type says it, as it does where a container makes the writer.
                setCharacterEncoding(charset.name());
            }
            current = new PrintWriter(new OutputStreamWriter(stream, charset));
            writer = current;
            encodingOfWriter = charset.name();
            encodingIsFixed = true;
        }
        return current;
    }

    /** That of the container; ISO-8859-1 where a name is no charset's. */
    private Charset charset() {
        try {
            return Charset.forName(getCharacterEncoding());
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return StandardCharsets.ISO_8859_1;
        }
    }

    /** JSON is in UTF-8, and its types have no parameter that says so. */
    private static boolean isJson(@Nullable String type) {
        return type != null && MEDIA_TYPE_OF_JSON.matcher(type).lookingAt();
    }

    @Override
    public void setContentType(@Nullable String type) {
        super.setContentType(type);
        if (encodingIsFixed && type != null && type.toLowerCase(Locale.ROOT).contains("charset=")) {
            // What is written is written in the writer's, which can be changed no more.
            super.setCharacterEncoding(encodingOfWriter);
        }
    }

    @Override
    public void setCharacterEncoding(String encoding) {
        if (!encodingIsFixed) {
            super.setCharacterEncoding(encoding);
        }
    }

    /** Overrides the method of Servlet 6.1, where there is one. */
    public void setCharacterEncoding(Charset encoding) {
        setCharacterEncoding(encoding.name());
    }

    /** Nothing reaches the client before the commit. */
    @Override
    public void flushBuffer() {
        earlierWriters.forEach(PrintWriter::flush);
        PrintWriter current = writer;
        if (current != null) {
            current.flush();
        }
    }

    @Override
    public int getBufferSize() {
        return largest;
    }

    @Override
    public void setBufferSize(int size) {}

    @Override
    public boolean isCommitted() {
        return ended;
    }

    @Override
    public void resetBuffer() {
        requireOpen();
        discarding = true;
        flushBuffer();
        discarding = false;
        body.reset();
        isTooLarge = false;
    }

    /** What filters before this one have set stays. */
    @Override
    public void reset() {
        resetBuffer();
        headers.clear();
        replaced.clear();
        cookies.clear();
        trailers = null;
        locale = null;
        status = SC_OK;
        leaveWriter();
        encodingIsFixed = false;
        streaming = false;
        setContentType(null);
    }

    private final class Stream extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw GuardedRequest.noAsync();
        }

        @Override
        public void write(int b) {
            if (isOpen()) {
                requireSpace(1);
                body.write(b);
            }
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            if (isOpen()) {
                requireSpace(length);
                body.write(from, offset, length);
            }
        }

        private boolean isOpen() {
            return !ended && !discarding;
        }

        private void requireSpace(int length) {
            if (length > largest - body.size()) {
                isTooLarge = true;
                throw tooLarge();
            }
        }
    }
}
