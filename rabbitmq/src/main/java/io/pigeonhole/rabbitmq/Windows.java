package io.pigeonhole.rabbitmq;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of one channel, oldest first: one, and two for as long as a wider one takes its place. The broker knows no way to
 * raise a consumer's limit, so whoever wants more begins another consumer and cancels the older one. It is cancelled only while it
 * is full, because nothing is on its way to it then. Where that does not come to pass, the newer one is taken back while the older
 * one is full. Safe for use by many threads.
 */
final class Windows {
    private final List<Window> open = new ArrayList<>();
    private final List<Window> cancelled = new ArrayList<>();
    private int made;
    private long delivered;
    private boolean shared;
    private @Nullable String leaving;

    /**
     * A consumer that is about to begin, with a tag that nobody else has on the channel. The order of tags is that of consumers:
     * a quorum queue gives back in it what they had, and compares tags as text.
     */
    synchronized Window add(int limit) {
        Window window = new Window(String.format(Locale.ROOT, "pigeonhole-%010d", ++made), limit);
        open.add(window);
        return window;
    }

    /** The limit of the channel, whose only consumer this is, was raised: it may have so many from now on. */
    synchronized void raise(int limit) {
        newest().raise(limit);
    }

    /** A message was delivered; answers the consumer that it came to. */
    synchronized Window delivered(String tag) {
        delivered++;
        Window window =
                open.stream().filter(each -> each.tag().equals(tag)).findFirst().orElseGet(() -> cancelled(tag));
        window.delivered();
        shared |= tag.equals(leaving) || open.indexOf(window) > 0;
        return window;
    }

    /**
     * Brokers that know limits of channels only deliver beyond the limit of a consumer, and so after it is full; and one that is taken
     * back may get what was on its way.
     */
    private Window cancelled(String tag) {
        Window late = new Window(tag, 0);
        cancelled.add(late);
        return late;
    }

    /** How many messages were delivered in all. */
    synchronized long delivered() {
        return delivered;
    }

    /** How many messages the consumers may have. */
    synchronized int limit() {
        return open.stream().mapToInt(Window::limit).sum();
    }

    /** How many messages are not settled that consumers got which were cancelled. */
    synchronized int leftOver() {
        cancelled.removeIf(window -> window.unsettled() == 0);
        return cancelled.stream().mapToInt(Window::unsettled).sum();
    }

    /** Whether the newest is to take the place of others. */
    synchronized boolean hasOlder() {
        return open.size() > 1;
    }

    /** Whether the newest has all that it may have. */
    synchronized boolean isNewestFull() {
        return newest().isFull();
    }

    /** Whether the newest has all that it may have, and all of it is settled. */
    synchronized boolean isNewestFullAndSettled() {
        return newest().isFull() && newest().unsettled() == 0;
    }

    /**
     * Whether the older ones may be cancelled. They have to be full. Where no newer one ever got anything beside an older one, the
     * queue may let a single consumer be active, and that is another node's perhaps as soon as they are cancelled. It must not
     * overtake, so all of what they have has to be settled, too.
     */
    synchronized boolean isOlderReplaceable() {
        return open.stream()
                .limit(open.size() - 1L)
                .allMatch(older -> older.isFull() && (shared || older.unsettled() == 0));
    }

    /** Whether a newer one got messages beside an older one, so that the queue lets more than one be active. */
    synchronized boolean isShared() {
        return shared;
    }

    /** Forgets all but the newest; answers the tags of those that are to be cancelled. */
    synchronized List<String> removeOlder() {
        List<Window> older = open.subList(0, open.size() - 1);
        List<String> tags = older.stream().map(Window::tag).toList();
        cancelled.addAll(older);
        older.clear();
        return tags;
    }

    /** Forgets the newest, which is to be cancelled; answers its tag. */
    synchronized String removeNewest() {
        Window newest = open.remove(open.size() - 1);
        cancelled.add(newest);
        leaving = newest.tag();
        return newest.tag();
    }

    /** Nothing more comes to a consumer that was cancelled. */
    synchronized void left(String tag) {
        if (tag.equals(leaving)) {
            leaving = null;
        }
    }

    /** Whether something may still come to the newest, which was forgotten. */
    synchronized boolean isNewestLeaving() {
        return leaving != null;
    }

    /** Whether something is not settled that came to a consumer which was cancelled, and is newer than those that there are. */
    synchronized boolean hasYoungerLeftOver() {
        String newest = newest().tag();
        return cancelled.stream()
                .anyMatch(window -> window.unsettled() > 0 && window.tag().compareTo(newest) > 0);
    }

    private Window newest() {
        return open.get(open.size() - 1);
    }
}
