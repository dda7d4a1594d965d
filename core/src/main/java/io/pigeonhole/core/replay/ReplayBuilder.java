package io.pigeonhole.core.replay;

import io.pigeonhole.core.admin.Author;
import io.pigeonhole.core.failure.ConfigurationException;
import io.pigeonhole.core.handler.Handler;
import io.pigeonhole.core.handler.HandlerContext;
import io.pigeonhole.core.handler.PayloadDecoder;
import io.pigeonhole.core.inbox.Inbox;
import io.pigeonhole.core.message.Message;
import io.pigeonhole.core.message.OrderingKey;
import io.pigeonhole.core.store.InboxStore;
import io.pigeonhole.core.store.ReplayPlan;
import io.pigeonhole.core.time.DurationText;
import io.pigeonhole.core.time.LongestDuration;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link Replay}. Not safe for use by many threads.
 *
 * @param <C> the context that the store hands to handlers
 */
public final class ReplayBuilder<C extends HandlerContext> {
    private static final int MOST_IN_A_BATCH = 10_000;

    private final String name;
    private final String consumer;
    private final InboxStore<C> store;
    private final Author by;
    private @Nullable Handler<Message, C> handler;
    private boolean own;
    private boolean again;
    private @Nullable Instant since;
    private @Nullable Instant until;
    private @Nullable String type;
    private @Nullable String source;
    private @Nullable OrderingKey key;
    private int batch = 500;
    private int perSecond = ReplaySettings.UNLIMITED;
    private OnFailure onFailure = OnFailure.STOP;
    private Duration handlerTimeout = Duration.ofMinutes(1);

    ReplayBuilder(String name, String consumer, InboxStore<C> store, Author by) {
        this.name = name;
        this.consumer = consumer;
        this.store = store;
        this.by = by;
    }

    /**
     * Hands each message to a handler that is made for this, such as one that builds a projection anew. It writes through
     * its context as any handler does.
     *
     * @param decoder makes the handler's argument
     * @param chosen the handler
     * @param <T> the type of the decoded payload
     * @return this
     */
    public <T> ReplayBuilder<C> into(PayloadDecoder<T> decoder, Handler<? super T, ? super C> chosen) {
        this.own = false;
        this.handler = (message, context) ->
                chosen.handle(Objects.requireNonNull(decoder.decode(message), "the decoder returned null"), context);
        return this;
    }

    /**
     * Hands each message to the handler of its type in the consumer's own inbox, once more: a recovery, after the effects
     * were lost or taken back. Where they were not, they happen a second time, so that {@link #allowReprocessing} has
     * to be said too. Handlers under leases cannot take part.
     *
     * @param inbox the consumer's inbox
     * @return this
     * @throws ConfigurationException if the inbox is that of another consumer
     */
    public ReplayBuilder<C> intoOwnHandlers(Inbox<C> inbox) {
        require(
                inbox.consumer().equals(consumer),
                "the history of '" + consumer + "' cannot go to the handlers of '" + inbox.consumer() + "'");
        this.own = true;
        this.handler = inbox.ownHandlers();
        return this;
    }

    /**
     * The second word for {@link #intoOwnHandlers}: yes, each of these messages had its effect before, and shall have it
     * again.
     *
     * @return this
     */
    public ReplayBuilder<C> allowReprocessing() {
        this.again = true;
        return this;
    }

    /**
     * Only messages that were finished at this instant or later.
     *
     * @param instant the bound, by the store's clock
     * @return this
     */
    public ReplayBuilder<C> since(Instant instant) {
        this.since = instant;
        return this;
    }

    /**
     * Only messages that were finished before this instant.
     *
     * @param instant the bound, by the store's clock
     * @return this
     */
    public ReplayBuilder<C> until(Instant instant) {
        this.until = instant;
        return this;
    }

    /**
     * Only messages of one type.
     *
     * @param wanted the type as it is in {@link Message#type}; one that an inbox reads from a header is not recorded there
     * @return this
     */
    public ReplayBuilder<C> type(String wanted) {
        this.type = wanted;
        return this;
    }

    /**
     * Only messages from one source.
     *
     * @param wanted the source
     * @return this
     */
    public ReplayBuilder<C> source(String wanted) {
        this.source = wanted;
        return this;
    }

    /**
     * Only messages with one ordering key.
     *
     * @param wanted the key as text in UTF-8
     * @return this
     */
    public ReplayBuilder<C> key(String wanted) {
        return key(OrderingKey.of(wanted));
    }

    /**
     * Only messages with one ordering key.
     *
     * @param wanted the key
     * @return this
     */
    public ReplayBuilder<C> key(OrderingKey wanted) {
        this.key = wanted;
        return this;
    }

    /**
     * Sets how many messages are handled in one transaction. They are held in memory together.
     *
     * @param messages from 1 to {@value #MOST_IN_A_BATCH}, 500 unless set
     * @return this
     */
    public ReplayBuilder<C> batch(int messages) {
        this.batch = messages;
        return this;
    }

    /**
     * Limits how fast this process goes. The limit holds on average over batches: choose a batch that is no larger than what
     * may come at once.
     *
     * @param perSecond messages per second, at least 1, of all {@link Replay#run} of the same object; without limit unless set
     * @return this
     */
    public ReplayBuilder<C> rate(int perSecond) {
        require(perSecond >= 1, "a rate of " + perSecond + " messages per second would never end");
        this.perSecond = perSecond;
        return this;
    }

    /**
     * Passes messages whose handler fails, and records them. Unless called, the run stops at the first one. What others have
     * locked is tried again for a second at least before that is a failure.
     *
     * @return this
     */
    public ReplayBuilder<C> skipFailures() {
        this.onFailure = OnFailure.SKIP;
        return this;
    }

    /**
     * Sets how long a transaction may be idle, which is how long a handler may take between two of its statements.
     *
     * @param timeout from a millisecond to 365 days, one minute unless set
     * @return this
     */
    public ReplayBuilder<C> handlerTimeout(Duration timeout) {
        this.handlerTimeout = timeout;
        return this;
    }

    /**
     * Checks the settings together. Nothing is done in the store before {@link Replay#run}.
     *
     * @return the replay
     * @throws ConfigurationException if settings are wrong, or the second word is missing
     */
    public Replay<C> build() {
        Handler<Message, C> chosen = handler;
        if (chosen == null) {
            throw new ConfigurationException("replay '" + name + "' has no handler: say into, or intoOwnHandlers");
        }
        require(
                !own || again,
                "the handlers of '" + consumer
                        + "' ran before for every message of its history. To have all these effects"
                        + " a second time, say allowReprocessing too");
        require(own || !again, "allowReprocessing belongs to intoOwnHandlers");
        require(batch >= 1 && batch <= MOST_IN_A_BATCH, "batch " + batch + " is not from 1 to " + MOST_IN_A_BATCH);
        require(
                handlerTimeout.compareTo(Duration.ofMillis(1)) >= 0,
                "handlerTimeout " + DurationText.of(handlerTimeout) + " is below a millisecond");
        LongestDuration.require("replay '" + name + "'", "handlerTimeout", handlerTimeout);
        ReplayPlan plan = plan();
        return new Replay<>(store, new ReplaySettings(plan, by, batch, perSecond, onFailure, handlerTimeout), chosen);
    }

    private ReplayPlan plan() {
        try {
            return new ReplayPlan(name, consumer, since, until, type, source, key, own);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException("replay '" + name + "': " + e.getMessage(), e);
        }
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ConfigurationException("replay '" + name + "': " + otherwise);
        }
    }
}
