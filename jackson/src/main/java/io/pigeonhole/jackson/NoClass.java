package io.pigeonhole.jackson;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** A class is not loaded because a message names it. */
final class NoClass extends DelegatingDeserializer {
    NoClass(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new NoClass(delegate);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        throw new RefusedValueException(parser, "no class is loaded by a name that was sent", handledType());
    }
}
