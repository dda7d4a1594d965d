package io.pigeonhole.jackson;

import java.lang.reflect.Array;
import java.util.List;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * An array of {@code double}, {@code float} or {@code byte}, each element read as one that stands alone. Bytes are as well read
 * from a text in base64.
 */
final class NumberArray extends DelegatingDeserializer {
    private final Class<?> element;

    NumberArray(ValueDeserializer<?> delegate, Class<?> element) {
        super(delegate);
        this.element = element;
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new NumberArray(delegate, element);
    }

    @Override
    public Object deserialize(JsonParser parser, DeserializationContext context) {
        if (element == byte.class && parser.hasToken(JsonToken.VALUE_STRING)) {
            String text = parser.getString();
            byte[] bytes = (byte[]) super.deserialize(parser, context);
            ExactBase64.require(bytes, text, parser, handledType());
            return bytes;
        }
        List<?> read = context.readValue(
                parser, context.getTypeFactory().constructCollectionType(List.class, context.constructType(element)));
        Object array = Array.newInstance(element, read.size());
        for (int i = 0; i < read.size(); i++) {
            Array.set(array, i, read.get(i));
        }
        return array;
    }
}
