package io.pigeonhole.jackson;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A date of an older type with a pattern of its own: the pattern stands for all of the text, not only for how it begins, and its
 * milliseconds are three digits.
 */
final class LegacyPattern extends DelegatingDeserializer {
    /** Not safe for use by many threads: each call takes a copy. */
    private final SimpleDateFormat pattern;

    LegacyPattern(ValueDeserializer<?> delegate, SimpleDateFormat pattern) {
        super(delegate);
        this.pattern = pattern;
    }

    static LegacyPattern of(ValueDeserializer<?> delegate, JsonFormat.Value format, DeserializationContext context) {
        return new LegacyPattern(
                delegate,
                new SimpleDateFormat(
                        format.getPattern(), format.hasLocale() ? format.getLocale() : context.getLocale()));
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new LegacyPattern(delegate, pattern);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.hasToken(JsonToken.VALUE_STRING)) {
            String text = parser.getString().trim();
            BoundedText.require(text, parser, handledType());
            ParsePosition position = new ParsePosition(0);
            Date read = ((SimpleDateFormat) pattern.clone()).parse(text, position);
            if (read != null && position.getIndex() < text.length()) {
                throw new RefusedValueException(
                        parser, "the pattern of the type says nothing of how the text ends", handledType());
            }
            if (read != null && !Milliseconds.areExact(pattern, text, read)) {
                throw new RefusedValueException(
                        parser, "the milliseconds of the pattern are read from three digits", handledType());
            }
        }
        return super.deserialize(parser, context);
    }
}
