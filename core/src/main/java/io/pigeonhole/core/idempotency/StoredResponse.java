package io.pigeonhole.core.idempotency;

import io.pigeonhole.core.message.Headers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A response as it is stored and given again: a status, headers, and bytes. Immutable, unless somebody changes the array. */
public final class StoredResponse {
    private final int status;
    private final Headers headers;
    private final byte[] body;

    /**
     * A response.
     *
     * @param status the status code of the protocol, such as 201
     * @param headers those that are to be given again, in their order
     * @param body the bytes, as they go over the wire; not copied
     */
    public StoredResponse(int status, Headers headers, byte[] body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /**
     * The status code.
     *
     * @return of the protocol, such as 201
     */
    public int status() {
        return status;
    }

    /**
     * The headers.
     *
     * @return in their order
     */
    public Headers headers() {
        return headers;
    }

    /**
     * The bytes.
     *
     * @return empty where there are none; not to be changed
     */
    public byte[] body() {
        return body;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredResponse that
                && status == that.status
                && headers.equals(that.headers)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * status + headers.hashCode()) + Arrays.hashCode(body);
    }

    /** Without the bytes, which may be personal data. */
    @Override
    public String toString() {
        return "response " + status + " of " + body.length + " bytes";
    }
}
