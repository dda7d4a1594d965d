package io.pigeonhole.jdbc.counter;

import java.util.Locale;
import java.util.Optional;

/**
 * A counter that would give numbers which are given, or that has none left.
 *
 * @param counter which
 * @param next the number that the next row would get
 * @param largest the largest one that rows have or refer to
 */
public record CounterBehind(Counter counter, long next, long largest) {
    /** Empty where the counter goes on behind the largest number. */
    public static Optional<CounterBehind> where(Counter counter, long next, long largest) {
        return next > largest && counter.hasNumberBehind(largest)
                ? Optional.empty()
                : Optional.of(new CounterBehind(counter, next, largest));
    }

    /** Whether it can be moved ahead: there is a number behind the largest one. */
    public boolean isMovable() {
        return counter.hasNumberBehind(largest);
    }

    /** The message where a row needs a number and none is left. */
    String usedUp() {
        return String.format(
                Locale.ROOT,
                "all %,d numbers that rows of %s can have are used up: %s",
                largest,
                counter.table(),
                numbersUpToLargest());
    }

    /** The message where the counter cannot be moved ahead. */
    public String refusal(String statement) {
        return "the next row of " + counter.table() + " would get the number " + next + ", but " + numbersUpToLargest()
                + ": the counter has begun anew, by TRUNCATE or because rows were restored or replicated without it. Rows"
                + " would get the numbers of others. Run as the owner of the tables: " + statement;
    }

    /** The message where it cannot be moved ahead for now. */
    public String inUse() {
        return "the next row of " + counter.table() + " would get the number " + next + ", but " + numbersUpToLargest()
                + ", and the counter could not be moved ahead, because transactions that write to "
                + String.join(" or ", counter.numbered()) + " were open at every try";
    }

    /** What is logged once it was moved ahead. */
    public String movedAhead() {
        return "the next row of " + counter.table() + " would have got the number " + next + ", but "
                + numbersUpToLargest()
                + ": the counter had begun anew, by TRUNCATE or because rows were restored or replicated without it, and now"
                + " goes on behind them";
    }

    private String numbersUpToLargest() {
        return counter.holders() + " hold numbers up to " + largest;
    }
}
