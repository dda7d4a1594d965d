package io.pigeonhole.core.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Whose idempotency keys these are. The same key in two scopes means two requests that know nothing of each other, so that nobody is
 * given somebody else's response.
 *
 * @param tenant the tenant, or null where the application has none
 * @param principal who sends the request, or null where requests are anonymous
 */
public record RequestScope(
        @Nullable String tenant, @Nullable String principal) {
    private static final RequestScope ANONYMOUS = new RequestScope(null, null);

    /**
     * The scope that all requests share that come without a principal and a tenant.
     *
     * @return one scope for everybody
     */
    public static RequestScope anonymous() {
        return ANONYMOUS;
    }

    /**
     * The scope of a principal in an application without tenants.
     *
     * @param principal who sends the request, not blank
     * @return its scope
     * @throws IllegalArgumentException if it is null or blank, which would be everybody's scope
     */
    public static RequestScope of(String principal) {
        if (principal == null || principal.isBlank()) {
            throw new IllegalArgumentException(
                    "a principal without a name would share its idempotency keys with everybody: refuse requests that are not"
                            + " authenticated, or say RequestScope.anonymous()");
        }
        return new RequestScope(null, principal);
    }

    /**
     * A digest that is stored instead of the names.
     *
     * @return 32 bytes, different for every other scope
     */
    public byte[] hash() {
        return new Digest().text(tenant).text(principal).end();
    }
}
