package io.pigeonhole.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * A type that is made of a single {@code double} or {@code BigDecimal}: the number is read as one that stands alone. Jackson would
 * make an infinity or a zero of it, and round the {@code BigDecimal} to a {@code double}.
 */
final class SingleNumber extends DelegatingDeserializer {
    SingleNumber(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    static boolean makes(ValueDeserializer<?> deserializer) {
        return deserializer instanceof BeanDeserializerBase bean
                && (bean.getValueInstantiator().canCreateFromDouble()
                        || bean.getValueInstantiator().canCreateFromBigDecimal());
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new SingleNumber(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        if (getDelegatee() instanceof BeanDeserializerBase bean && isToBeMade(parser, bean.getValueInstantiator())) {
            ValueInstantiator maker = bean.getValueInstantiator();
            if (maker.canCreateFromDouble()) {
                FiniteNumber.requireNear(parser.getDoubleValue(), parser, double.class);
                return maker.createFromDouble(context, parser.getDoubleValue());
            }
            BoundedDecimal.require(parser.getDecimalValue(), parser);
            return maker.createFromBigDecimal(context, parser.getDecimalValue());
        }
        return super.deserialize(parser, context);
    }

    /** Also a whole number, which Jackson refuses, unless the type makes something else of these. */
    private static boolean isToBeMade(JsonParser parser, ValueInstantiator maker) {
        return parser.hasToken(JsonToken.VALUE_NUMBER_FLOAT)
                || (parser.hasToken(JsonToken.VALUE_NUMBER_INT)
                        && !maker.canCreateFromInt()
                        && !maker.canCreateFromLong()
                        && !maker.canCreateFromBigInteger());
    }
}
