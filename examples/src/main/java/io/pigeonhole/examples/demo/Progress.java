package io.pigeonhole.examples.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/**
 * Shows how it goes: one line that is drawn again and again on a terminal, a line now and then elsewhere. For one thread.
 */
public final class Progress {
    private static final long REDRAW_NANOS = Duration.ofMillis(150).toNanos();
    private static final long NEW_LINE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long RATE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final int BAR = 30;
    private static final String CLEAR_LINE = "\r\u001B[2K";
    private static final String GREEN = "\u001B[32m";
    private static final String RED = "\u001B[31m";
    private static final String BOLD = "\u001B[1m";
    private static final String PLAIN = "\u001B[0m";

    private record Sample(long nanos, long processed) {}

    private final PrintStream out;
    private final boolean terminal;
    private final String duplicatesAre;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private long lastShown;
    private boolean drawn;

    /**
     * For one run.
     *
     * @param out where it is shown
     * @param terminal whether that is a terminal
     * @param duplicatesAre what becomes of duplicates
     */
    public Progress(PrintStream out, boolean terminal, String duplicatesAre) {
        this.out = out;
        this.terminal = terminal;
        this.duplicatesAre = duplicatesAre;
        this.lastShown = System.nanoTime() - NEW_LINE_NANOS;
    }

    /**
     * A line that stays.
     *
     * @param line the line
     */
    public void say(String line) {
        clear();
        out.println(line);
        out.flush();
    }

    /**
     * A line that stays, about a kill.
     *
     * @param line the line
     */
    public void sayKill(String line) {
        say(color(RED, "  x ") + line);
    }

    /**
     * A line that stays, about the end.
     *
     * @param good whether the end is good
     * @param line the line
     */
    public void sayVerdict(boolean good, String line) {
        say(color(BOLD + (good ? GREEN : RED), line));
    }

    /**
     * Whether it is time to say again how far it is.
     *
     * @return true some times in a second on a terminal, seldom elsewhere
     */
    public boolean isDue() {
        return System.nanoTime() - lastShown >= (terminal ? REDRAW_NANOS : NEW_LINE_NANOS);
    }

    /**
     * How far it is.
     *
     * @param total how many payments there are
     * @param processed how many are done
     * @param duplicates how many copies were turned away, or paid again
     * @param kills how often the consumer was killed
     * @param killsPlanned how often it will be
     */
    void show(long total, long processed, long duplicates, int kills, int killsPlanned) {
        show(
                total,
                processed,
                String.format(Locale.ROOT, "%,7d processed  %,7d duplicates %s", processed, duplicates, duplicatesAre),
                kills,
                killsPlanned);
    }

    /**
     * How far it is, in words of the caller's.
     *
     * @param total how many effects there will be
     * @param processed how many there are
     * @param words what the line says of them
     * @param kills how often something was killed
     * @param killsPlanned how often it will be
     */
    public void show(long total, long processed, String words, int kills, int killsPlanned) {
        long now = System.nanoTime();
        lastShown = now;
        samples.addLast(new Sample(now, processed));
        while (samples.size() > 2 && now - samples.getFirst().nanos() > RATE_NANOS) {
            samples.removeFirst();
        }
        double part = Math.min(1, (double) processed / total);
        String line = String.format(
                Locale.ROOT,
                "  %s%3d%%  %s  %,6d/s  kills %d/%d",
                terminal ? bar(part) + " " : "",
                (int) (part * 100),
                words,
                rate(),
                kills,
                killsPlanned);
        if (terminal) {
            out.print(CLEAR_LINE + line);
            drawn = true;
        } else {
            out.println(line);
        }
        out.flush();
    }

    /** Removes the line that is drawn again and again. */
    public void clear() {
        if (drawn) {
            out.print(CLEAR_LINE);
            out.flush();
            drawn = false;
        }
    }

    private long rate() {
        Sample first = samples.getFirst();
        Sample last = samples.getLast();
        double seconds =
                (last.nanos() - first.nanos()) / (double) Duration.ofSeconds(1).toNanos();
        return seconds <= 0 ? 0 : Math.round((last.processed() - first.processed()) / seconds);
    }

    private String bar(double part) {
        int full = (int) Math.round(part * BAR);
        return "[" + color(GREEN, "#".repeat(full)) + "-".repeat(BAR - full) + "]";
    }

    private String color(String color, String text) {
        return terminal ? color + text + PLAIN : text;
    }
}
