package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A date or time whose type names a format that is not a number: the format holds, and a number is refused. */
final class TimeByFormat extends DelegatingDeserializer {
    private final TimeArray array;

    /** What reads text, where that is not left to a pattern. */
    private final @Nullable TimeAsText text;

    TimeByFormat(ValueDeserializer<?> delegate, TimeArray array, @Nullable TimeAsText text) {
        super(delegate);
        this.array = array;
        this.text = text;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TimeByFormat(delegate, array, text);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (text != null && parser.hasToken(JsonToken.VALUE_STRING)) {
            return text.deserialize(parser, context);
        }
        if (parser.currentToken().isNumeric()) {
            throw new RefusedValueException(
                    parser, TimeAsText.NO_UNIT + "; text in the format of the type is expected", handledType());
        }
        return array.read(getDelegatee(), parser, context);
    }
}
