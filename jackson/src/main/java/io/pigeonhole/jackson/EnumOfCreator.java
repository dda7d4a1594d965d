package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** An enum with a creator of its own, which may read any text as any value. What it reads from an object or an array is a value like others. */
final class EnumOfCreator extends DelegatingDeserializer {
    EnumOfCreator(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new EnumOfCreator(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        JsonToken token = parser.currentToken();
        String name = token != null && token.isScalarValue() ? parser.getString() : null;
        Object read = super.deserialize(parser, context);
        if (name != null) {
            SetElements.readByCreator(context, name, read == null ? handledType() : read);
        }
        return read;
    }
}
