package io.pigeonhole.core.retry;

import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a message that failed is tried again, and when it is given up on. An immutable value: each method that changes
 * something returns a changed copy. The delays are added to the database's clock, never to this machine's.
 *
 * <p>{@link #standard()} follows the schedule of the field: 30 seconds, 2, 8 and 32 minutes, at most an hour, five attempts
 * within a day.
 *
 * <p>The rules of {@link #on}, {@link #when} and {@link #delayFrom} are asked about what was thrown, and then about its causes, from the
 * outermost to the innermost, so that what a framework has wrapped is found. The first that a rule is for decides: a rule for {@code
 * RuntimeException} decides about everything that is wrapped in one, whatever rules there are for the causes. The causes of a {@link
 * io.pigeonhole.core.failure.PermanentFailure} are not asked: whoever threw it has judged them.
 */
public final class RetryPolicy {
    private static final int STANDARD_ATTEMPTS = 5;
    private static final Duration STANDARD_AGE = Duration.ofHours(24);
    private static final double STANDARD_JITTER = 0.1;

    private static final RetryPolicy STANDARD = exponential(Duration.ofSeconds(30), 4, Duration.ofHours(1));

    private final Delays delays;
    private final int maxAttempts;
    private final Duration maxAge;
    private final double jitter;
    private final Reactions reactions;
    private final RequestedDelays requestedDelays;

    private RetryPolicy(
            Delays delays,
            int maxAttempts,
            Duration maxAge,
            double jitter,
            Reactions reactions,
            RequestedDelays requestedDelays) {
        require(maxAttempts >= 1, "maxAttempts " + maxAttempts + " is below 1");
        require(!maxAge.isNegative(), "maxAge " + DurationText.of(maxAge) + " is negative");
        require(jitter >= 0 && jitter <= 1, "jitter " + jitter + " is not between 0 and 1");
        this.delays = delays;
        this.maxAttempts = maxAttempts;
        this.maxAge = maxAge;
        this.jitter = jitter;
        this.reactions = reactions;
        this.requestedDelays = requestedDelays;
    }

    /**
     * The default: 30 s, 2 min, 8 min, 32 min, at most an hour, five attempts, within 24 hours.
     *
     * @return the policy
     */
    public static RetryPolicy standard() {
        return STANDARD;
    }

    /**
     * Each delay is twice the one before it, up to a ceiling; five attempts within 24 hours unless changed.
     *
     * @param first the delay after the first failed attempt, not negative
     * @param ceiling what no delay exceeds, from {@code first} to 365 days
     * @return the policy
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static RetryPolicy doubling(Duration first, Duration ceiling) {
        return exponential(first, 2, ceiling);
    }

    /**
     * Each delay is the one before it times a factor, up to a ceiling; five attempts within 24 hours unless changed.
     *
     * @param first the delay after the first failed attempt, not negative
     * @param factor from 1 to 1000
     * @param ceiling what no delay exceeds, from {@code first} to 365 days
     * @return the policy
     * @throws IllegalArgumentException if a value is out of its range
     */
    public static RetryPolicy exponential(Duration first, double factor, Duration ceiling) {
        return custom(Delays.exponential(first, factor, ceiling));
    }

    /**
     * Each delay is the same; five attempts within 24 hours unless changed.
     *
     * @param delay the delay, from zero to 365 days
     * @return the policy
     * @throws IllegalArgumentException if the delay is out of its range
     */
    public static RetryPolicy fixed(Duration delay) {
        return exponential(delay, 1, delay);
    }

    /**
     * Each delay comes from a function; five attempts within 24 hours unless changed.
     *
     * @param delays the function
     * @return the policy
     */
    public static RetryPolicy custom(Delays delays) {
        return new RetryPolicy(
                delays, STANDARD_ATTEMPTS, STANDARD_AGE, STANDARD_JITTER, Reactions.NONE, RequestedDelays.NONE);
    }

    /**
     * No retry: the first failure is final.
     *
     * @return the policy
     */
    public static RetryPolicy never() {
        return fixed(Duration.ZERO).maxAttempts(1);
    }

    /**
     * A copy with another limit of attempts.
     *
     * @param attempts after how many failed attempts the message is dead, at least 1
     * @return the copy
     */
    public RetryPolicy maxAttempts(int attempts) {
        return new RetryPolicy(delays, attempts, maxAge, jitter, reactions, requestedDelays);
    }

    /**
     * A copy with another limit of age.
     *
     * @param age how long after it was first received a message may still be tried again, not negative
     * @return the copy
     */
    public RetryPolicy maxAge(Duration age) {
        return new RetryPolicy(delays, maxAttempts, age, jitter, reactions, requestedDelays);
    }

    /**
     * A copy with another part of randomness.
     *
     * @param part from 0 to 1
     * @return the copy
     */
    public RetryPolicy jitter(double part) {
        return new RetryPolicy(delays, maxAttempts, maxAge, part, reactions, requestedDelays);
    }

    /**
     * A copy that reacts to a class of exceptions in its own way, also where another exception is wrapped around it. Of several
     * classes that an exception belongs to, the rule for the most specific class applies; an exception that is named decides before its causes. Where a deferred write or the COMMIT fails, the exception is the one that it failed with, such as
     * an {@code SQLException}, unless {@link io.pigeonhole.core.failure.StoreException} or its subclass is named itself.
     *
     * @param failure the class of what the handler throws, or of what its deferred writes fail with; subclasses included
     * @param reaction what becomes of the message
     * @return the copy
     */
    public RetryPolicy on(Class<? extends Throwable> failure, Reaction reaction) {
        return with(reactions.on(failure, reaction));
    }

    /**
     * A copy that reacts to some exceptions in its own way, whatever their class: an SQLSTATE, a status of HTTP, a text. Asked before
     * the classes of {@link #on}, in the order in which they were added; the first that says true decides. Each is asked about what was
     * thrown, then about each of its causes, whose text may be null. Where a deferred write or the COMMIT fails, each is asked about what it failed with, such as an {@code SQLException}, and its causes, and then about the {@link
     * io.pigeonhole.core.failure.StoreException} around it.
     *
     * @param failure says whether it is one of them; safe for use by many threads. If it throws, the message is judged as without this
     *     policy
     * @param reaction what becomes of the message
     * @return the copy
     */
    public RetryPolicy when(Predicate<? super Throwable> failure, Reaction reaction) {
        return with(reactions.when(failure, reaction));
    }

    private RetryPolicy with(Reactions changed) {
        return new RetryPolicy(delays, maxAttempts, maxAge, jitter, changed, requestedDelays);
    }

    /**
     * A copy that waits as long as an exception asks for, such as the {@code Retry-After} of an HTTP response, also where another
     * exception is wrapped around it: the first of an exception and its causes that asks for a delay decides. Such a delay has no jitter; the limits of attempts and of age hold. Where a deferred write or the COMMIT fails, what that failed with is asked, such as an
     * {@code SQLException}, and not the {@link io.pigeonhole.core.failure.StoreException} around it.
     *
     * @param failure the class of what the handler throws; subclasses included
     * @param delay the delay that it asks for, from zero to 365 days, or null where it asks for none; safe for use by many threads
     * @param <X> the class
     * @return the copy
     */
    public <X extends Throwable> RetryPolicy delayFrom(
            Class<X> failure, Function<? super X, ? extends @Nullable Duration> delay) {
        return new RetryPolicy(delays, maxAttempts, maxAge, jitter, reactions, requestedDelays.with(failure, delay));
    }

    /**
     * After how many failed attempts the message is dead.
     *
     * @return at least 1
     */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * How long after it was first received a message may still be tried again.
     *
     * @return the limit
     */
    public Duration maxAge() {
        return maxAge;
    }

    /**
     * The part of a delay that is drawn at random: with 0.2 a delay of 10 s becomes 8 to 10 s.
     *
     * @return from 0 to 1
     */
    public double jitter() {
        return jitter;
    }

    /**
     * What a failure, or the outermost of its causes that is named, asks for: by a predicate, else by its class.
     *
     * @param failure what the handler threw
     * @return the reaction, or nothing where it was not named
     */
    public Optional<Reaction> reactionTo(Throwable failure) {
        return reactions.to(failure);
    }

    /**
     * What a failure, or the outermost of its causes, asks for by a predicate of {@link #when}.
     *
     * @param failure what the handler threw, or what that was caused by
     * @return the reaction, or nothing where no predicate says true
     */
    public Optional<Reaction> reactionByPredicate(Throwable failure) {
        return reactions.byPredicateTo(failure);
    }

    /**
     * Whether a class of exceptions, or a subclass of it, is named and a failure belongs to what is named.
     *
     * @param type the class
     * @param failure what the handler threw
     * @return whether {@link #on} named it
     */
    public boolean names(Class<? extends Throwable> type, Throwable failure) {
        return reactions.names(type, failure);
    }

    /**
     * How long to wait after a failed attempt.
     *
     * @param attempts how many attempts have failed, at least 1
     * @param age how long ago the message was first received
     * @param failure what the last one failed with
     * @param random where the jitter comes from
     * @return the delay, or nothing where the message is given up on
     */
    public Optional<Duration> delayAfter(int attempts, Duration age, Throwable failure, RandomGenerator random) {
        require(attempts >= 1, "attempts " + attempts + " is below 1");
        if (attempts >= maxAttempts) {
            return Optional.empty();
        }
        Duration requested = requestedDelays.of(failure);
        Duration whole = requested == null ? delays.after(attempts) : requested;
        require(
                !whole.isNegative(),
                "the delay after " + attempts + " attempts, " + DurationText.of(whole) + ", is negative");
        require(
                !LongestDuration.isExceededBy(whole),
                "the delay after " + attempts + " attempts, " + DurationText.of(whole) + ", is more than "
                        + LongestDuration.DAYS + " days");
        Duration delay = requested == null ? jittered(whole, random) : whole;
        return age.plus(delay).compareTo(maxAge) > 0 ? Optional.empty() : Optional.of(delay);
    }

    private Duration jittered(Duration whole, RandomGenerator random) {
        return Duration.ofMillis((long) ((double) whole.toMillis() * (1 - jitter * random.nextDouble())));
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException("retry policy: " + otherwise);
        }
    }
}
