package io.pigeonhole.jackson;

import java.text.FieldPosition;
import java.text.NumberFormat;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The milliseconds in a text that is read by a pattern of {@link SimpleDateFormat}. They are a number there and no fraction, so that
 * {@code .5} would be 5 milliseconds.
 */
final class Milliseconds {
    private static final long SECOND = 1000;

    private Milliseconds() {}

    /**
     * Whether a text has three digits of them, which mean the same as a number and as a fraction. The pattern itself says which digits
     * they are: each number that has not three is read as one more, and only milliseconds that are one more are no whole second.
     *
     * @param read what the pattern reads the text as
     */
    @SuppressWarnings("JavaUtilDate") // SimpleDateFormat reads no other type.
    static boolean areExact(SimpleDateFormat pattern, String text, Date read) {
        if (pattern.toPattern().indexOf('S') < 0) {
            return true;
        }
        SimpleDateFormat counting = (SimpleDateFormat) pattern.clone();
        counting.setNumberFormat(new OneMoreUnlessThreeDigits(pattern.getNumberFormat()));
        Date counted = counting.parse(text, new ParsePosition(0));
        return counted != null && (counted.getTime() - read.getTime()) % SECOND == 0;
    }

    private static final class OneMoreUnlessThreeDigits extends NumberFormat {
        private static final long serialVersionUID = 1L;
        private static final Pattern THREE_DIGITS = Pattern.compile("\\p{Nd}{3}");

        private final NumberFormat format;

        OneMoreUnlessThreeDigits(NumberFormat format) {
            this.format = format;
        }

        @Override
        public @Nullable Number parse(String text, ParsePosition position) {
            int start = position.getIndex();
            Number number = format.parse(text, position);
            if (number == null
                    || THREE_DIGITS
                            .matcher(text.substring(start, position.getIndex()))
                            .matches()) {
                return number;
            }
            return number.longValue() + 1;
        }

        @Override
        public StringBuffer format(double number, StringBuffer to, FieldPosition position) {
            return format.format(number, to, position);
        }

        @Override
        public StringBuffer format(long number, StringBuffer to, FieldPosition position) {
            return format.format(number, to, position);
        }
    }
}
