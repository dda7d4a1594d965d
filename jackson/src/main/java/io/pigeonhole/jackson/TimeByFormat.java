package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A date or time whose type names a format that is not a number: the format holds, and a number is refused. */
final class TimeByFormat extends DelegatingDeserializer {
    TimeByFormat(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TimeByFormat(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (parser.currentToken().isNumeric()) {
            throw new RefusedValueException(
                    parser, TimeAsText.NO_UNIT + "; text in the format of the type is expected", handledType());
        }
        return super.deserialize(TimeArray.requireWhole(parser, context, handledType()), context);
    }
}
